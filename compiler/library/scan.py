"""Prefix sums: what a thread stores is the sum of the values of the threads before it, and of its own."""

from typing import Any

from ..decorators import Kernel, kernel
from ..frontend.language import Out, Overloads, Ref, f32, f64, i32, i64, parallel, sum_before, sum_upto

_TYPES = (f64, f32, i64, i32)


def _exclusive(T: Any) -> Kernel:
    @kernel
    def exclusive_scan(y: Out[T, "n"], x: Ref[T, "n"]):
        for i in parallel(n):
            y[i] = sum_before(T(x[i]))  # a function keeps the names that its body reads

    return exclusive_scan


def _inclusive(T: Any) -> Kernel:
    @kernel
    def inclusive_scan(y: Out[T, "n"], x: Ref[T, "n"]):
        for i in parallel(n):
            y[i] = sum_upto(T(x[i]))

    return inclusive_scan


exclusive_scan: Any = Overloads("exclusive_scan", {T.name: _exclusive(T) for T in _TYPES})
"""`exclusive_scan(y, x)`: y[i] = x[0] + ... + x[i - 1]."""

inclusive_scan: Any = Overloads("inclusive_scan", {T.name: _inclusive(T) for T in _TYPES})
"""`inclusive_scan(y, x)`: y[i] = x[0] + ... + x[i]."""
