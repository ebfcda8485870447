"""Where `fill` and `get` are launches of their own: a reducing kernel does them on the way only if it surely runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from ..ir import operations as ops
from ..ir.memory_kernels import fill_kernel, get_kernel
from ..ir.nodes import Array, Binary, Expr, Reducer
from ..ir.programs import Fill, Get, HostFor, HostIf, KernelCall, ProgramStatement, every
from ..ir.source import Source, Span
from ..ir.types import I64
from .program_calls import dims_of


def filled(target: Array | Reducer, value: Expr, source: Source, span: Span) -> KernelCall:
    """Return the launch that stores a value into every element."""
    sizes = [Binary(ops.SUB, d.upper, d.lower, I64, span) for d in dims_of(target)]
    size = reduce(lambda a, b: Binary(ops.MUL, a, b, I64, span), sizes)
    return KernelCall(fill_kernel(target.element, source, span), (target, value), (size,), span)


def contributes(statement: ProgramStatement, target: Array | Reducer) -> bool:
    """Whether a statement is a call of a kernel that reduces into the buffer."""
    return isinstance(statement, KernelCall) and any(
        isinstance(p, Reducer) and a is target
        for p, a in zip(statement.kernel.parameters, statement.arguments, strict=True)
    )


def mentions(statement: ProgramStatement, target: Array | Reducer) -> bool:
    """Whether a statement, or one inside it, passes the buffer to a kernel or fills it."""
    return any(
        (isinstance(s, KernelCall) and target in s.arguments) or (isinstance(s, Fill) and s.reducer is target)
        for s in every([statement])
    )


def folds(fill: Fill, behind: Sequence[ProgramStatement]) -> bool:
    """Whether the next statement that has to do with the reducer is a call, in the same block, that contributes."""
    following = next((s for s in behind if mentions(s, fill.reducer)), None)
    return following is not None and contributes(following, fill.reducer)


def with_launches(statements: Sequence[ProgramStatement], source: Source) -> tuple[ProgramStatement, ...]:
    """Return the statements with a kernel call for each `fill` and `get` that no call of the program does."""
    return tuple(_completed(statements, source))


def _completed(statements: Sequence[ProgramStatement], source: Source) -> Iterator[ProgramStatement]:
    for position, statement in enumerate(statements):
        match statement:
            case Fill(reducer=reducer, value=value, span=span) if not folds(statement, statements[position + 1 :]):
                yield filled(reducer, value, source, span)
            case Get(target=target, span=span):
                last = next((s for s in reversed(statements[:position]) if mentions(s, target)), None)
                if last is None or not contributes(last, target):
                    kernel = get_kernel(target, source, span)
                    yield KernelCall(kernel, (target,), (), span)
                yield statement
            case HostFor(index, lower, upper, step, body, span):
                yield HostFor(index, lower, upper, step, with_launches(body, source), span)
            case HostIf(condition, then, otherwise, span):
                yield HostIf(condition, with_launches(then, source), with_launches(otherwise, source), span)
            case _:
                yield statement
