"""The rendered pictures: files of this package, so that they need no network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.errors import BadPicture
from convergebench.types import Digest

if TYPE_CHECKING:
    from convergebench.types import Pixels


@dataclass(frozen=True)
class Rendering:
    id: str
    kind: str
    description: str
    path: Path
    sha256: Digest

    def pixels(self) -> Pixels:
        """The content of the file, if it is the expected file."""
        from convergebench.picture import Picture

        picture = Picture.from_file(self.path)
        if picture.digest != self.sha256:
            raise BadPicture(
                f"{self.path} is not the file that came with this program; install convergebench again."
            )
        return picture.pixels
