"""Faces: detection, and identification by descriptors.

The weights come from the npm package @vladmandic/face-api (MIT). Boxes and descriptors equal those of the
package's own program.
"""

from __future__ import annotations

from convergebench.metrics.faces._stored_networks import WEIGHT_FILES
from convergebench.metrics.faces.descriptor import FaceDescriber
from convergebench.metrics.faces.detector import FaceBox, FaceDetector, has_face

SAME_PERSON = 0.6
"""Faces with a smaller distance of descriptors usually belong to the same person (dlib)."""

__all__ = ["SAME_PERSON", "WEIGHT_FILES", "FaceBox", "FaceDescriber", "FaceDetector", "has_face"]
