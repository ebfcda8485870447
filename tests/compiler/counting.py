"""What one repetition does, counted while the interpreter runs the typed IR: elements of each launch, operations.

An element counts once a launch, however many threads touch it. Memory of the kernel's own, tables and constants do not
count. Operations are those on floating-point numbers: arithmetic, a function as one, `fma` as two, the contribution to
a sum; not those that only choose, such as `abs` and `min`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel, Program
from kparity.compiler.ir import nodes
from kparity.compiler.ir import operations as ops
from kparity.compiler.ir.nodes import Access, Array, AtomicUpdate, Binary, Call, Contribute, Load, Reducer, Store

from . import interpreter

ARITHMETIC = (ops.ADD, ops.SUB, ops.MUL, ops.DIV)
CHOOSING = ("abs", "min", "max", "copysign", "floor", "ceil", "trunc")


@dataclass
class Count:
    """Bytes of distinct elements, summed over launches, and operations."""

    bytes_read: int = 0
    bytes_written: int = 0
    bytes_atomic: int = 0
    flops: int = 0
    _touched: dict[str, set[tuple[int, int]]] = field(default_factory=dict)

    def touch(self, how: str, buffer: np.ndarray[Any, Any], place: tuple[int, ...]) -> None:
        """Note an access to an element."""
        at = buffer.__array_interface__["data"][0] + sum(i * s for i, s in zip(place, buffer.strides, strict=True))
        self._touched.setdefault(how, set()).add((at, buffer.itemsize))

    def settle(self) -> None:
        """End a launch."""
        for how, elements in self._touched.items():
            setattr(self, how, getattr(self, how) + sum(size for _, size in elements))
        self._touched.clear()


def counted(program: Kernel | Program, arguments: Mapping[str, Any]) -> Count:
    """Return what the first repetition does."""
    count = Count()

    class Counting(interpreter._Thread):
        def element(self, array: Any, index: Any) -> Any:
            self.last = super().element(array, index)
            if isinstance(array, Reducer) or (isinstance(array, Array) and array.access is Access.ATOMIC):
                count.touch("bytes_atomic", *self.last)
            return self.last

        def value(self, e: Any) -> Any:
            value = super().value(e)
            match e:
                case Load(array=Array() as array) if not array.is_table:
                    count.touch("bytes_read", *self.last)
                case AtomicUpdate(operation=operation, type=type_):
                    count.flops += type_.is_float and operation.name == "add"
                case Binary(operation=operation, type=type_):
                    count.flops += type_.is_float and operation in ARITHMETIC
                case Call(function=function, type=type_) if function.name not in CHOOSING:
                    count.flops += (2 if function.name == "fma" else 1) * type_.is_float
            return value

        def step(self, statement: Any) -> None:
            super().step(statement)
            match statement:
                case Store(array=Array() as array, order=order):
                    count.touch("bytes_written", *self.last)
                    count.flops += array.element.is_float and order in (nodes.Order.BEFORE, nodes.Order.UPTO)
                case Contribute(reducer=reducer):
                    count.flops += reducer.element.is_float and reducer.reduction.name == "Sum"

        def each(self, group: nodes.Parallel | nodes.Teams | nodes.Phase) -> None:
            super().each(group)
            if not isinstance(group, nodes.Phase):
                count.settle()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interpreter, "_Thread", Counting)
        interpreter.interpret(program, arguments)
    return count
