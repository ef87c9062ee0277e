"""Metrics on a GPU: each picture is copied there once, and all metrics read it in one pass.

This code runs on any torch device, so it can be compared with the other metrics without a GPU.
"""
