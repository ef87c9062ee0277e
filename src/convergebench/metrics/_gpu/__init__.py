"""Metrics on a GPU: each picture is brought there once, and all metrics read it in one go.

What is here runs on any of torch's devices, so that it can be held against the other metrics without a GPU.
"""
