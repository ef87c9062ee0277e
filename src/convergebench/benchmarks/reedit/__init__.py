"""RE-Edit."""
