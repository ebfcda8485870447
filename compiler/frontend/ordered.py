"""Stores in the order of the threads: `list.push(e)`, `y[i] = sum_before(e)` and `y[i] = sum_upto(e)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..ir.nodes import Access, Array, Expr, Order, Parallel, Storage, Store
from ..ir.ordered import misplaced
from ..ir.types import BOOL
from .expressions import Expressions
from .faults import Fault
from .scope import Scope
from .syntax import span_of
from .values import convert


def list_of(call: ast.Call, scope: Scope) -> Array | None:
    """Return the array that `list.push(e)` names; None if it is something else."""
    named = call.func.value if isinstance(call.func, ast.Attribute) else None
    array = scope.storage(named.id) if isinstance(named, ast.Name) else None
    is_push = isinstance(call.func, ast.Attribute) and call.func.attr == "push"
    return array if isinstance(array, Array) and (is_push or array.access is Access.PUSH) else None


def pushed(call: ast.Call, array: Array, expressions: Expressions) -> Store:
    """Read `list.push(e)`: the furthest place that the item may get is the thread's number."""
    faults, span = expressions.faults, span_of(call)
    if array.access is not Access.PUSH or ast.unparse(call.func) != f"{array.name}.push":
        help_ = f'write `{array.name}: Push[{array.element}, "n"]`' if array.access is not Access.PUSH else "use `push`"
        raise faults.wrong_arguments(
            ast.unparse(call.func), f"is not what a `{array.access.value}` array has", span, help_
        )
    if len(call.args) != 1 or call.keywords:
        raise faults.wrong_arguments(ast.unparse(call.func), f"takes one item, not {len(call.args)}", span, "")
    number = expressions.scope.number
    if number is None:
        raise faults.out_of_order(span, "threads have an order in a `parallel` of one range")
    value = expressions.value(call.args[0])
    item = convert(value, array.element, faults, f"`{array.name}` holds `{array.element}`")
    return Store(array, (number,), item, span_of(call.func), span, Order.PUSH)


def summed(
    node: ast.Assign, call: ast.Call, array: Storage, index: tuple[Expr, ...], expressions: Expressions
) -> Store:
    """Read `y[i] = sum_before(e)` or `y[i] = sum_upto(e)`."""
    faults, span, word = expressions.faults, span_of(node), ast.unparse(call.func)
    if len(call.args) != 1 or call.keywords:
        raise faults.wrong_arguments(word, f"takes one value, not {len(call.args)}", span_of(call), "")
    if array.element is BOOL:
        raise faults.wrong_arguments(word, "is a number, and the array holds `bool`", span_of(call), "use `i32`")
    value = expressions.value(call.args[0])
    stored = convert(value, array.element, faults, f"`{array.name}` holds `{array.element}`")
    order = Order(getattr(expressions.scope.syntax.resolve(call.func), "name", ""))
    return Store(array, index, stored, span_of(node.targets[0]), span, order)


def check_order(body: Parallel, scope: Scope) -> Iterator[Fault]:
    """Yield a fault for all that a store in the order of the threads excludes."""
    for span, reason in misplaced(body):
        yield scope.faults.out_of_order(span, reason)
