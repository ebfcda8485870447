"""Where an element lies: base addresses and offsets as LLVM IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard

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
    Indexed,
    Lengths,
    Load,
    Read,
    Storage,
    Unary,
)
from ..ir.types import I32
from .environment import as_value
from .patterns import is_zero
from .tables import emit_table
from .text import literal

if TYPE_CHECKING:
    from .body import BodyEmitter


class Addresses:
    """Emits the addresses of elements into the function of a body's emitter."""

    def __init__(self, body: BodyEmitter) -> None:
        self.body, self.env, self.f, self.module = body, body.env, body.f, body.module

    def address(self, array: Storage, index: tuple[Expr, ...], values: Mapping[int, str] | None = None) -> str:
        """Emit the address of an element; `values` has the operand of each index, by identity, if they are emitted."""
        known = dict(values or {})
        if isinstance(array, Array) and array.lengths is not None:  # computed once: the extent depends on it, too
            known.setdefault(id(index[0]), self.body.value(index[0]))

        def emit(e: Expr) -> str:
            if _is_length(e):
                return known.get(id(e)) or self.load(e.array, e.index, known)
            return known.get(id(e)) or self.body.value(e)

        def narrow(e: Expr) -> str:
            return self.f.value(f"trunc i64 {emit(e)} to i32") if _is_length(e) else self._narrow(e)

        is_wide = values is not None or self.env.narrow is None
        base, offset = self._base(array, index, emit), self.offset(array, index, emit if is_wide else None, narrow)
        return self.f.value(f"getelementptr inbounds {array.element.stored}, ptr {base}, i64 {offset}", "p")

    def offset(
        self, array: Indexed, index: tuple[Expr, ...], emit: Callable[[Expr], str] | None = None,
        narrow: Callable[[Expr], str] | None = None,
    ) -> str:  # fmt: skip
        """Emit the distance of an element from the first one, in elements (i64); `emit`: with 64-bit operands of it."""
        places = self.body.coordinates(array, index)
        if self.env.narrow is None or emit is not None:
            return self._horner(places, emit or self.body.value, "i64")
        return self.f.value(f"zext nneg i32 {self._horner(places, narrow or self._narrow, 'i32')} to i64")

    def load(self, array: Storage, index: tuple[Expr, ...], values: Mapping[int, str] | None = None) -> str:
        """Emit a load; memory that nothing writes during a launch, and no attribute speaks of, is said to be so."""
        is_pack = isinstance(array, Array) and array.members > 0
        constant = is_pack and self.env.is_gpu and array.access is Access.REF
        hint = f", !invariant.load {self.module.node()}" if constant else self.env.metadata(array)
        value = self.f.value(f"load {array.element.stored}, ptr {self.address(array, index, values)}{hint}", array.name)
        return as_value(value, array.element, self.f)

    def _base(self, array: Storage, index: tuple[Expr, ...], emit: Callable[[Expr], str]) -> str:
        """Return where an array, or the member of a pack, starts."""
        f = self.f
        if isinstance(array, Constants):
            return emit_table(array, self.body.proved.kernel, self.module, is_gpu=self.env.is_gpu)
        pointer = self.env.pointers[array]
        if not isinstance(array, Array) or not array.members:
            return pointer
        entry = f.value(f"getelementptr inbounds ptr, ptr {pointer}, i64 {emit(index[0])}", "member")
        base = f.value(f"load ptr, ptr {entry}, !invariant.load {self.module.node()}", array.name)
        if not self.env.is_gpu:
            return base
        # An address out of memory may be of any space, until it is said that it is global.
        return f.value(
            f"addrspacecast ptr addrspace(1) {f.value(f'addrspacecast ptr {base} to ptr addrspace(1)')} to ptr"
        )

    def _horner(self, places: Sequence[tuple[Expr, Dimension]], emit: Callable[[Expr], str], width: str) -> str:
        """Emit the offset of an index. Within one, sums may wrap; each is proved to lie in its dimension."""
        f, offset = self.f, "0"
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
            rows = f.value(f"mul nuw nsw {width} {offset}, {extent}")
            offset = f.value(f"add nuw nsw {width} {rows}, {here}")
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
                return self.body.value(operand)
        return self.f.value(f"trunc i64 {self.body.value(e)} to i32")


def _is_length(e: Expr) -> TypeGuard[Load]:
    return isinstance(e, Load) and isinstance(e.array, Lengths)
