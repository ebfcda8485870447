"""How many threads and bytes a team has, as far as the text of its kernel says."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..ir.nodes import (
    Binary,
    Buffer,
    Const,
    Dimension,
    Expr,
    For,
    Kernel,
    Load,
    Phase,
    Range,
    Read,
    Space,
    Statement,
    Unary,
    VariableKind,
    While,
)
from ..ir.walk import alike, buffers, phases, statements, walk
from .reductions import state_offsets

BLOCK_LIMIT = 1024  # threads of a block, on every GPU
STRIDED_BLOCK = 256  # threads that take turns where a phase has more than a block, or an unknown number
LISTED_BLOCK = 32  # the same where lists say how many: a plane, a row, a segment has few, and more blocks run at once
STATIC_LIMIT = 48 * 1024  # bytes of shared memory that a GPU gives without being asked
WARP = 32


def constant(e: Expr) -> int | None:
    """Return the value of an integer expression of constants, else None."""
    match e:
        case Const(value=value):
            return int(value)
        case Unary(operation=operation, operand=operand):
            value_of = constant(operand)
            return None if value_of is None else int(operation.meaning(value_of))
        case Binary(operation=operation, left=left, right=right) if not operation.compares:
            a, b = constant(left), constant(right)
            return (
                None
                if a is None or b is None or (b == 0 and operation.symbol in ("//", "%"))
                else int(operation.meaning(a, b))
            )
    return None


def size_of(span: Range | Dimension) -> int | None:
    """Return how many indices a range or dimension has, if that is known."""
    lower, upper = constant(span.lower), constant(span.upper)
    return None if lower is None or upper is None else max(0, upper - lower)


def count(spans: Sequence[Range | Dimension]) -> int | None:
    """Return the product of sizes, if it is known."""
    sizes = [size_of(s) for s in spans]
    return None if None in sizes else prod(s for s in sizes if s is not None)


def same_threads(a: Phase, b: Phase) -> bool:
    """Whether two phases that follow each other have equal ranges."""
    return len(a.ranges) == len(b.ranges) and all(
        alike(x.lower, y.lower) and alike(x.upper, y.upper) for x, y in zip(a.ranges, b.ranges, strict=True)
    )


def repeated_phases(body: Sequence[Statement]) -> list[Phase]:
    """Return the phases that stand in a loop of the team, in the order of the text."""
    loops = (s for s in statements(body) if isinstance(s, (For, While)))
    return list(dict.fromkeys(phase for loop in loops for phase in phases(loop.body)))


def owned(kernel: Kernel) -> list[Buffer]:
    """Return the buffers of the team that have memory of their own, in the order of the text."""
    return [b for b in buffers(kernel.body.body) if b.space is not Space.LOCAL and b.base is None]


def symbolic_private(kernel: Kernel) -> list[Buffer]:
    """Return the private buffers whose number of threads is known at the launch only."""
    return [b for b in owned(kernel) if b.space is Space.PRIVATE and count(b.dims[: b.threads]) is None]


def block_threads(kernel: Kernel) -> int | None:
    """Return the threads of a block on a GPU: the largest phase in whole warps, or a fixed number that takes turns.

    None: as many as the launch's private buffers have; a thread's private memory is in registers, which take no turns.
    """
    if kernel.reducers:
        return STRIDED_BLOCK  # as the combination of a block's contributions expects
    every = list(phases(kernel.body.body))
    counts = [count(p.ranges) for p in every]
    known = [c for c in counts if c is not None]
    unknown = [p for p, c in zip(every, counts, strict=True) if c is None]
    if symbolic_private(kernel):
        return None
    if len(known) < len(counts) and max(known, default=0) <= LISTED_BLOCK and all(map(_is_listed, unknown)):
        return LISTED_BLOCK
    if len(known) < len(counts) or max(known, default=0) > BLOCK_LIMIT:
        return STRIDED_BLOCK
    return max(1, -(-max(known, default=1) // WARP)) * WARP


def _is_listed(phase: Phase) -> bool:
    """Whether a bound of the phase is an element of an array, or was computed by the team, perhaps from one."""
    bounds = [part for r in phase.ranges for bound in (r.lower, r.upper) for part in walk(bound)]
    return any(isinstance(b, Load) or (isinstance(b, Read) and b.variable.kind is VariableKind.LOCAL) for b in bounds)


def static_bytes(buffer: Buffer) -> int | None:
    """Return the size of a buffer in bytes, if it is known."""
    elements = count(buffer.dims)
    return None if elements is None else elements * buffer.element.bytes


def reduction_shared(state: int) -> int:
    """Return the bytes of shared memory in which a GPU's block combines what takes `state` bytes: twice, and a flag."""
    return 2 * (STRIDED_BLOCK // WARP) * state + 16 if state else 0


def dynamic_shared(kernel: Kernel) -> list[Buffer]:
    """Return the shared buffers that a GPU has to be asked for at the launch: all if it is asked at all, else none."""
    shared = [b for b in owned(kernel) if b.space is Space.SHARED]
    sizes = [static_bytes(b) for b in shared]
    used = sum(-(-s // 16) * 16 for s in sizes if s is not None) + reduction_shared(state_offsets(kernel.totals)[-1])
    return shared if None in sizes or used > STATIC_LIMIT else []
