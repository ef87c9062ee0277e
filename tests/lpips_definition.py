"""LPIPS by its definition, in torch, for tests of whatever measures with it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from convergebench.metrics import packaged_weights
from convergebench.types import Pixels
from late_import import functional, torch

NETWORKS = {
    # Kernel and stride of the pooling; stride and padding of each convolution, by tap.
    "alexnet.ckpt": ("AlexNet_0", (3, 2), [[(4, 2)], [(1, 2)], [(1, 1)], [(1, 1)], [(1, 1)]], 2),
    "vgg16.ckpt": ("VGG16_0", (2, 2), [[(1, 1)] * count for count in (2, 2, 3, 3, 3)], 4),
}


def by_definition(file: str, source: Pixels, result: Pixels) -> float:
    """LPIPS as its paper has it: weighted squared distance of unit features, averaged over places."""
    key, pooling, blocks, pools = NETWORKS[file]
    tree = read_checkpoint(next(each.path for each in packaged_weights() if each.member.endswith(file)))
    one, other = normalised(source), normalised(result)
    distance, number = 0.0, 0
    for tap, block in enumerate(blocks):
        if 1 <= tap <= pools:
            one, other = (functional.max_pool2d(each, *pooling) for each in (one, other))
        for stride, padding in block:
            layer = tree[key][f"Conv_{number}"]
            kernel, bias = (
                torch.from_numpy(layer["kernel"]).permute(3, 2, 0, 1),
                torch.from_numpy(layer["bias"]),
            )
            one, other = (
                functional.relu(functional.conv2d(each, kernel, bias, stride, padding))
                for each in (one, other)
            )
            number += 1
        head = torch.from_numpy(tree[f"NetLinLayer_{tap}"]["Conv_0"]["kernel"]).reshape(1, -1, 1, 1)
        squared = (unit(one) - unit(other)) ** 2
        distance += float((squared * head).sum(dim=1).mean())
    return distance


def read_checkpoint(path: Path) -> Any:
    return pickle.loads(path.read_bytes().replace(b"numpy.core.multiarray", b"numpy._core.multiarray"))


def normalised(pixels: Pixels) -> torch.Tensor:
    value = torch.from_numpy(pixels.astype(np.float32) / 127.5 - 1).permute(2, 0, 1)[None]
    shift, scale = torch.tensor([-0.030, -0.088, -0.188]), torch.tensor([0.458, 0.448, 0.450])
    return (value - shift.view(1, 3, 1, 1)) / scale.view(1, 3, 1, 1)


def unit(features: torch.Tensor) -> torch.Tensor:
    return features / (features.pow(2).sum(dim=1, keepdim=True).sqrt() + 1e-10)


def squared(pixels: Pixels) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(pixels).resize((256, 256), Image.Resampling.BILINEAR))
