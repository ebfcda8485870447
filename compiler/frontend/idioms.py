"""What a kernel says instead of the words of NumPy, CUDA, Numba and plain Python."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable

from ..ir.nodes import Array
from ..ir.operations import INTRINSICS
from .faults import Fault, Poisoned
from .functions import ReadFunction
from .scope import Scope
from .syntax import span_of

_LOOP = "write the loop, `for j in range(n): t += x[j]`; what all threads add up is a reducer, `total: Sum[f64]`"
_THREAD = (
    "the loop's index is the thread's: `for i in parallel(n):`; threads that work together are"
    " `for b in teams(...):` around `for t in threads(...):`"
)
_ATOMIC = "borrow the array as `Atomic[f64, ...]` and write `h[i].add(v)`, `.min(v)`, `.exchange(v)`, ..."
_LOCAL = "a small array of the thread's own is declared `t = local(f64, 8, fill=0.0)`, in a statement of its own"
_SHARED = "memory of a team is declared `s = shared(f64, 32)`, in the body of a `teams`"
_ELEMENTS = "loop over the index, `for j in range(n):`, and read `x[j]`"
_DEVICE = "write a function at the level of the module, under `@device`"
_OPTION = "pass an integer instead, or write a kernel for each case"

# Of a name its last part counts, as in `np.sum`, `x.sum` and `sum`; several that are answered alike stand in one line.
_WORDS = {
    "print pprint printf": "a thread prints nothing: store the value in an array, and print that on the host",
    "append extend insert pop remove": "a list that grows is borrowed, `list: Push[i32, ...]`, and takes"
    " `list.push(e)` once a thread; a counter is a reducer, `count: Sum[i64]`",
    "sum mean average prod std var dot matmul vdot inner any all count_nonzero argmin argmax amin amax cumsum norm"
    " trace einsum tensordot nansum median sort sorted": _LOOP,
    "zeros empty ones full zeros_like empty_like ones_like full_like list": _LOCAL,
    "arange linspace meshgrid": "compute the value from the index: `lo + i * step`",
    "where select": "write `a if condition else b`",
    "clip clamp": "write `min(max(x, lo), hi)`",
    "isnan": "only a NaN differs from itself: write `x != x`",
    "isfinite": "write `x - x == 0.0`",
    "isinf": "write `abs(x) == math.inf`",
    "float double float64": "the type is `f64`, and a cast `f64(x)`",
    "int long int64 intp longlong": "the type is `i64`, and a cast `i64(x)`; it drops what is behind the point",
    "float32 single": "the type is `f32`, and a cast `f32(x)`",
    "int32 intc": "the type is `i32`, and a cast `i32(x)`",
    "uint32 uintc": "the type is `u32`, and a cast `u32(x)`",
    "uint64 uint uintp": "the type is `u64`, and a cast `u64(x)`",
    "bool_": "the type is `bool`, and comes from a comparison: `x != 0`",
    "round rint around": "write `floor(x + 0.5)`",
    "square": "write `x * x`",
    "divmod": "write `a // b` and `a % b`",
    "complex complex64 complex128 real imag": "keep the two parts in arrays of their own",
    "str repr format": "there are no texts in a kernel: " + _OPTION,
    "threadIdx blockIdx blockDim gridDim grid gridsize get_global_id get_local_id program_id tid thread_index"
    " thread_position_in_grid laneid warpsize": _THREAD,
    "prange": "write `parallel(n)` at the top of a kernel, `range(n)` inside of a thread",
    "enumerate zip reversed iter map filter nditer ndenumerate": _ELEMENTS,
    "atomicAdd atomicMax atomicMin atomicCAS atomicExch atomicOr atomicAnd atomic_add compare_and_swap cas": _ATOMIC,
    "__shfl_sync __shfl_down_sync __shfl_xor_sync shfl_sync shfl_down_sync shfl_xor_sync shfl_up_sync ballot_sync"
    " __ballot_sync": "threads do not see each other's variables: use a reducer, or `shared(...)` memory and phases",
    "sleep time perf_counter clock": "time it on the host: `kparity run`",
    "random rand randn normal uniform": "fill an array with random numbers on the host, and pass that",
}  # fmt: skip
_MEANINGS = {word: text for words, text in _WORDS.items() for word in words.split()}
_SYNONYMS = {
    "fabs": "abs", "absolute": "abs", "maximum": "max", "minimum": "min", "fmax": "max", "fmin": "min", "power": "pow",
    "arctan": "atan", "arctan2": "atan2", "fix": "trunc",
}  # fmt: skip
_FUNCTIONS = "the language has " + ", ".join(f"`{name}`" for name in INTRINSICS) + "; build others of these"

_EXPRESSIONS: dict[type[ast.AST], str] = {
    ast.ListComp: f"write a loop; {_LOCAL}",
    ast.GeneratorExp: _LOOP,
    ast.DictComp: "a table of numbers of the module can be indexed, `T[k]`",
    ast.SetComp: f"write a loop; {_LOCAL}",
    ast.List: _LOCAL,
    ast.Dict: "a table of numbers of the module can be indexed, `T[k]`",
    ast.Set: f"write a loop; {_LOCAL}",
    ast.Tuple: "an expression has one value; a function with several stores them in an array that it borrows as `Mut`",
    ast.Lambda: _DEVICE,
    ast.NamedExpr: "assign it in a statement of its own before",
    ast.JoinedStr: "there are no texts in a kernel",
    ast.Slice: "write a loop over the elements: `for j in range(lo, hi): ... x[j]`",
    ast.Await: "write a program: its calls follow each other",
}
_STATEMENTS: dict[type[ast.AST], str] = {
    ast.Break: "put the rest of the thread's body under an `if`",
    ast.Continue: "put the rest of the thread's body under an `if`",
    ast.Return: "a thread ends with its body, and hands back nothing: put the rest under an `if`, and store results in"
    " `Out` arrays or reducers",
    ast.Raise: "state launch conditions with `require(...)` before the `parallel`",
    ast.Assert: "state launch conditions with `require(...)` before the `parallel`",
    ast.Try: "nothing is raised in a kernel: test the condition with an `if`",
    ast.Delete: "drop this line: a name ends with its block",
    ast.Global: "a kernel changes only what it borrows: take a reducer, `count: Sum[i64]`, or an array",
    ast.Nonlocal: "a kernel changes only what it borrows: take a reducer, `count: Sum[i64]`, or an array",
    ast.Import: "import it at the top of the file",
    ast.ImportFrom: "import it at the top of the file",
    ast.Match: "write `if` and `elif`",
    ast.FunctionDef: _DEVICE,
    ast.ClassDef: "write a struct of scalars at the level of the module, under `@struct`",
    ast.Expr: "its value goes nowhere: assign it, or drop the line",
}


def instead_of(node: ast.AST, scope: Scope) -> str:
    """Return what to write for something that the language does not have; empty if nothing particular is known."""
    match node:
        case ast.Constant(value=str() | bytes()):
            return "there are no texts in a kernel: " + _OPTION
        case ast.Constant(value=None):
            return "every name has a number: choose one that means none, or keep a `bool` beside it"
        case ast.Constant(value=complex()):
            return _MEANINGS["complex"]
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield() as inner):
            return instead_of(inner, scope)
        case ast.BinOp(op=ast.MatMult()):
            return _LOOP
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
    return (_STATEMENTS if isinstance(node, ast.stmt) else _EXPRESSIONS).get(type(node), "")


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
        return _SHARED
    if len(parts) > 1 and parts[-1] in ("array", "asarray"):
        return _LOCAL
    if len(parts) > 1 and parts[-2] == "atomic":
        return _ATOMIC
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
    return _THREAD if any(_MEANINGS.get(w) is _THREAD for w in words) else ""


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
