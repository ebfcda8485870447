"""`exchange(send, recv, ranks, tags)` of a program, read: messages between the processes that run it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..ir.nodes import Access, Array
from ..ir.programs import Exchange, HostFor, HostIf, ProgramStatement, every
from ..ir.types import I32
from .faults import Fault, Faults
from .scope import Scope
from .syntax import span_of

_USAGE = (
    "write `exchange(send, recv, ranks, tags)`: two packs of as many float arrays, the second one a `Mut`, and two"
    " tables of as many `i32`"
)


def exchange_of(call: ast.Call, scope: Scope) -> Exchange:
    """Return the statement, or raise the fault in it."""
    named = [scope.parameters.get(a.id) if isinstance(a, ast.Name) else None for a in call.args]
    arrays = [a for a in named if isinstance(a, Array)]
    if len(arrays) != 4 or len(call.args) != 4 or call.keywords:
        raise _misfit(scope.faults, call, "takes two packs and two tables, parameters of the program")
    send, recv, ranks, tags = arrays
    for pack, node in zip((send, recv), call.args, strict=False):
        if not pack.members or not pack.element.is_float:
            raise _misfit(scope.faults, node, f"`{pack.name}` is no pack of float arrays")
    dims = [[d.text for d in a.dims] for a in (send, recv)]
    if dims[0] != dims[1] or send.element is not recv.element:
        raise _misfit(scope.faults, call, f"`{send.name}` and `{recv.name}` have members of other types or dims")
    if send is recv or send.access not in (Access.REF, Access.MUT):
        raise _misfit(scope.faults, call.args[0], f"`{send.name}` is not what a message can be read from")
    if recv.access is Access.REF:
        raise scope.faults.write_through_ref(recv.name, span_of(call.args[1]), recv.span, recv.element)
    if recv.access is not Access.MUT:
        raise _misfit(scope.faults, call.args[1], f"`{recv.name}` is `{recv.access.value}`, not `Mut`")
    for table, node in zip((ranks, tags), call.args[2:], strict=True):
        if not table.is_table or table.element is not I32 or [d.text for d in table.dims] != dims[0][:1]:
            raise _misfit(scope.faults, node, f"`{table.name}` is no `Table[i32, {send.members}]`")
    return Exchange(send, recv, ranks, tags, span_of(call))


def _misfit(faults: Faults, node: ast.expr, why: str) -> Fault:
    return faults.fault("KP0702", f"`exchange`: {why}", span_of(node), "does not fit", helps=[_USAGE])


def misplaced(statements: Sequence[ProgramStatement], faults: Faults) -> Iterator[Fault]:
    """Yield a fault for each `exchange` after the first, and for those under loops and conditions."""
    found = [s for s in every(statements) if isinstance(s, Exchange)]
    nested = {s.span for block in statements if isinstance(block, (HostFor, HostIf)) for s in every([block])}
    for number, statement in enumerate(found):
        if number or statement.span in nested:
            where = "a second `exchange`" if number else "`exchange` under a loop or condition"
            yield faults.fault(
                "KP0701", where, statement.span, "not supported here",
                helps=["a repetition exchanges its messages once, at the top of the program"],
            )  # fmt: skip
