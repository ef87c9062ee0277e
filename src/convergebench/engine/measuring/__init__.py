"""Measuring: the measurements of a chain, and the queue that performs them."""
