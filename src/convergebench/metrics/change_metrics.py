"""What the change from one step to the next is measured by."""

CHANGE_METRICS = ("psnr", "ssim")
"""The cheap ones, as far as a run has them: every step of a chain is compared with its input."""
