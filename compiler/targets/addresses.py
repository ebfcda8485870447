"""Where an element lies: base addresses and offsets as LLVM IR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ir import operations as ops
from ..ir.nodes import (
    Access,
    Array,
    Binary,
    Cast,
    Const,
    Constants,
    Dimension,
    Expr,
    Kernel,
    Read,
    Storage,
    Unary,
)
from ..ir.types import I32
from .environment import Environment, as_value
from .patterns import is_zero
from .tables import emit_table
from .text import Function, Module, literal


@dataclass(slots=True)
class Addresses:
    """Emits the addresses of elements into one function.

    Attributes
    ----------
    value : callable
        Emits an expression and returns its operand.
    """

    kernel: Kernel
    env: Environment
    f: Function
    module: Module
    value: Callable[[Expr], str]

    def address(self, array: Storage, index: tuple[Expr, ...]) -> str:
        """Emit the address of an element."""
        base, dims = self._base(array, index), array.dims
        if isinstance(array, Array) and array.members:
            index, dims = index[1:], dims[1:]
        order = array.order if isinstance(array, Array) and array.order else range(len(dims))
        places = [(index[d], dims[d]) for d in order]
        offset = self._linear(places) if self.env.narrow is None else self._linear_narrow(places)
        return self.f.value(f"getelementptr inbounds {array.element.stored}, ptr {base}, i64 {offset}", "p")

    def _base(self, array: Storage, index: tuple[Expr, ...]) -> str:
        """Return where an array, or the member of a pack, starts."""
        f = self.f
        if isinstance(array, Constants):
            return emit_table(array, self.kernel, self.module, is_gpu=self.env.is_gpu)
        pointer = self.env.pointers[array]
        if not isinstance(array, Array) or not array.members:
            return pointer
        entry = f.value(f"getelementptr inbounds ptr, ptr {pointer}, i64 {self.value(index[0])}", "member")
        base = f.value(f"load ptr, ptr {entry}, !invariant.load {self.module.node()}", array.name)
        if not self.env.is_gpu:
            return base
        # An address out of memory may be of any space, until it is said that it is global.
        return f.value(
            f"addrspacecast ptr addrspace(1) {f.value(f'addrspacecast ptr {base} to ptr addrspace(1)')} to ptr"
        )

    def load(self, array: Storage, index: tuple[Expr, ...]) -> str:
        """Emit a load; memory that nothing writes during a launch, and no attribute speaks of, is said to be so."""
        is_pack = isinstance(array, Array) and array.members > 0
        constant = is_pack and self.env.is_gpu and array.access is Access.REF
        hint = f", !invariant.load {self.module.node()}" if constant else ""
        value = self.f.value(f"load {array.element.stored}, ptr {self.address(array, index)}{hint}", array.name)
        return as_value(value, array.element, self.f)

    def _linear(self, places: Sequence[tuple[Expr, Dimension]]) -> str:
        """Offset of an index, its dims from the slowest on.

        Intermediate sums may wrap; the final value is proved to lie in the array.
        """
        return self._horner(places, self.value, "i64")

    def _linear_narrow(self, places: Sequence[tuple[Expr, Dimension]]) -> str:
        return self.f.value(f"zext nneg i32 {self._horner(places, self._narrow, 'i32')} to i64")

    def _horner(self, places: Sequence[tuple[Expr, Dimension]], emit: Callable[[Expr], str], width: str) -> str:
        f, offset = self.f, ""
        for position, (expr, dim) in enumerate(places):
            here = emit(expr)
            if not is_zero(dim.lower):
                here = f.value(f"sub {width} {here}, {emit(dim.lower)}")
            if position == 0:
                offset = here
                continue
            extent = emit(dim.upper)
            if not is_zero(dim.lower):
                extent = f.value(f"sub {width} {extent}, {emit(dim.lower)}")
            offset = f.value(f"add {width} {f.value(f'mul {width} {offset}, {extent}')}, {here}")
        return offset

    def _narrow(self, e: Expr) -> str:
        """Return an i64 index expression modulo 2^32."""
        narrow = self.env.narrow
        assert narrow is not None
        match e:
            case Const(value=value):
                return literal(int(value), I32)
            case Read(variable=variable) if variable in narrow:
                return narrow[variable]
            case Unary(operation=ops.NEG, operand=operand):
                return self.f.value(f"sub i32 0, {self._narrow(operand)}")
            case Binary(operation=ops.ADD | ops.SUB | ops.MUL as operation, left=left, right=right):
                a, b = self._narrow(left), self._narrow(right)
                return self.f.value(f"{operation.name} i32 {a}, {b}")
            case Cast(operand=operand) if operand.type.is_integer and operand.type.bits == 32:
                return self.value(operand)
        return self.f.value(f"trunc i64 {self.value(e)} to i32")
