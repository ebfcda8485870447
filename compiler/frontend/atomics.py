"""Which operation of an `Atomic` array a method call means."""

from __future__ import annotations

import ast
import difflib

from ..ir.nodes import Access, Allocate, Array, AtomicUpdate, Expr, Inlined, Storage, Store
from ..ir.operations import ATOMICS, AtomicOperation
from ..ir.walk import inlined, walk
from .faults import Faults
from .syntax import span_of


def operation_of(array: Storage, method: str, call: ast.Call, faults: Faults) -> AtomicOperation:
    """Return the operation that `a[i].method(...)` calls, or raise the fault that says what is wrong with the call."""
    text = ast.unparse(call.func)[:40]
    if array.access is not Access.ATOMIC:
        is_parameter = isinstance(array, Array)
        needed = (
            f"the borrow `{array.name}: Atomic[{array.element}, ...]`" if is_parameter else "`shared(..., atomic=True)`"
        )
        raise faults.unsupported_expression(
            f"calling `{text}` on an element of {f'a `{array.access.value}`' if is_parameter else 'plain memory'}",
            span_of(call), f"atomic operations need {needed}",
        )  # fmt: skip
    accepted = [name for name, operation in ATOMICS.items() if operation.accepts(array.element)]
    if method not in ATOMICS:
        near = difflib.get_close_matches(method, accepted, n=1)
        raise faults.unsupported_expression(
            f"the atomic operation `{method}`", span_of(call),
            f"did you mean `{near[0]}`?" if near else f"there are {', '.join(f'`{name}`' for name in accepted)}",
        )  # fmt: skip
    operation = ATOMICS[method]
    if method not in accepted:
        raise faults.wrong_type(
            f"`{method}` does not take `{array.element}`", span_of(call), f"`{array.name}` holds `{array.element}`",
            f"floats have {', '.join(f'`{name}`' for name in accepted)}",
        )  # fmt: skip
    if call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
        raise faults.wrong_arguments(text, "takes plain arguments only", span_of(call), "")
    if len(call.args) != operation.arity:
        wanted = "two arguments, the expected value and the new one" if operation.arity == 2 else "one argument"
        raise faults.wrong_arguments(text, f"takes {wanted}, not {len(call.args)}", span_of(call), "")
    return operation


def is_repeatable(expr: Expr) -> bool:
    """Whether an expression may be evaluated twice: it changes nothing."""
    inside = [e for e in walk(expr) if isinstance(e, Inlined)]
    done = [s for e in inside for s in inlined(e.statements)]
    own = {s.buffer for s in done if isinstance(s, Allocate)}
    stores = any(isinstance(s, Store) and s.array not in own for s in done)
    return not stores and not any(isinstance(e, AtomicUpdate) for e in walk(expr))
