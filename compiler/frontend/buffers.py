"""`shared(...)`, `private(...)`, `reshape(...)`: memory of the kernel's own."""

from __future__ import annotations

import ast

from ..ir.nodes import Allocate, Buffer, Const, Dimension, Space
from ..ir.source import Span
from ..ir.types import BOOL, I64, Scalar
from .expressions import Expressions
from .faults import Faults
from .language import ScalarName
from .ranges import launch_bound
from .scope import Scope
from .syntax import span_of
from .values import convert

FORMS = {
    "shared": "`shared(f64, n, m)`, with `fill=0.0` or `atomic=True` behind it",
    "private": "`private(f64, threads=(n, m))`, with dims of a small array for each thread behind the type",
    "reshape": "`reshape(buffer, n, m)`",
}


def read_buffer(name: str, target: Span, word: str, call: ast.Call, scope: Scope) -> Allocate:
    """Return what `name = word(...)` declares, and make the name visible."""
    faults = scope.faults
    known = scope.storage(name) or scope.indices.get(name) or scope.local_variables.get(name)
    if known is not None:
        raise faults.bad_buffer(f"`{name}` already means something else", target, "already defined", "use another name")
    scope.refuse_poisoned(name)
    reader = _Reader(name, target, word, call, scope)
    buffer = reader.reshaped() if word == "reshape" else reader.allocated()
    scope.buffers[name] = buffer
    return Allocate(buffer, span_of(call))


class _Reader:
    """Reads one declaration."""

    def __init__(self, name: str, target: Span, word: str, call: ast.Call, scope: Scope) -> None:
        self.name, self.target, self.word, self.call, self.scope = name, target, word, call, scope
        self.faults: Faults = scope.faults
        allowed = {"shared": ("fill", "atomic"), "private": ("fill", "threads")}.get(word, ())
        self.keywords = {k.arg: k.value for k in call.keywords}
        wrong = [k for k in call.keywords if k.arg not in allowed] + [
            a for a in call.args if isinstance(a, ast.Starred)
        ]
        if wrong or not call.args:
            raise self._malformed("arguments are missing" if not wrong else f"`{ast.unparse(wrong[0])}`")

    def _malformed(self, what: str, node: ast.expr | None = None) -> Exception:
        return self.faults.bad_buffer(
            f"malformed `{self.word}`: {what}", span_of(node or self.call), "here", f"write {FORMS[self.word]}"
        )

    def allocated(self) -> Buffer:
        """Read `shared` and `private`."""
        element = self._element()
        threads = self._threads() if self.word == "private" else ()
        dims = tuple(self._dimension(a) for a in self.call.args[1:])
        if self.word == "private":
            for dim, node in zip(dims, self.call.args[1:], strict=True):
                if not isinstance(dim.upper, Const):
                    raise self._malformed("the size of a thread's own array is a constant", node)
        if not (0 if threads else 1) <= len(dims) <= 4:
            raise self._malformed(f"{len(dims)} dims, not 1 to 4")
        space = Space.PRIVATE if threads else Space.SHARED
        dims = (*threads, *dims)
        return Buffer(
            self.name, space, element, dims, len(threads), self._fill(element), self._is_atomic(), None, self.target
        )

    def reshaped(self) -> Buffer:
        """Read `reshape`."""
        first = self.call.args[0]
        base = self.scope.buffers.get(first.id) if isinstance(first, ast.Name) else None
        if base is None or base.space is not Space.SHARED:
            if isinstance(first, ast.Name):
                self.scope.refuse_poisoned(first.id)
            raise self._malformed(f"`{ast.unparse(first)}` is no shared buffer", first)
        dims = tuple(self._dimension(a) for a in self.call.args[1:])
        if not 1 <= len(dims) <= 4:
            raise self._malformed(f"{len(dims)} dims, not 1 to 4")
        return Buffer(self.name, base.space, base.element, dims, 0, None, base.is_atomic, base, self.target)

    def _element(self) -> Scalar:
        meaning = self.scope.syntax.resolve(self.call.args[0])
        if not isinstance(meaning, ScalarName) or meaning.scalar is BOOL:
            raise self._malformed(f"`{ast.unparse(self.call.args[0])}` is no element type", self.call.args[0])
        return meaning.scalar

    def _dimension(self, node: ast.expr) -> Dimension:
        """Read a size: from 0, known before the launch."""
        upper = launch_bound(self.scope, f"the sizes of `{self.word}` memory")(node)
        if isinstance(upper, Const) and isinstance(upper.value, int) and upper.value <= 0:
            raise self._malformed(f"a size of {upper.value}", node)
        return Dimension(Const(0, I64, span_of(node)), upper, ast.unparse(node))

    def _threads(self) -> tuple[Dimension, ...]:
        node = self.keywords.get("threads")
        if node is None:
            raise self._malformed("which phases it is for is missing")
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        if not 1 <= len(parts) <= 3:
            raise self._malformed(f"`threads` has 1 to 3 ranges, not {len(parts)}", node)
        for part in parts:
            if isinstance(part, ast.Tuple):
                raise self._malformed("the phases of private memory start at 0", part)
        return tuple(self._dimension(p) for p in parts)

    def _fill(self, element: Scalar) -> Const | None:
        node = self.keywords.get("fill")
        if node is None:
            return None
        value = convert(Expressions(self.scope).value(node), element, self.faults, f"`{self.name}` holds `{element}`")
        if not isinstance(value, Const):
            raise self._malformed("`fill` is a constant", node)
        return value

    def _is_atomic(self) -> bool:
        node = self.keywords.get("atomic")
        if node is None:
            return False
        if not isinstance(node, ast.Constant) or not isinstance(node.value, bool):
            raise self._malformed("`atomic` is `True` or `False`", node)
        return node.value
