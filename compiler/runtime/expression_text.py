"""Expressions of scalars and extents as Python text: what the launcher evaluates, and what a message shows."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from types import CodeType
from typing import Any

from ..ir import operations as ops
from ..ir.nodes import Binary, Call, Cast, Const, Expr, Logical, Read, Select, Unary, Variable


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
            return f"({value!r})" if isinstance(value, (int, float)) and value < 0 else repr(value)
        case Read(variable=variable):
            return names.get(variable, variable.name)
        case Unary(operation=operation, operand=operand):
            return f"(not {text(operand)})" if operation is ops.NOT else f"(-{text(operand)})"
        case Binary(operation=operation, left=left, right=right):
            return f"({text(left)} {operation.symbol} {text(right)})"
        case Logical(is_and=is_and, left=left, right=right):
            return f"({text(left)} {'and' if is_and else 'or'} {text(right)})"
        case Select(condition=condition, then=then, otherwise=otherwise):
            return f"({text(then)} if {text(condition)} else {text(otherwise)})"
        case Call(function=function, arguments=arguments):
            return f"{function.name}({', '.join(text(a) for a in arguments)})"
        case Cast(operand=operand, type=type_):
            if type_.is_float:
                return f"float({text(operand)})"
            return f"int({text(operand)})" if operand.type.is_float else text(operand)
    raise AssertionError(f"{e} depends on a thread")  # the front end admits only scalars and extents here


def _wrapped(value: int) -> int:
    """Return what an i64 keeps: bounds of a `parallel` are machine arithmetic."""
    return (value + 2**63) % 2**64 - 2**63


_FUNCTIONS: dict[str, Any] = {name: f.meaning for name, f in ops.INTRINSICS.items()} | {
    "__builtins__": {}, "float": float, "int": int, "inf": math.inf, "nan": math.nan, "wrapped": _wrapped,
}  # fmt: skip


@functools.lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    return compile(text, "<launch expression>", "eval")


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """Return the value of such a text; integers are unbounded."""
    return eval(_code(text), _FUNCTIONS, dict(values))
