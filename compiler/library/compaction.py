"""Ordered compaction: the indices of the items that are marked, in ascending order, at the front of a list."""

from typing import Any

from ..decorators import Kernel, kernel
from ..frontend.language import Overloads, Push, Ref, Sum, i32, i64, parallel


def _compaction(T: Any) -> Kernel:
    @kernel
    def compact(list: Push[T, "n"], length: Sum[T], marks: Ref[T, "n"]):
        for i in parallel(n):
            if marks[i] != 0:
                list.push(T(i))
                length += 1

    return compact


compact: Any = Overloads("compact", {T.name: _compaction(T) for T in (i32, i64)})
"""`compact(list, length, marks)`: the i with marks[i] != 0 to the front of `list`; `length` counts them."""
