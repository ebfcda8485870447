"""Local arrays: stack slots, which LLVM turns into registers where every index becomes a constant."""

from __future__ import annotations

import math

from ..ir.nodes import Buffer, Const
from .text import Function, literal

_STRAIGHT = 64  # elements that are filled without a loop


def emit_buffer(buffer: Buffer, f: Function) -> str:
    """Make room for a local array, fill it, and return its address."""
    type_ = buffer.element.llvm
    size = math.prod(int(d.upper.value) for d in buffer.dims if isinstance(d.upper, Const))
    address = f.alloca(f"[{size} x {type_}]", buffer.name)
    if buffer.fill is None:
        return address
    value = literal(buffer.fill.value, buffer.element)

    def store(index: str) -> None:
        f.emit(f"store {type_} {value}, ptr {f.value(f'getelementptr inbounds {type_}, ptr {address}, i64 {index}')}")

    if size <= _STRAIGHT:
        for index in range(size):
            store(str(index))
        return address
    counter, head, end = f.alloca("i64", "filled"), f.name("fill"), f.name("full")
    f.emit(f"store i64 0, ptr {counter}")
    f.block(head)
    current = f.value(f"load i64, ptr {counter}")
    store(current)
    following = f.value(f"add nuw i64 {current}, 1")
    f.emit(f"store i64 {following}, ptr {counter}")
    f.branch(f.value(f"icmp ult i64 {following}, {size}"), head, end)
    f.block(end)
    return address
