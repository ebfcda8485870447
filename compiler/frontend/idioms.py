"""What a kernel says instead of the words of NumPy, CUDA, Numba and plain Python."""

from __future__ import annotations

import ast
import math
import tomllib
from collections.abc import Iterable
from pathlib import Path

from ..ir.nodes import Array
from ..ir.operations import INTRINSICS
from .faults import Fault, Poisoned
from .functions import ReadFunction
from .scope import Scope
from .syntax import span_of

_TABLES = tomllib.loads(Path(__file__).with_name("idioms.toml").read_text(encoding="utf-8"))


def _listed(table: str) -> dict[str, str]:
    return {key: text for keys, text in _TABLES[table].items() for key in keys.split()}


_MEANINGS, _SYNTAX, STATEMENTS, _SYNONYMS = map(_listed, ("words", "syntax", "statements", "functions"))
BARRIERS = {name for name, meaning in _SYNONYMS.items() if meaning == "barrier"}
_FUNCTIONS = "the language has " + ", ".join(f"`{name}`" for name in INTRINSICS) + "; build others of these"


def instead_of(node: ast.AST, scope: Scope) -> str:
    """Return what to write for something that the language does not have; empty if nothing particular is known."""
    match node:
        case ast.Constant(value=str() | bytes()):
            return _MEANINGS["str"]
        case ast.Constant(value=None):
            return "every name has a number: choose one that means none, or keep a `bool` beside it"
        case ast.Constant(value=complex()):
            return _MEANINGS["complex"]
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield() as inner):
            return instead_of(inner, scope)
        case ast.BinOp(op=ast.MatMult()):
            return _MEANINGS["sum"]
        case ast.Compare(ops=[ast.In() | ast.NotIn(), *_]):
            return "compare one by one: `x == a or x == b`"
        case ast.Compare(ops=[ast.Is() | ast.IsNot(), *_]):
            return "compare numbers with `==` and `!=`"
        case ast.Call():
            return _called(node, scope)
        case ast.Attribute() | ast.Name():
            return _named(node, scope)
        case ast.Subscript(value=ast.Attribute() as attribute, slice=ast.Constant(value=int() as k)):
            return _size(attribute.value, k, scope) if attribute.attr == "shape" else ""
    return _SYNTAX.get(type(node).__name__, "")


def unsupported(node: ast.expr, scope: Scope) -> Fault:
    """Return the fault of an expression of another language; raises Poisoned if it follows from a reported one."""
    for name in (n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)):
        scope.refuse_poisoned(name.id)
    scope.poison(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
    return scope.faults.unsupported_expression(f"`{ast.unparse(node)[:40]}`", span_of(node), instead_of(node, scope))


def unknown(node: ast.expr, scope: Scope, functions: Iterable[str] = ()) -> Fault:
    """Return the fault of a name that means nothing; raises Poisoned where a faulty parameter may have defined it."""
    if scope.has_unread_parameter:
        raise Poisoned
    name = node.func if isinstance(node, ast.Call) else node
    known = [*scope.known(), *functions]
    return scope.faults.unknown_name(ast.unparse(name), span_of(name), known, instead_of(node, scope))


def uncallable(call: ast.Call, callee: object, scope: Scope) -> Fault:
    """Return the fault of a call of something that no kernel calls."""
    text = ast.unparse(call.func)
    is_pythons = getattr(math, getattr(callee, "__name__", ""), None) is callee
    what = f"`{text}`, a function of Python's math module," if is_pythons else f"calling `{text}`"
    return scope.faults.unsupported_expression(what, span_of(call), instead_of(call, scope))


def _called(call: ast.Call, scope: Scope) -> str:
    callee, meaning = call.func, scope.syntax.resolve(call.func)
    parts = ast.unparse(callee).split(".")
    if hasattr(meaning, "__kparity_struct__"):
        return (
            f"a struct is written where a reducer takes it, `r.update({parts[-1]}(...))`, and returned by its operation"
        )
    if parts == ["len"]:
        return _size(call.args[0] if call.args else callee, 0, scope)
    if isinstance(meaning, ReadFunction):
        return "kernels are called by a function under `@program`, one after the other"
    if len(parts) > 1 and parts[-2:] == ["shared", "array"]:
        return "memory of a team is declared `s = shared(f64, 32)`, in the body of a `teams`"
    if len(parts) > 1 and parts[-1] in ("array", "asarray"):
        return _MEANINGS["zeros"]
    if len(parts) > 1 and parts[-2] == "atomic":
        return _MEANINGS["atomicAdd"]
    if advice := _named(callee, scope):
        return advice
    return f"put `@device` above `def {parts[-1]}`" if getattr(meaning, "__code__", None) is not None else ""


def _named(node: ast.expr, scope: Scope) -> str:
    """Return the advice on a dotted name: what its last part, or one before it, means elsewhere."""
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "size", "ndim"):
        return _size(node.value, None, scope)
    parts = ast.unparse(node).split(".")
    word = _SYNONYMS.get(parts[-1], parts[-1])
    if word in INTRINSICS and (len(parts) > 1 or word != parts[-1]):
        return f"write `{word}(...)`" + ", imported from `kparity.compiler`" * (word not in ("abs", "min", "max"))
    for part in reversed(parts):
        if part in _MEANINGS:
            return _MEANINGS[part]
    return _FUNCTIONS if len(parts) > 1 and parts[0] in ("math", "np", "numpy", "cmath", "cp", "cupy") else ""


def _size(node: ast.expr, dim: int | None, scope: Scope) -> str:
    """Return how the size of an array is written, along one dim or all of them."""
    array = scope.storage(node.id) if isinstance(node, ast.Name) else None
    dims = [d.text for d in array.dims] if isinstance(array, Array) else []
    names = dims if dim is None else dims[dim : dim + 1]
    if not names or not all(name.isidentifier() or name.isdecimal() for name in names):
        return 'a size has a name: the `n` of `x: Ref[f64, "n"]`'
    return f"the dims of `{array.name}` have names: write `{' * '.join(names)}`" if array is not None else ""


def thread_idiom(node: ast.expr) -> str:
    """Return the advice on a word for the index of a thread; empty for any other."""
    words = ast.unparse(node.func if isinstance(node, ast.Call) else node).split(".")
    thread = _MEANINGS["threadIdx"]
    return thread if any(_MEANINGS.get(w) == thread for w in words) else ""


def scalar_advice(annotation: ast.expr) -> str:
    """Return how a type of Python or NumPy is written; empty for any other word."""
    word = ast.unparse(annotation).split(".")[-1]
    return _MEANINGS.get(word, "") if _MEANINGS.get(word, "").startswith("the type is") else ""


def head_of(node: ast.expr) -> ast.expr:
    """Return what stands before the first dot of a dotted name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def in_order(call: ast.Call, callee: object) -> str:
    """Return a call with its arguments in the order of the parameters; empty if they do not belong together."""
    if not isinstance(callee, ReadFunction):
        return ""
    names = [a.arg for a in callee.syntax.tree.args.args][len(call.args) :]
    given = {k.arg: k.value for k in call.keywords}
    if set(names) != given.keys() or any(isinstance(a, ast.Starred) for a in call.args):
        return "give its arguments in the order of its parameters"
    texts = [ast.unparse(a) for a in (*call.args, *(given[n] for n in names))]
    return f"write `{ast.unparse(call.func)}({', '.join(texts)})`"
