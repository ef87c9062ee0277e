"""WiseEdit."""
