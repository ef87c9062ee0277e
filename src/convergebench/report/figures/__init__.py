"""Figures: curves and grids of pictures."""
