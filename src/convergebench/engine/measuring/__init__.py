"""Measuring: what is measured of a chain, and the queue that measures it."""
