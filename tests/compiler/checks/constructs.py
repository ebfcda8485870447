"""Which constructs of the language a kernel has: so that a generator can show what it covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kparity.compiler.checks.proved import Proved
from kparity.compiler.ir import operations as ops
from kparity.compiler.ir.nodes import (
    Access,
    Array,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    Buffer,
    Checked,
    Const,
    Constants,
    Continue,
    Contribute,
    Expr,
    For,
    If,
    Inlined,
    Kernel,
    Load,
    Logical,
    Read,
    Select,
    Space,
    Statement,
    Store,
    Struct,
    Teams,
    Unsafe,
    While,
)
from kparity.compiler.ir.types import I32, U32
from kparity.compiler.ir.walk import expressions_of, inlined, phases, statements, walk

CONSTRUCTS = (
    "parallel of several ranges", "teams", "several phases", "shared", "private", "local array", "view", "while",
    "break", "continue", "strided", "affine index", "flattened index", "index list", "condition", "atomic", "reducer",
    "bins", "2-D", "3-D", "Out", "loop-carried integer", "device function", "pack", "struct", "table", "layout",
    "checked", "unsafe", "32-bit arithmetic", "division",
)  # fmt: skip
_SPACES = {Space.SHARED: "shared", Space.PRIVATE: "private", Space.LOCAL: "local array"}
_JUMPS = {
    While: "while", Break: "break", Continue: "continue", Contribute: "reducer", If: "condition", Checked: "checked",
    Unsafe: "unsafe",
}  # fmt: skip
PROOFS = ("guard", "inspection", "removed barrier", "tested access")  # what a proof may need, or give


def proofs(result: Proved) -> set[str]:
    """Return those of `PROOFS` that an accepted kernel shows."""
    # The end of the last phase in the text orders nothing, unless a loop comes back.
    removed = {phase.number for phase in result.phases[:-1]} - result.barriers
    shown = (result.guards, result.inspections, removed, result.tested)
    return {word for word, is_so in zip(PROOFS, shown, strict=True) if is_so}


def constructs(kernel: Kernel) -> set[str]:
    """Return those of `CONSTRUCTS` that a kernel uses; memory counts where it is accessed."""
    body = kernel.body
    found = {"teams"} if isinstance(body, Teams) else {"parallel of several ranges"} if len(body.ranges) > 1 else set()
    if sum(1 for _ in phases(body.body)) > 1:
        found.add("several phases")
    for statement in inlined(body.body):
        found |= set(_of_statement(statement))
    fields = {f for p in kernel.parameters if isinstance(p, Struct) for f in p.fields}
    everything = [e for s in inlined(body.body) for whole in expressions_of(s) for e in walk(whole)]
    everything += [e for r in body.ranges for bound in (r.lower, r.upper) for e in walk(bound)]
    if any(isinstance(e, Read) and e.variable in fields for e in everything):
        found.add("struct")
    for loop in (s for s in statements(body.body) if isinstance(s, For | While)):
        changed = (s for s in statements(loop.body) if isinstance(s, Assign) and s.variable.type.is_integer)
        if any(isinstance(e, Read) and e.variable is s.variable for s in changed for e in walk(s.value)):
            found.add("loop-carried integer")
    return found


def _of_statement(statement: Statement) -> Iterator[str]:
    if type(statement) in _JUMPS:
        yield _JUMPS[type(statement)]
    if isinstance(statement, Contribute) and statement.bin:
        yield "bins"
    if isinstance(statement, For) and statement.step != 1:
        yield "strided"
    if isinstance(statement, Store):
        yield from _of_access(statement.array, statement.index)
    for e in (e for whole in expressions_of(statement) for e in walk(whole)):
        if isinstance(e, Select | Logical):
            yield "condition"
        if isinstance(e, Inlined):
            yield "device function"
        if isinstance(e, Load) and isinstance(e.array, Constants):
            yield "table"
        if isinstance(e, Binary) and e.operation in (ops.FLOORDIV, ops.MOD):
            yield "division"
        if isinstance(e, Binary) and e.type in (I32, U32):
            yield "32-bit arithmetic"
        if isinstance(e, AtomicUpdate):
            yield "atomic"
        if isinstance(e, Load | AtomicUpdate):
            yield from _of_access(e.array, e.index)
        if isinstance(e, Load) and e.array.access is Access.REF and e.array.element.is_integer:
            yield "index list"


def _of_access(array: object, index: Sequence[Expr]) -> Iterator[str]:
    if isinstance(array, Buffer):
        yield _SPACES[array.space]
        if array.base is not None:
            yield "view"
    elif isinstance(array, Array):
        if array.access is Access.OUT:
            yield "Out"
        if array.members:
            yield "pack"
        if array.order:
            yield "layout"
        if (rank := len(index) - (array.members > 0)) > 1:
            yield "2-D" if rank == 2 else "3-D"
    for e in (e for whole in index for e in walk(whole)):
        if (
            isinstance(e, Binary)
            and e.operation is ops.MUL
            and not any(isinstance(s, Const) for s in (e.left, e.right))
        ):
            yield "flattened index"
        elif isinstance(e, Binary) and e.operation in (ops.ADD, ops.SUB, ops.MUL):
            yield "affine index"
