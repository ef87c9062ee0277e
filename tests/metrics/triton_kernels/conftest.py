"""Runs kernels for GPUs in Triton's interpreter, on the processor.

Triton reads TRITON_INTERPRET when it is imported, so these tests have a process of their own
(`tests/metrics/test_triton_kernels.py`), and are passed over in others.
"""

from __future__ import annotations

import dataclasses
import os
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, TypeVar

import numpy as np
import pytest

collect_ignore_glob = [] if os.environ.get("TRITON_INTERPRET") == "1" else ["*.py"]
GPU = "convergebench.metrics._gpu"
FAR = 2**24
"""Pictures before one that is far back: with some hundred numbers each, more than 32 bits can count."""
Answer = TypeVar("Answer")
ByKernels = Callable[[Callable[[], Answer]], Answer]


class Memory:
    """Where the tensors of a launch lie. A pointer elsewhere fails, where a GPU would read or write what
    happens to be there."""

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []
        self.pictures_before = 0
        """As if the first picture of a batch came so far behind its start."""

    def take(self, *arguments: Any, **named: Any) -> None:
        """The tensors of the next launch."""
        tensors = [each for each in (*arguments, *named.values()) if hasattr(each, "data_ptr")]
        self.spans = [_span(tensor) for tensor in tensors]

    def find(self, pointers: Any, mask: Any, size: int) -> Any:
        """The pointers, into the tensors that are there, of as many bytes each."""
        chosen = pointers[mask.astype(bool)]
        if not chosen.size:
            return pointers
        low, high = int(chosen.min()), int(chosen.max()) + size
        for start, end in self.spans:
            if start <= low and high <= end:
                return pointers
            behind = self.pictures_before * (end - start)
            if start + behind <= low and high <= end + behind:
                return pointers - np.uint64(behind)
        raise AssertionError("a kernel reads or writes beyond its tensors")


def _span(tensor: Any) -> tuple[int, int]:
    reach = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + (reach + 1) * tensor.element_size()


@pytest.fixture(scope="session")
def kernels() -> dict[str, ModuleType]:
    """By name, without `_kernel`."""
    names = [each.name for each in pkgutil.iter_modules(import_module(GPU).__path__)]
    return {
        name.removesuffix("_kernel"): import_module(f"{GPU}.{name}")
        for name in names
        if name.endswith("_kernel")
    }


@pytest.fixture(scope="session")
def memory(kernels: dict[str, ModuleType]) -> Memory:
    """Every access of every kernel goes through this."""
    from triton.runtime import interpreter

    memory, builder = Memory(), interpreter.interpreter_builder
    # Without its checks of overflows, which report nothing unless asked to, it is four times as fast.
    builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)
    load, store, update = builder.create_masked_load, builder.create_masked_store, builder.create_atomic_rmw

    def at(pointers: Any, mask: Any) -> Any:
        size = pointers.get_element_ty().primitive_bitwidth // 8
        found = memory.find(pointers.data, mask.data, max(1, size))
        return interpreter.TensorHandle(found, pointers.dtype)

    builder.create_masked_load = lambda pointers, mask, *rest: load(at(pointers, mask), mask, *rest)
    builder.create_masked_store = lambda to, value, mask, *rest: store(at(to, mask), value, mask, *rest)
    builder.create_atomic_rmw = lambda kind, to, value, mask, *rest: update(
        kind, at(to, mask), value, mask, *rest
    )
    for module in kernels.values():
        for value in vars(module).values():
            if isinstance(value, interpreter.InterpretedFunction):
                value.add_pre_run_hook(memory.take)
    kernels["colour"].libdevice = _libdevice()  # type: ignore[attr-defined]
    return memory


def _libdevice() -> SimpleNamespace:
    """NVIDIA's functions, which the interpreter does not know, from NumPy."""
    import triton.language as tl
    from triton.runtime.interpreter import TensorHandle

    def of(function: Callable[..., Any]) -> Callable[..., Any]:
        def computed(*values: Any) -> Any:
            found = function(*(value.handle.data for value in values))
            return tl.tensor(TensorHandle(found, values[0].dtype), values[0].type)

        return computed

    return SimpleNamespace(cbrt=of(np.cbrt), atan2=of(np.arctan2), sin=of(np.sin))


@pytest.fixture(scope="session")
def pictures() -> Callable[..., Any]:
    """Random ones, N × height × width × 3."""
    import torch

    def make(*shape: int, seed: int = 0) -> torch.Tensor:
        return torch.from_numpy(np.random.default_rng(seed).integers(0, 256, (*shape, 3), dtype=np.uint8))

    return make


@pytest.fixture
def by_kernels(memory: Memory) -> Iterator[ByKernels[Any]]:
    """Calls what it is given with kernels wherever the device has them; memory that they leave unwritten is
    not a number."""
    import torch

    names = [each.name for each in pkgutil.iter_modules(import_module(GPU).__path__)]
    modules = [import_module(f"{GPU}.{name}") for name in names if not name.endswith("_kernel")]
    callers = [module for module in modules if hasattr(module, "has_kernels")]

    def call(wanted: Callable[[], Answer]) -> Answer:
        with pytest.MonkeyPatch.context() as patch:
            for module in callers:
                patch.setattr(module, "has_kernels", lambda tensor: True)
            return wanted()

    torch.use_deterministic_algorithms(True)
    assert torch.utils.deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    with torch.inference_mode():
        yield call
    torch.use_deterministic_algorithms(False)


@pytest.fixture
def far_back(memory: Memory) -> Callable[[int], AbstractContextManager[None]]:
    """Puts the picture of a launch, by the axis that numbers it, where 32 bits do not reach, as the last one
    of a large batch."""
    from triton.runtime.interpreter import TensorHandle, interpreter_builder

    @contextmanager
    def placed(axis: int) -> Iterator[None]:
        number_of = interpreter_builder.create_get_program_id

        def moved(asked: int) -> Any:
            found = number_of(asked)
            return TensorHandle(found.data + np.int32(FAR), found.dtype) if asked == axis else found

        memory.pictures_before = FAR
        interpreter_builder.create_get_program_id = moved
        try:
            yield
        finally:
            memory.pictures_before = 0
            interpreter_builder.create_get_program_id = number_of

    return placed
