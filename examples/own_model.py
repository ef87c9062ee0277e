"""Benchmark your own model: a function from a picture and an instruction to a picture.

    python examples/own_model.py

Needs no key; weights (64 MB) are downloaded once. Results and the page are written to ./own_model_results.
"""

from __future__ import annotations

from PIL import Image

import convergebench


def edit(image: Image.Image, instruction: str, seed: int) -> Image.Image:
    """Call your model here. This stand-in ignores the instruction and halves the resolution for a moment."""
    small = image.resize((image.width // 2, image.height // 2), Image.Resampling.BICUBIC)
    return small.resize(image.size, Image.Resampling.BICUBIC)


def main() -> None:
    result = convergebench.run(
        {"mine": edit, "classical": "classical", "jpeg": "jpeg"},
        "converge-drawn",
        rounds=3,
        limit=2,
        metrics=["psnr", "ssim", "regions"],  # quick; leave it out for all metrics
        workspace="own_model_results",
    )
    print(result)
    print(result.compare("mine", "classical", "ssim"))
    print("Open", result.report()[-1])


if __name__ == "__main__":
    main()
