"""What holds of a program as a whole: `Out` is written first, `fill` has an effect, `get` stands behind everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.nodes import Access, Array, Parameter, Reducer
from ..ir.programs import MOST_RETURNED, Exchange, Fill, Get, KernelCall, ProgramStatement, Swap, every, inner
from ..ir.source import Span
from .exchanges import misplaced
from .faults import Fault, Faults
from .program_memory import folds, mentions

STATEMENTS = (
    "a program is kernel calls, `r.fill(value)`, `r.get()`, `exchange(...)` and swaps `a, b = b, a`,"
    " under `for k in range(...)` and `if`"
)


def faults_of(
    statements: Sequence[ProgramStatement], parameters: Sequence[Parameter], scratch: Sequence[Array], faults: Faults,
    header: Span,
) -> Iterator[Fault]:  # fmt: skip
    """Yield every fault that takes more than one statement to see."""
    if not any(isinstance(s, (KernelCall, Exchange)) for s in every(statements)):
        yield faults.fault("KP0701", "a program calls at least one kernel", header, "no kernel call in here")
    yield from misplaced(statements, faults)
    yield from _fills(statements, faults, in_loop=False)
    yield from _gets(statements, faults)
    outputs = [p for p in parameters if isinstance(p, Array) and p.access is Access.OUT]
    yield from _unwritten(statements, outputs, "declared `Out`", faults)
    yield from _unwritten(statements, scratch, "scratch memory", faults)


def _fills(statements: Sequence[ProgramStatement], faults: Faults, *, in_loop: bool) -> Iterator[Fault]:
    for position, statement in enumerate(statements):
        for block in inner(statement):
            yield from _fills(block, faults, in_loop=True)
        if not isinstance(statement, Fill):
            continue
        name, behind = statement.reducer.name, statements[position + 1 :]
        if len(statement.reducer.fields) > 1 and not folds(statement, behind):
            yield faults.fault(
                "KP0701", f"`{name}.fill` and no call behind it, in the same block, that contributes to `{name}`",
                statement.span, "not supported here", helps=["fill directly before the call"],
            )  # fmt: skip
        elif not in_loop and not any(mentions(s, statement.reducer) for s in behind):
            yield faults.fault(
                "KP0701", f"`{name}.fill` and no later call that contributes to `{name}`", statement.span,
                "has no effect", notes=[STATEMENTS],
            )  # fmt: skip


def _gets(statements: Sequence[ProgramStatement], faults: Faults) -> Iterator[Fault]:
    for nested in (s for block in statements for b in inner(block) for s in every(b) if isinstance(s, Get)):
        yield faults.fault(
            "KP0701", f"`{nested.target.name}.get` under a loop or condition", nested.span,
            "a scalar comes back once a repetition", helps=["move it behind the loop, to the end of the program"],
        )  # fmt: skip
    swapped = {a for s in every(statements) if isinstance(s, Swap) for a in s.names}
    seen: set[Array | Reducer] = set()
    slots = 0
    for position, statement in enumerate(statements):
        if not isinstance(statement, Get):
            continue
        target, name, span = statement.target, statement.target.name, statement.span
        slots += len(target.fields) if isinstance(target, Reducer) else 1
        if any(mentions(s, target) for s in statements[position + 1 :]):
            yield faults.fault(
                "KP0701", f"`{name}.get` before the last call that contributes to `{name}`", span, "here",
                helps=["move it behind the last call"],
            )  # fmt: skip
        elif not any(mentions(s, target) for s in statements[:position]):
            yield faults.fault("KP0701", f"`{name}.get`, but no call contributes to `{name}`", span, "here")
        elif target in swapped:
            yield faults.fault("KP0701", f"`{name}.get` of an array that is swapped", span, "which one is not fixed")
        elif target in seen:
            yield faults.fault("KP0701", f"`{name}.get` twice", span, "brought back already")
        elif slots > MOST_RETURNED:
            yield faults.fault(
                "KP0701", f"a repetition brings back at most {MOST_RETURNED} scalars", span, "one too many",
                helps=["read the others from their arrays; a location counts, and so does each field of a struct"],
            )  # fmt: skip
        seen.add(target)


def _unwritten(
    statements: Sequence[ProgramStatement], arrays: Sequence[Array], declared: str, faults: Faults
) -> Iterator[Fault]:
    """Find each array that is not written whole by the first call that takes it: before that it has no value."""
    for array in arrays:
        calls = [s for s in every(statements) if isinstance(s, KernelCall)]
        uses = [(c, p) for c in calls for p, a in zip(c.kernel.parameters, c.arguments, strict=True) if a is array]
        if not uses:
            yield faults.fault(
                "KP0503", f"no call writes `{array.name}`, which is {declared}", array.span,
                "never passed to a kernel", helps=["drop it"],
            )  # fmt: skip
            continue
        call, parameter = uses[0]
        borrow = parameter.access.value if isinstance(parameter, Array) else "a reducer"
        if borrow != Access.OUT.value:
            yield faults.fault(
                "KP0502", f"`{array.name}` is {declared}, but its first use may read it", call.span,
                f"`{call.kernel.name}` takes it as `{borrow}`",
                others=[(array.span, "holds nothing before")],
                helps=[
                    "take it as `Out` in the kernel" if array.access is not Access.OUT
                    else f"declare it `{array.name}: Mut[...]`, or take it as `Out` in the kernel"
                ],
            )  # fmt: skip
