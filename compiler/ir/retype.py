"""The same kernel or program over other floating-point types."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from ..errors import KparityError
from . import nodes, programs, storage
from .nodes import Cast, Const, Constants, StructType
from .operations import as_f32
from .types import F32, Scalar

_MODULES = {nodes.__name__, programs.__name__, storage.__name__}
_Node = TypeVar("_Node")


def retyped(node: _Node, types: Mapping[Scalar, Scalar]) -> _Node:
    """Return IR in which every scalar type of `types` is another one; what stays the same is the same object.

    Raises
    ------
    KparityError
        A struct has a field of such a type (its layout is the host's), or a constant is beyond the new type.
    """
    return _Retyping(types).of(node) if types else node


class _Retyping:
    def __init__(self, types: Mapping[Scalar, Scalar]) -> None:
        self.types = types
        self._done: dict[int, tuple[Any, Any]] = {}  # the node itself is kept, so that its id stays its own

    def of(self, node: Any) -> Any:
        """Return what a node, a type or a tuple of them becomes."""
        if isinstance(node, Scalar):
            return self.types.get(node, node)
        if isinstance(node, tuple):
            parts = tuple(self.of(part) for part in node)
            return node if all(a is b for a, b in zip(parts, node, strict=True)) else parts
        if not is_dataclass(node) or type(node).__module__ not in _MODULES:
            return node
        if id(node) not in self._done:
            self._done[id(node)] = node, self._made(node)
        return self._done[id(node)][1]

    def _made(self, node: Any) -> Any:
        if isinstance(node, StructType):
            if any(type_ in self.types for _, type_, _ in node.fields):
                raise KparityError(
                    f"struct `{node.name}` has fields of the type that is replaced, and its layout is the host's:"
                    " declare a second struct, and a kernel for it"
                )
            return node
        old = {f.name: getattr(node, f.name) for f in fields(node)}
        new = {name: self.of(value) for name, value in old.items()}
        if all(new[name] is old[name] for name in old):
            return node
        if isinstance(node, Cast) and new["operand"].type is new["type"]:
            return new["operand"]
        if isinstance(node, Const):
            new["value"] = _rounded(node.value, new["type"])
        if isinstance(node, Constants):
            new["values"] = tuple(_rounded(v, new["element"]) for v in node.values)
        return type(node)(**new)


def _rounded(value: Any, type_: Scalar) -> Any:
    if type_ is not F32:
        return value
    rounded = as_f32(value)
    if math.isinf(rounded) and not math.isinf(value):
        raise KparityError(f"the constant {value!r} is beyond the largest finite `{type_}`")
    return rounded
