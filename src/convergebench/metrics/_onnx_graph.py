"""Networks as ONNX graphs: built from weights once, stored in the cache, and run on the CPU."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench.atomic_files import replacing
from convergebench.packaged_files import PackagedFile, cache_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OPSET = 17
_IR_VERSION = 8


class OnnxGraph:
    """Nodes in the order they are added; arrays among the inputs become constants."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(self, operation: str, *inputs: str | NDArray[Any], **attributes: Any) -> str:
        from onnx import helper

        output = f"value{len(self._nodes)}"
        names = [one if isinstance(one, str) else self._constant(one) for one in inputs]
        self._nodes.append(helper.make_node(operation, names, [output], **attributes))
        return output

    def serialised(
        self, name: str, inputs: Mapping[str, Sequence[int | None]], outputs: Mapping[str, int]
    ) -> bytes:
        """The model: its inputs are levels of pictures with their shapes, its outputs have this number of
        axes."""
        from onnx import TensorProto, helper

        graph_inputs = [
            helper.make_tensor_value_info(one, TensorProto.UINT8, shape) for one, shape in inputs.items()
        ]
        graph_outputs = [
            helper.make_tensor_value_info(one, TensorProto.FLOAT, [None] * axes)
            for one, axes in outputs.items()
        ]
        graph = helper.make_graph(self._nodes, name, graph_inputs, graph_outputs, self._constants)
        opset = helper.make_opsetid("", _OPSET)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION)
        content: bytes = model.SerializeToString()
        return content

    def _constant(self, array: NDArray[Any]) -> str:
        from onnx import numpy_helper

        name = f"constant{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        return name


def normalised_levels(graph: OnnxGraph, pictures: str, mean: Sequence[float], scale: Sequence[float]) -> str:
    """N × height × width × 3 levels, as N × 3 × height × width of (level / 255 − mean) / scale."""
    from onnx import TensorProto

    shift, divisor = (np.array(each).reshape(1, 3, 1, 1) for each in (mean, scale))
    value = graph.add("Cast", pictures, to=TensorProto.FLOAT)
    value = graph.add("Transpose", value, perm=[0, 3, 1, 2])
    value = graph.add("Mul", value, (1 / 255 / divisor).astype(np.float32))
    return graph.add("Add", value, (-shift / divisor).astype(np.float32))


def cached_graph(name: str, version: int, weights: PackagedFile, build: Callable[[], bytes]) -> Path:
    """The file of this graph, built if it is not in the cache or is damaged; its name ends with the digest of
    its content. Increase `version` when `build` changes."""
    folder, stem = cache_folder() / "graphs", f"{name}-{version}-{weights.sha256[:16]}"
    for path in folder.glob(f"{stem}-*.onnx"):
        with suppress(FileNotFoundError):  # another process removed it as damaged
            if path.stem == f"{stem}-{_digest(path.read_bytes())}":
                return path
            path.unlink()
    content = build()
    path = folder / f"{stem}-{_digest(content)}.onnx"
    with replacing(path) as part:
        part.write_bytes(content)
    return path


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def cpu_session(graph: Path) -> Any:
    """ONNX Runtime on the CPU."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # Waiting threads would take processor time from the editors that run in parallel.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
