"""What measures by region need of footprints; see footprints.c."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray


def enlarged(mask: NDArray[np.bool_], factor: int) -> NDArray[np.bool_]:
    """Each place of a mask as factor × factor places."""
    mask = np.ascontiguousarray(mask)
    height, width = mask.shape
    found = np.empty((height * factor, width * factor), np.bool_)
    _functions().enlarge_mask(address(mask), height, width, factor, address(found))
    return found


def trace_products(
    returned: Pixels,
    source: Pixels,
    forward: Pixels,
    input: Pixels,
    core: NDArray[np.bool_],
    edited: NDArray[np.bool_],
) -> tuple[float, float, float]:
    """Over the core: of what is left of an edit with the edit, of the edit with itself, and of what is left
    with itself.

    The edit is forward less input, what is left is returned less source, less the median of that outside the
    edited part.
    """
    arrays = [np.ascontiguousarray(each) for each in (returned, source, forward, input, core, edited)]
    height, width = core.shape
    assert all(each.shape[:2] == (height, width) for each in arrays)
    products = np.empty(3)
    addresses = [address(each) for each in arrays]
    _functions().trace_products(*addresses, height, width, address(products))
    common, of_edit, of_left = products.tolist()
    return common, of_edit, of_left


@cache
def _functions() -> Any:
    import ctypes

    library = kernels.loaded()
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    library.enlarge_mask.argtypes, library.enlarge_mask.restype = (pointer, size, size, size, pointer), None
    library.trace_products.argtypes, library.trace_products.restype = (
        (*[pointer] * 6, size, size, pointer),
        None,
    )
    return library
