"""The three networks as ONNX graphs of a square picture, including the resize to their input size.

Pictures are resized as in the package's own program: bilinear, without antialiasing, aligned at the corner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from convergebench.metrics._onnx_graph import OnnxGraph, cached_graph, cpu_session
from convergebench.metrics.faces._stored_networks import DETECTOR, LANDMARKS, RECOGNITION

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays: TypeAlias = Mapping[str, NDArray[np.float32]]

DETECTOR_SIDE = 512
LANDMARK_SIDE = 112
RECOGNITION_SIDE = 150
_MEAN_LEVELS = (122.782, 117.001, 104.298)
_BATCH_NORM_EPSILON = 1e-3
_HALVING_LAYERS = (2, 4, 6, 12)
_GRAPH_VERSION = 1


def detector_session() -> Any:
    """From a picture: 5118 boxes, as top, left, bottom and right from 0 to 1, and their scores."""
    return cpu_session(cached_graph("face_detector", _GRAPH_VERSION, DETECTOR.numbers, _detector))


def landmark_session() -> Any:
    """From a face: 68 landmarks, alternating x and y, from 0 to 1."""
    return cpu_session(cached_graph("face_landmarks", _GRAPH_VERSION, LANDMARKS.numbers, _landmarks))


def recognition_session() -> Any:
    """From a face: 128 numbers."""
    return cpu_session(cached_graph("face_recognition", _GRAPH_VERSION, RECOGNITION.numbers, _recognition))


def _resized_levels(graph: OnnxGraph, side: int) -> str:
    from onnx import TensorProto

    levels = graph.add("Cast", "pictures", to=TensorProto.FLOAT)
    levels = graph.add("Transpose", levels, perm=[0, 3, 1, 2])
    size = np.array([1, 3, side, side], np.int64)
    return graph.add(
        "Resize", levels, "", "", size, mode="linear", coordinate_transformation_mode="asymmetric"
    )


def _centred_levels(graph: OnnxGraph, side: int) -> str:
    means = np.array(_MEAN_LEVELS, np.float32).reshape(1, 3, 1, 1)
    centred = graph.add("Sub", _resized_levels(graph, side), means)
    return graph.add("Div", centred, np.array(255, np.float32))


def _convolved(
    graph: OnnxGraph,
    value: str,
    kernel: NDArray[np.float32],
    bias: NDArray[np.float32],
    stride: int = 1,
    padding: str = "SAME_UPPER",
) -> str:
    """Convolution with a kernel in TensorFlow's order: height, width, input, output."""
    kernel = np.ascontiguousarray(kernel.transpose(3, 2, 0, 1))
    return graph.add("Conv", value, kernel, bias, strides=[stride] * 2, auto_pad=padding)


def _convolved_by_channel(
    graph: OnnxGraph, value: str, kernel: NDArray[np.float32], bias: NDArray[np.float32], stride: int
) -> str:
    channels = kernel.shape[2]
    kernel = np.ascontiguousarray(kernel.transpose(2, 3, 0, 1))
    return graph.add("Conv", value, kernel, bias, strides=[stride] * 2, auto_pad="SAME_UPPER", group=channels)


def _detector() -> bytes:
    """A single-shot detector on MobileNet v1."""
    arrays = DETECTOR.arrays()
    graph = OnnxGraph()
    value = graph.add("Div", _resized_levels(graph, DETECTOR_SIDE), np.array(127.5, np.float32))
    value = graph.add("Sub", value, np.array(1, np.float32))
    value = _pointwise(graph, value, arrays, "MobilenetV1/Conv2d_0", 2)
    maps = []
    for layer in range(1, 14):
        value = _depthwise(graph, value, arrays, layer)
        value = _pointwise(graph, value, arrays, f"MobilenetV1/Conv2d_{layer}", 1)
        if layer in (11, 13):
            maps.append(value)
    for layer in range(8):
        value = _pointwise(graph, value, arrays, f"Prediction/Conv2d_{layer}", 1 + layer % 2)
        if layer % 2:
            maps.append(value)
    predicted = [_predicted(graph, value, arrays, number) for number, value in enumerate(maps)]
    encodings, classes = (graph.add("Concat", *each, axis=0) for each in zip(*predicted, strict=True))
    boxes = _decoded(graph, encodings, arrays["Output/extra_dim"][0])
    scores = graph.add("Sigmoid", graph.add("Gather", classes, np.array(1), axis=1))
    return graph.serialised("face_detector", {"pictures": [1, None, None, 3]}, {boxes: 2, scores: 1})


def _pointwise(graph: OnnxGraph, value: str, arrays: Arrays, layer: str, stride: int) -> str:
    kernel = arrays[f"{layer}_pointwise/weights"]
    bias = arrays[f"{layer}_pointwise/convolution_bn_offset"]
    return _up_to_six(graph, _convolved(graph, value, kernel, bias, stride))


def _depthwise(graph: OnnxGraph, value: str, arrays: Arrays, layer: int) -> str:
    """With the batch normalisation folded into the convolution."""
    name = f"MobilenetV1/Conv2d_{layer}_depthwise"
    gamma, beta, mean, variance = (
        arrays[f"{name}/BatchNorm/{each}"] for each in ("gamma", "beta", "moving_mean", "moving_variance")
    )
    gain = gamma / np.sqrt(variance + np.float32(_BATCH_NORM_EPSILON))
    kernel = arrays[f"{name}/depthwise_weights"] * gain[:, None]
    stride = 2 if layer in _HALVING_LAYERS else 1
    return _up_to_six(graph, _convolved_by_channel(graph, value, kernel, beta - mean * gain, stride))


def _up_to_six(graph: OnnxGraph, value: str) -> str:
    return graph.add("Clip", value, np.array(0, np.float32), np.array(6, np.float32))


def _predicted(graph: OnnxGraph, value: str, arrays: Arrays, number: int) -> tuple[str, str]:
    """Rows of four numbers that encode a box, and of three for its class, by position."""
    rows = []
    for kind, columns in (("BoxEncodingPredictor", 4), ("ClassPredictor", 3)):
        name = f"Prediction/BoxPredictor_{number}/{kind}"
        found = _convolved(graph, value, arrays[f"{name}/weights"], arrays[f"{name}/biases"])
        found = graph.add("Transpose", found, perm=[0, 2, 3, 1])
        rows.append(graph.add("Reshape", found, np.array([-1, columns])))
    return rows[0], rows[1]


def _decoded(graph: OnnxGraph, encodings: str, anchors: NDArray[np.float32]) -> str:
    """Decode boxes: offsets are tenths of the anchor's size, scales are fifths of a logarithm."""
    sizes = anchors[:, 2:] - anchors[:, :2]
    centres = anchors[:, :2] + sizes / 2
    move = graph.add("Gather", encodings, np.array([0, 1]), axis=1)
    scale = graph.add("Gather", encodings, np.array([2, 3]), axis=1)
    centre = graph.add("Add", graph.add("Mul", move, sizes / 10), centres)
    half = graph.add("Exp", graph.add("Div", scale, np.array(5, np.float32)))
    half = graph.add("Mul", half, sizes / 2)
    return graph.add("Concat", graph.add("Sub", centre, half), graph.add("Add", centre, half), axis=1)


def _landmarks() -> bytes:
    """Four dense blocks of separable convolutions."""
    arrays = LANDMARKS.arrays()
    graph = OnnxGraph()
    value = _centred_levels(graph, LANDMARK_SIDE)
    for block in ("dense0", "dense1", "dense2", "dense3"):
        if f"{block}/conv0/filters" in arrays:
            kernel, bias = arrays[f"{block}/conv0/filters"], arrays[f"{block}/conv0/bias"]
            value = graph.add("Relu", _convolved(graph, value, kernel, bias, 2))
        else:
            value = graph.add("Relu", _separable(graph, value, arrays, f"{block}/conv0", 2))
        total = value
        for layer in ("conv1", "conv2", "conv3"):
            total = graph.add("Add", total, _separable(graph, value, arrays, f"{block}/{layer}", 1))
            value = graph.add("Relu", total)
    pooled = graph.add("ReduceMean", value, axes=[2, 3], keepdims=0)
    places = graph.add("Gemm", pooled, arrays["fc/weights"], arrays["fc/bias"])
    return graph.serialised("face_landmarks", {"pictures": [1, None, None, 3]}, {places: 2})


def _separable(graph: OnnxGraph, value: str, arrays: Arrays, layer: str, stride: int) -> str:
    kernel = arrays[f"{layer}/depthwise_filter"]
    value = _convolved_by_channel(graph, value, kernel, np.zeros(kernel.shape[2], np.float32), stride)
    return _convolved(graph, value, arrays[f"{layer}/pointwise_filter"], arrays[f"{layer}/bias"])


def _recognition() -> bytes:
    """dlib's residual network."""
    arrays = RECOGNITION.arrays()
    graph = OnnxGraph()
    value = _centred_levels(graph, RECOGNITION_SIDE)
    value = graph.add("Relu", _scaled(graph, value, arrays, "conv32_down", 2))
    value = graph.add("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2])
    side = ((RECOGNITION_SIDE - 7) // 2 + 1 - 3) // 2 + 1
    for channels, count in ((32, 3), (64, 3), (128, 2), (256, 2)):
        if channels > 32:
            value, side = _halved(graph, value, arrays, f"conv{channels}_down", side)
        for number in range(1, count + 1):
            layer = f"conv{channels}_{number}"
            inner = graph.add("Relu", _scaled(graph, value, arrays, f"{layer}/conv1"))
            inner = _scaled(graph, inner, arrays, f"{layer}/conv2")
            value = graph.add("Relu", graph.add("Add", inner, value))
    value, _ = _halved(graph, value, arrays, "conv256_down_out", side)
    mean = graph.add("ReduceMean", value, axes=[2, 3], keepdims=0)
    descriptor = graph.add("MatMul", mean, arrays["fc"])
    return graph.serialised("face_recognition", {"pictures": [1, None, None, 3]}, {descriptor: 2})


def _scaled(graph: OnnxGraph, value: str, arrays: Arrays, layer: str, stride: int = 1) -> str:
    """With the scale and shift after the convolution folded into it."""
    gain, shift = arrays[f"{layer}/scale/weights"], arrays[f"{layer}/scale/biases"]
    kernel, bias = arrays[f"{layer}/conv/filters"] * gain, arrays[f"{layer}/conv/bias"] * gain + shift
    return _convolved(graph, value, kernel, bias, stride, "VALID" if stride > 1 else "SAME_UPPER")


def _halved(graph: OnnxGraph, value: str, arrays: Arrays, layer: str, side: int) -> tuple[str, int]:
    """A residual at half the side, added to the average-pooled input; the smaller one is padded with
    zeros."""
    inner = graph.add("Relu", _scaled(graph, value, arrays, f"{layer}/conv1", 2))
    inner = _scaled(graph, inner, arrays, f"{layer}/conv2")
    pooled = graph.add("AveragePool", value, kernel_shape=[2, 2], strides=[2, 2])
    if rows := side // 2 - ((side - 3) // 2 + 1):
        inner = graph.add("Pad", inner, np.array([0, 0, 0, 0, 0, 0, rows, rows]))
    _, _, channels_in, channels_out = arrays[f"{layer}/conv1/conv/filters"].shape
    if channels := channels_out - channels_in:
        pooled = graph.add("Pad", pooled, np.array([0, 0, 0, 0, 0, channels, 0, 0]))
    return graph.add("Relu", graph.add("Add", pooled, inner)), side // 2
