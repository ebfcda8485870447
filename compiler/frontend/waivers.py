"""`with checked():` and `with unsafe("reason"):`, the blocks in which not everything has to be proved."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ..ir.nodes import Checked, Statement, Unsafe
from .scope import Scope
from .syntax import span_of

_HELP = 'write `with checked():` or `with unsafe("why this is right"):`'


def read_with(
    node: ast.With, scope: Scope, block: Callable[[Sequence[ast.stmt]], tuple[Statement, ...]]
) -> Checked | Unsafe:
    """Return the block; raises Fault."""
    item, span = node.items[0], span_of(node.items[0].context_expr)
    call = item.context_expr
    name = getattr(scope.syntax.resolve(call.func), "name", "") if isinstance(call, ast.Call) else ""
    if len(node.items) > 1 or item.optional_vars is not None or name not in ("checked", "unsafe"):
        raise scope.faults.unsupported_statement("this `with`", span, _HELP)
    assert isinstance(call, ast.Call)
    if name == "checked":
        if call.args or call.keywords:
            raise scope.faults.wrong_arguments("checked", "takes no arguments", span, "write `with checked():`")
        return Checked(block(node.body), span)
    match call:
        case ast.Call(args=[ast.Constant(value=str() as reason)], keywords=[]) if reason.strip():
            return Unsafe(reason.strip(), block(node.body), span)
    raise scope.faults.wrong_arguments(
        "unsafe", "takes a reason, a text that is not empty", span,
        "say why what is not proved is right: reports list it",
    )  # fmt: skip
