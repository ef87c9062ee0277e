"""Two networks of PaddleOCR, as ONNX graphs in the PyPI package rapidocr, which nothing here imports."""

from __future__ import annotations

from convergebench.packaged_files import PackagedFile

PULL = "weights pull text"

LINE_DETECTOR = PackagedFile(
    "rapidocr==3.10.0",
    "rapidocr/models/PP-OCRv6_det_small.onnx",
    "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
)
LINE_READER = PackagedFile(
    "rapidocr==3.10.0",
    "rapidocr/models/PP-OCRv6_rec_small.onnx",
    "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
)
WEIGHT_FILES = (LINE_DETECTOR, LINE_READER)
