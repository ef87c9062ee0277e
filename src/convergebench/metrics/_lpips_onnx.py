"""LPIPS features on the CPU: the network as an ONNX graph, built once and kept in the cache."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench.metrics._lpips_network import (
    EPSILON,
    LAYERS,
    SCALE,
    SHIFT,
    WEIGHT_FILES,
    Backbone,
    Convolution,
    LpipsWeights,
    Pooling,
    read_weights,
)
from convergebench.packaged_files import cache_folder
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GRAPH_VERSION = 1
_OPSET = 17
_IR_VERSION = 8


class OnnxFeatures:
    """Pictures of one size to their features, tap by tap."""

    def __init__(self, backbone: Backbone) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # Waiting threads would burn the time of the editors that run beside them.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            _graph_file(backbone), options, providers=["CPUExecutionProvider"]
        )

    def of(self, pictures: Sequence[Pixels]) -> list[tuple[NDArray[np.float32], ...]]:
        taps = self._session.run(None, {"pictures": np.stack(pictures)})
        return list(zip(*taps, strict=True))

    def distance(self, one: Sequence[NDArray[np.float32]], other: Sequence[NDArray[np.float32]]) -> float:
        """The sum over the taps of the mean squared difference, which is LPIPS."""
        differences = (np.subtract(a, b).ravel() for a, b in zip(one, other, strict=True))
        return float(sum(np.dot(each, each) / each.size for each in differences))


def _graph_file(backbone: Backbone) -> Path:
    digest = WEIGHT_FILES[backbone].sha256[:16]
    path = cache_folder() / "graphs" / f"lpips_{backbone}-{_GRAPH_VERSION}-{digest}.onnx"
    if not path.is_file():
        content = _model(backbone, read_weights(backbone)).SerializeToString()
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(content)
        Path(part.name).replace(path)
    return path


def _model(backbone: Backbone, weights: LpipsWeights) -> Any:
    from onnx import TensorProto, helper

    graph = _Graph()
    value = _normalised(graph)
    taps = []
    convolutions = iter(zip(weights.kernels, weights.biases, strict=True))
    gains = iter(weights.gains)
    for layer in LAYERS[backbone]:
        if isinstance(layer, Convolution):
            kernel, bias = next(convolutions)
            value = graph.add(
                "Conv", value, kernel, bias, strides=[layer.stride] * 2, pads=[layer.padding] * 4
            )
            value = graph.add("Relu", value)
        elif isinstance(layer, Pooling):
            value = graph.add("MaxPool", value, kernel_shape=[layer.side] * 2, strides=[layer.stride] * 2)
        else:
            taps.append(_tap(graph, value, next(gains)))
    outputs = [helper.make_tensor_value_info(tap, TensorProto.FLOAT, [None] * 4) for tap in taps]
    pictures = helper.make_tensor_value_info("pictures", TensorProto.UINT8, [None, None, None, 3])
    made = helper.make_graph(graph.nodes, f"lpips_{backbone}", [pictures], outputs, graph.constants)
    opset = helper.make_opsetid("", _OPSET)
    return helper.make_model(made, opset_imports=[opset], ir_version=_IR_VERSION)


class _Graph:
    """Nodes in the order they are added; arrays among the inputs become constants."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operation: str, *inputs: str | NDArray[np.float32], **attributes: Any) -> str:
        from onnx import helper

        output = f"value{len(self.nodes)}"
        names = [one if isinstance(one, str) else self._constant(one) for one in inputs]
        self.nodes.append(helper.make_node(operation, names, [output], **attributes))
        return output

    def _constant(self, array: NDArray[np.float32]) -> str:
        from onnx import numpy_helper

        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name


def _normalised(graph: _Graph) -> str:
    from onnx import TensorProto

    shift, scale = (np.array(each).reshape(1, 3, 1, 1) for each in (SHIFT, SCALE))
    value = graph.add("Cast", "pictures", to=TensorProto.FLOAT)
    value = graph.add("Transpose", value, perm=[0, 3, 1, 2])
    value = graph.add("Mul", value, (2 / 255 / scale).astype(np.float32))
    return graph.add("Add", value, ((-1 - shift) / scale).astype(np.float32))


def _tap(graph: _Graph, value: str, gain: NDArray[np.float32]) -> str:
    length = graph.add("ReduceL2", value, axes=[1], keepdims=1)
    length = graph.add("Add", length, np.array(EPSILON, np.float32))
    unit = graph.add("Div", value, length)
    return graph.add("Mul", unit, gain.reshape(1, -1, 1, 1))
