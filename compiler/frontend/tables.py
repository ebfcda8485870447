"""Tables of the enclosing module: tuples, lists and NumPy arrays of numbers that a kernel indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.nodes import Const, Constants, Expr, Lengths, Read
from ..ir.source import Span
from ..ir.storage import MOST_DIMS
from ..ir.types import BOOL, SCALARS
from .dims import constant_dim
from .faults import Faults

LARGEST = 16384  # bytes
_SCALARS = {
    np.dtype("bool"): BOOL,
    **{np.dtype(f"{n[0]}{int(n[1:]) // 8}"): s for n, s in SCALARS.items() if s is not BOOL},
}


def is_table(value: object) -> bool:
    """Whether an object of the enclosing module may be a table."""
    return isinstance(value, (tuple, list, np.ndarray))


def table_of(name: str, value: Any, span: Span, faults: Faults) -> Constants:
    """Return a tuple, list or array as a table, or raise the fault that says why it is none."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.empty(0, object)
    element = _SCALARS.get(array.dtype)
    if element is None or not 1 <= array.ndim <= MOST_DIMS or not array.size:
        raise faults.unsupported_expression(
            f"`{name}`, which is no table of numbers,", span,
            f"a table of the enclosing module is a tuple or NumPy array of numbers, with 1 to {MOST_DIMS} dimensions",
        )  # fmt: skip
    if array.nbytes > LARGEST:
        raise faults.unsupported_expression(
            f"the table `{name}` of {array.nbytes} bytes", span,
            f"up to {LARGEST} bytes become part of the code; pass it as a `Ref`",
        )  # fmt: skip
    dims = tuple(constant_dim(size, span) for size in array.shape)
    return Constants(name, element, dims, tuple(array.ravel().tolist()), span)


def known_element(table: Constants | Lengths, index: Sequence[Expr], span: Span) -> Const | Read | None:
    """Return an element as a number or an extent, if its index is constant and inside."""
    place = 0
    for part, dim in zip(index, table.dims, strict=True):
        size = dim.upper.value if isinstance(dim.upper, Const) else 0
        if not isinstance(part, Const) or not 0 <= part.value < size:
            return None
        place = place * int(size) + int(part.value)
    if isinstance(table, Lengths):
        return Read(table.extents[place], span)
    return Const(table.values[place], table.element, span)
