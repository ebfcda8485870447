"""`shared(...)`, `private(...)`, `local(...)`, `reshape(...)`: memory of the kernel's own."""

from __future__ import annotations

import ast
import math

from ..ir.nodes import Allocate, Buffer, Const, Dimension, Space
from ..ir.source import Span
from ..ir.storage import MOST_DIMS
from ..ir.types import BOOL, I64, Scalar
from .elements import refuse_at_team_scope
from .expressions import Expressions
from .faults import Faults
from .language import ScalarName
from .ranges import called, launch_bound
from .scope import Scope
from .syntax import span_of
from .values import convert

FORMS = {
    "shared": "`shared(f64, n, m)`, with `fill=0.0` or `atomic=True` behind it",
    "private": "`private(f64, threads=(n, m))`, with dims of a small array for each thread behind the type",
    "local": "`local(f64, 8)` or `local(f64, 4, 4, fill=0.0)`",
    "reshape": "`reshape(buffer, n, m)`",
}


LARGEST_LOCAL = 1 << 16  # bytes: each thread has the array on its stack


def declarations(node: ast.Assign, scope: Scope) -> list[tuple[ast.expr, str, ast.Call]]:
    """Return target, word and call of each buffer that an assignment declares; none for any other assignment."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            pairs = list(zip(targets, values, strict=True))
        case ast.Assign(targets=[target], value=value):
            pairs = [(target, value)]
        case _:
            return []
    found = [(t, called(v, scope), v) for t, v in pairs if isinstance(v, ast.Call)]
    found = [(t, word, v) for t, word, v in found if word in FORMS]
    return found if len(found) == len(pairs) else []


def read_buffer(target: ast.expr, word: str, call: ast.Call, scope: Scope) -> Allocate:
    """Return what `target = word(...)` declares, and make the name visible."""
    faults, where = scope.faults, span_of(target)
    if not isinstance(target, ast.Name):
        raise faults.bad_buffer("a buffer has a name", where, "not a name", f"write {FORMS[word]}")
    name = target.id
    known = scope.storage(name) or scope.indices.get(name) or scope.local_variables.get(name)
    if known is not None:
        raise faults.bad_buffer(f"`{name}` already means something else", where, "already defined", "use another name")
    scope.refuse_poisoned(name)
    if word == "local":
        refuse_at_team_scope("declare the local array", name, span_of(call), scope)
    reader = _Reader(name, where, word, call, scope)
    buffer = reader.reshaped() if word == "reshape" else reader.allocated()
    scope.buffers[name] = buffer
    return Allocate(buffer, span_of(call))


class _Reader:
    """Reads one declaration."""

    def __init__(self, name: str, target: Span, word: str, call: ast.Call, scope: Scope) -> None:
        self.name, self.target, self.word, self.call, self.scope = name, target, word, call, scope
        self.faults: Faults = scope.faults
        allowed = {"shared": ("fill", "atomic"), "private": ("fill", "threads"), "local": ("fill",)}.get(word, ())
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
        """Read `shared`, `private` and `local`."""
        element = self._element()
        threads = self._threads() if self.word == "private" else ()
        dims = tuple(self._dimension(a) for a in self.call.args[1:])
        if self.word != "shared":
            for dim, node in zip(dims, self.call.args[1:], strict=True):
                if not isinstance(dim.upper, Const):
                    raise self._malformed("the size of a thread's own array is a constant", node)
        if not (0 if threads else 1) <= len(dims) <= MOST_DIMS:
            raise self._malformed(f"{len(dims)} dims, not 1 to {MOST_DIMS}")
        space = {"shared": Space.SHARED, "private": Space.PRIVATE, "local": Space.LOCAL}[self.word]
        sizes = [d.upper.value for d in dims if isinstance(d.upper, Const)]
        if space is Space.LOCAL and element.bytes * math.prod(sizes) > LARGEST_LOCAL:
            raise self._malformed(f"more than {LARGEST_LOCAL} bytes, on the stack of each thread")
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
        if not 1 <= len(dims) <= MOST_DIMS:
            raise self._malformed(f"{len(dims)} dims, not 1 to {MOST_DIMS}")
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
