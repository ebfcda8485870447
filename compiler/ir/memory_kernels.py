"""Kernels that no user writes: what the `fill` and `get` of a program are where no kernel of the user's does them."""

from __future__ import annotations

from dataclasses import replace

from .nodes import Access, Array, Const, Dimension, Kernel, Parallel, Range, Read, Reducer, Store, Variable
from .nodes import VariableKind as Kind
from .operations import REDUCTIONS
from .source import Source, Span
from .types import I64, Scalar


def fill_kernel(element: Scalar, source: Source, span: Span) -> Kernel:
    """Return `fill(x: Out[element, "n"], value)`, which stores a value into every element."""
    zero, n = Const(0, I64, span), Variable("n", I64, Kind.EXTENT, span)
    value, i = Variable("value", element, Kind.SCALAR, span), Variable("i", I64, Kind.THREAD, span)
    x = Array("x", Access.OUT, element, (Dimension(zero, Read(n, span), "n"),), span)
    store = Store(x, (Read(i, span),), Read(value, span), span, span)
    body = Parallel((i,), (Range(zero, Read(n, span)),), (store,), span)
    return Kernel("fill", (x, value), (n,), (), body, source, span)


def get_kernel(target: Array | Reducer, source: Source, span: Span) -> Kernel:
    """Return a kernel whose one reducer receives nothing: the result is what its buffer held, and goes to the host.

    For an element of an array the reducer is a maximum, which keeps every bit: a sum with 0.0 would turn -0.0 over.
    """
    plain = target if isinstance(target, Reducer) else Reducer("x", REDUCTIONS["Max"], target.element, span)
    reducer = replace(plain, name="x", span=span, dims=())
    zero, i = Const(0, I64, span), Variable("i", I64, Kind.THREAD, span)
    body = Parallel((i,), (Range(zero, zero),), (), span)
    return Kernel("get", (reducer,), (), (), body, source, span)
