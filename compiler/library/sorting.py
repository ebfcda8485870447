"""Sorting, by the library that the platform has for it: CUB on NVIDIA's GPUs, the C++ library on the CPU.

A kernel says what the library does, and is what the checks see: its borrows, its sizes. In place of its code the native
function of `sorting.cpp` is called, which sorts by the same order; values of equal keys may come in another one.
"""

from typing import Any

from ..decorators import Kernel, device, kernel
from ..frontend.language import Mut, Overloads, copysign, f32, f64, i32, i64, parallel, u32, u64

LIBRARY = "sorting"
_TYPES = (f64, f32, i64, i32, u64, u32)


def _order(T: Any) -> Any:
    """Return `precedes(a, b)`: numbers ascending, the zeros equal, NaNs at the end that their sign names."""

    @device
    def precedes(a: T, b: T):
        return T(a) < b

    @device
    def precedes_floats(a: T, b: T):
        side_a = T(0.0) if a == a else copysign(T(1.0), a)
        side_b = T(0.0) if b == b else copysign(T(1.0), b)
        return side_a < side_b or (side_a == side_b and a < b)

    return precedes_floats if T.name.startswith("f") else precedes


def _sort(T: Any) -> Kernel:
    precedes = _order(T)

    @kernel
    def sort(keys: Mut[T, "n"]):
        for _ in parallel(1):
            for i in range(1, n):
                for k in range(i):
                    key, other = T(keys[i - k]), T(keys[i - k - 1])  # a function keeps the names that its body reads
                    if not precedes(key, other):
                        break
                    keys[i - k], keys[i - k - 1] = other, key

    sort.library = LIBRARY
    return sort


def _sort_pairs(T: Any, V: Any) -> Kernel:
    precedes = _order(T)

    @kernel
    def sort_pairs(keys: Mut[T, "n"], values: Mut[V, "n"]):
        for _ in parallel(1):
            for i in range(1, n):
                for k in range(i):
                    key, other = T(keys[i - k]), T(keys[i - k - 1])  # a function keeps the names that its body reads
                    if not precedes(key, other):
                        break
                    keys[i - k], keys[i - k - 1] = other, key
                    values[i - k], values[i - k - 1] = V(values[i - k - 1]), V(values[i - k])

    sort_pairs.library = LIBRARY
    return sort_pairs


def _pairs_with(T: Any) -> Overloads:
    return Overloads("sort_pairs", {V.name: _sort_pairs(T, V) for V in _TYPES}, "second")


sort: Any = Overloads("sort", {T.name: _sort(T) for T in _TYPES})
"""`sort(keys)`: in ascending order; NaNs at the end that their sign names."""

sort_pairs: Any = Overloads("sort_pairs", {T.name: _pairs_with(T) for T in _TYPES})
"""`sort_pairs(keys, values)`: both in the order of the keys; values of equal keys come in any order."""
