"""Expressions of scalars and extents as Python text: what the launcher evaluates, and what a message shows."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Mapping
from types import CodeType, SimpleNamespace
from typing import Any

from ..ir import operations as ops
from ..ir.nodes import Binary, Call, Cast, Const, Expr, Lengths, Load, Logical, Read, Select, Unary, Variable


def expression_text(e: Expr, names: Mapping[Variable, str]) -> str:
    """Return an expression as Python source.

    Parameters
    ----------
    names : mapping
        Variable -> text to stand for it; a variable without an entry keeps its name.
    """

    def text(inner: Expr) -> str:
        return expression_text(inner, names)

    match e:
        case Const(value=value):
            return number_text(value)
        case Read(variable=variable):
            return names.get(variable, variable.name)
        case Load(array=Lengths(name=name), index=(member,)):
            return f"{name}[{text(member)}]"
        case Unary(operation=operation, operand=operand):
            return f"(not {text(operand)})" if operation is ops.NOT else f"(-{text(operand)})"
        case Binary(operation=operation, left=left, right=right):
            return f"({text(left)} {operation.symbol} {text(right)})"
        case Logical(is_and=is_and, left=left, right=right):
            return f"({text(left)} {'and' if is_and else 'or'} {text(right)})"
        case Select(condition=condition, then=then, otherwise=otherwise):
            return f"({text(then)} if {text(condition)} else {text(otherwise)})"
        case Call(function=function, arguments=arguments):
            return f"{HELPERS}.{function.name}({', '.join(text(a) for a in arguments)})"
        case Cast(operand=operand, type=type_):
            if type_.is_float:
                return f"{HELPERS}.float({text(operand)})"
            if operand.type.is_float:
                return f"{HELPERS}.int({text(operand)})"
            loses = operand.type.lowest < type_.lowest or operand.type.highest > type_.highest
            return f"{HELPERS}.wrap({text(operand)}, {type_.lowest}, {type_.highest})" if loses else text(operand)
    raise AssertionError(f"{e} depends on a thread")  # the front end admits only scalars and extents here


def substituted(text: str, values: Mapping[str, str]) -> str:
    """Return a guard's term, such as `n*m` or `(n // m)`, with other texts for its names; it has a value for m = 0."""
    return ast.unparse(_Substitution(values).visit(ast.parse(text, mode="eval")))


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values

    def _named(self, node: ast.expr) -> ast.expr:
        return ast.parse(self.values[ast.unparse(node)], mode="eval").body

    visit_Name = visit_Attribute = visit_Subscript = _named  # `n`, a struct's `m.k`, a member's `n[2]`

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            name = "quotient" if isinstance(node.op, ast.FloorDiv) else "remainder"
            return ast.Call(ast.parse(f"{HELPERS}.{name}", mode="eval").body, [left, right], [])
        return ast.BinOp(left, node.op, right)


def number_text(value: float | bool) -> str:
    """Return a constant as Python source."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"{HELPERS}.float({str(value)!r})"
    return f"({value!r})" if value < 0 else repr(value)


def shown_text(e: Expr) -> str:
    """Return an expression as the user reads it."""
    return expression_text(e, {}).replace(f"{HELPERS}.", "")


def _wrap(value: int, lowest: int, highest: int) -> int:
    """Return what a machine integer keeps of a value."""
    return (value - lowest) % (highest - lowest + 1) + lowest


HELPERS = "_kp"  # the one name that a parameter or extent may not have
_HELPERS = SimpleNamespace(
    **{name: f.meaning for name, f in ops.INTRINSICS.items()}, float=float, int=int, wrap=_wrap,
    quotient=lambda a, b: a // b if b else 0, remainder=lambda a, b: a % b if b else 0,
)  # fmt: skip


@functools.lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    return compile(text, "<launch expression>", "eval")


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """Return the value of such a text; integers are unbounded."""
    return eval(_code(text), {"__builtins__": {}, HELPERS: _HELPERS}, dict(values))
