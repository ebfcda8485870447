"""Kernels with compile-time integers, `T: Static[i64]`: one kernel for each of their values."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..ir.nodes import Const, Kernel
from .expressions import Expressions
from .faults import Faults
from .language import Marker
from .scope import Scope
from .syntax import Syntax, span_of


def names_of(syntax: Syntax) -> list[str]:
    """Return the names of all parameters, in order."""
    return [a.arg for a in (*syntax.tree.args.posonlyargs, *syntax.tree.args.args)]


def statics_of(syntax: Syntax) -> tuple[str, ...]:
    """Return the names of the parameters that are compile-time integers."""
    arguments = (*syntax.tree.args.posonlyargs, *syntax.tree.args.args)
    return tuple(a.arg for a in arguments if is_static(a.annotation, syntax))


def is_static(annotation: ast.expr | None, syntax: Syntax) -> bool:
    """Whether an annotation is `Static[i64]`."""
    head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    meaning = syntax.resolve(head) if head is not None else None
    return isinstance(meaning, Marker) and meaning.name == "Static"


def specialised(syntax: Syntax, values: Mapping[str, int]) -> Syntax:
    """Return a function without its compile-time integers, which become constants around it."""
    tree = copy.copy(syntax.tree)
    tree.args = copy.copy(tree.args)
    tree.args.posonlyargs = [a for a in tree.args.posonlyargs if a.arg not in values]
    tree.args.args = [a for a in tree.args.args if a.arg not in values]
    return replace(syntax, tree=tree, environment={**syntax.environment, **values}, statics=frozenset(values))


def called(callee: Any, call: ast.Call, scope: Scope) -> tuple[Kernel | None, ast.Call]:
    """Return the kernel that a program calls, and the call without its compile-time integers; None if it is none."""
    statics = getattr(callee, "statics", ())
    if not statics:
        typed = getattr(callee, "typed", None)
        return (typed if isinstance(typed, Kernel) else None), call
    names = names_of(callee.syntax)
    given: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
    given |= {k.arg: k.value for k in call.keywords if k.arg is not None}
    values = {name: _constant(name, given.get(name), callee.name, call, scope) for name in statics}
    positional = [node for name, node in zip(names, call.args, strict=False) if name not in statics]
    rest = ast.Call(
        call.func, [*positional, *call.args[len(names) :]], [k for k in call.keywords if k.arg not in statics]
    )
    return callee.specialise(**values).typed, ast.copy_location(rest, call)


def _constant(name: str, node: ast.expr | None, callee: str, call: ast.Call, scope: Scope) -> int:
    faults: Faults = scope.faults
    if node is None:
        raise faults.fault("KP0702", f"the call of `{callee}` misses `{name}`", span_of(call), "called here")
    value = Expressions(scope).value(node)
    if not isinstance(value.expr, Const) or not value.type.is_integer:
        raise faults.fault(
            "KP0702", f"`{name}` of `{callee}` is a compile-time integer", span_of(node), "not a constant",
            helps=["pass a literal, or a number of the enclosing module"],
        )  # fmt: skip
    return int(value.expr.value)
