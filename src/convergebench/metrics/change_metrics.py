"""The metrics for the change from one step to the next."""

CHANGE_METRICS = ("psnr", "ssim")
"""Cheap metrics, because every step of a chain is compared with its input. A run uses those that it has."""
