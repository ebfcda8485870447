"""Parameter lists: borrows, reducers, scalars, and the names in their dims."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from ..diagnostics.diagnostic import CompileError
from ..ir.nodes import Access, Const, Dimension, Parameter, Reducer, Struct, StructType, Variable, VariableKind
from ..ir.operations import Reduction
from ..ir.source import Span
from ..ir.storage import MOST_DIMS
from ..ir.types import BOOL, I64
from .dims import RESERVED, RawArray, bare_extents, length_dim, own_length, own_lengths, read_dimension
from .faults import Fault, Faults, Poisoned
from .idioms import scalar_advice
from .language import Borrow, Layout, Marker, ReducerName, ScalarName
from .scope import Scope
from .syntax import Syntax, span_of
from .tables import LARGEST

_ANNOTATIONS = (
    'write `Mut[f64, "n"]`, `Ref[f64, "n", "m"]`, `Out[...]`, `Atomic[...]`, `Sum[f64]` or a scalar type such as `f64`'
)
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
MOST_MEMBERS = 1024

_Raw: TypeAlias = RawArray | Reducer | Variable | Struct


@dataclass(frozen=True, slots=True)
class Signature:
    """A parameter list, read."""

    parameters: tuple[Parameter, ...]
    extents: tuple[Variable, ...]


def read_signature(syntax: Syntax, faults: Faults, scope: Scope) -> tuple[Signature, list[Fault]]:
    """Read the parameters of a kernel or program into `scope`; returns every fault found."""
    found: list[Fault] = []
    raw: list[_Raw] = []
    arguments = syntax.tree.args
    starred = [a for a in (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg) if a is not None]
    for extra in (*arguments.defaults, *starred):
        found.append(
            faults.bad_parameter(
                "parameters are plain: no defaults, no `*`", span_of(extra), "not supported here", _ANNOTATIONS
            )
        )
    faulty = list(starred)
    for argument in (*arguments.posonlyargs, *arguments.args):
        try:
            raw.append(_read_parameter(argument, syntax, faults))
        except Fault as fault:
            found.append(fault)
            faulty.append(argument)
        except CompileError as error:  # faults of a reducer's operation, at their own lines
            found += map(Fault, error.diagnostics)
            faulty.append(argument)
    # Arrays without their dims for now: their names are taken, and are no extents.
    scope.parameters.update({p.name: p.with_dims(()) if isinstance(p, RawArray) else p for p in raw})
    extents = bare_extents(raw, scope)
    scope.has_unread_parameter = bool(faulty) and not extents
    scope.parameters.update(extents)
    lengths = own_lengths(raw, scope, faults, found)
    scope.parameters.update(lengths)
    scope.poison(name for argument in faulty for name in _names_of(argument))
    parameters: list[Parameter] = []
    for p in raw:
        if not isinstance(p, RawArray):
            parameters.append(p)
            continue
        place, length = own_length(p)
        own = lengths.get(length)
        try:
            if own is None and length:
                raise Poisoned
            dims = tuple(
                length_dim(own) if own is not None and n == place else read_dimension(d, scope, faults)
                for n, d in enumerate(p.dims)
            )
            if p.is_table:
                _check_table(p, dims, faults)
            if p.access is Access.PUSH and not (isinstance(lower := dims[0].lower, Const) and lower.value == 0):
                raise faults.bad_parameter(
                    f"`Push` array `{p.name}` has an origin", p.span, "a list starts at 0", 'write `Push[..., "n"]`'
                )
        except Fault as fault:
            found.append(fault)
            dims = _unknown_dims(p)
        except Poisoned:
            dims = _unknown_dims(p)
        parameters.append(p.with_dims(dims, own))
    scope.parameters.update({p.name: p for p in parameters})
    every = (*extents.values(), *(v for own in lengths.values() for v in own.extents))
    return Signature(tuple(parameters), every), found


def _unknown_dims(p: RawArray) -> tuple[Dimension, ...]:
    """Keep the rank, so that uses of the array are still examined."""
    return tuple(Dimension(Const(0, I64, p.span), Const(0, I64, p.span), "?") for _ in p.dims)


def _names_of(argument: ast.arg) -> Iterator[str]:
    """Yield a faulty parameter's name and the names in its dims: none of them is known now, for that one reason."""
    yield argument.arg
    for node in ast.walk(argument.annotation or ast.Pass()):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _IDENTIFIER.findall(node.value)


def _read_parameter(argument: ast.arg, syntax: Syntax, faults: Faults) -> _Raw:
    span, name = span_of(argument), argument.arg
    if name in RESERVED:
        raise faults.bad_parameter(
            f"the name `{name}` is taken: {RESERVED[name]}", span, "not to be used", "use another name"
        )
    annotation = argument.annotation
    if annotation is None:
        raise faults.bad_parameter(f"parameter `{name}` has no type", span, "no annotation", _ANNOTATIONS)
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = _unquoted(annotation, annotation.value, faults)
    meaning, items = _head(annotation, syntax), _items(annotation)
    if isinstance(meaning, Marker) and meaning.name == "Static":
        raise faults.bad_parameter(
            f"`{name}` is a compile-time integer without a value", span, "known when the kernel is compiled",
            f"give it one: call the kernel from a program or from Python, or write `{syntax.tree.name}.specialise"
            f"({name}=16)`; programs and device functions have none",
        )  # fmt: skip
    match meaning:
        case ScalarName(scalar=scalar) if not items:
            return Variable(name, scalar, VariableKind.SCALAR, span)
        case type() if isinstance(layout := getattr(meaning, "__kparity_struct__", None), StructType) and not items:
            fields = ((f"{name}.{path}", type_) for path, type_, _ in layout.fields)
            return Struct(name, layout, tuple(Variable(n, t, VariableKind.SCALAR, span) for n, t in fields), span)
        case ReducerName(reduction=reduction):
            return _read_reducer(name, reduction, items, span, syntax, faults)
        case Borrow(name="Table" | "Pack" as kind):
            read = _read_table if kind == "Table" else _read_pack
            return read(name, items, span, syntax, faults)
        case Borrow(name=borrow):
            return _read_array(name, borrow, items, span, syntax, faults)
    help_ = scalar_advice(annotation) or _ANNOTATIONS
    raise faults.bad_parameter(f"`{ast.unparse(annotation)}` is not a parameter type", span, "not known", help_)


def _head(annotation: ast.expr, syntax: Syntax) -> object:
    return syntax.resolve(annotation.value if isinstance(annotation, ast.Subscript) else annotation)


def _read_reducer(
    name: str, reduction: Reduction, items: list[ast.expr], span: Span, syntax: Syntax, faults: Faults
) -> Reducer | RawArray:
    if reduction.name == "Reduce":
        from .combinations import read_combined  # which reads statements

        return read_combined(name, items, span, syntax, faults)
    element = syntax.resolve(items[0]) if items else None
    if not isinstance(element, ScalarName):
        raise faults.bad_parameter(
            f"reducer `{name}` needs one element type", span, "malformed", f"write `{name}: {reduction.name}[i32]`"
        )
    if not reduction.accepts(element.scalar):
        raise faults.bad_parameter(
            f"`{reduction.name}` does not combine `{element.scalar}`",
            span,
            "not supported",
            f"write `{name}: {reduction.name}[i32]`",
        )
    if len(items) == 1:
        return Reducer(name, reduction, element.scalar, span)
    most = 0 if reduction.has_location else 4
    if len(items) - 1 > most:
        raise faults.bad_parameter(
            f"reducer `{name}` has {len(items) - 1} dims, at most {most} are possible", span, "not supported",
            f"write `{name}: {reduction.name}[{element.scalar}]`",
        )  # fmt: skip
    return RawArray(name, Access.ATOMIC, element.scalar, tuple(items[1:]), (), False, span, reduction=reduction)


def _read_array(name: str, borrow: str, items: list[ast.expr], span: Span, syntax: Syntax, faults: Faults) -> RawArray:
    element = syntax.resolve(items[0]) if items else None
    if not isinstance(element, ScalarName):
        raise faults.bad_parameter(
            f"array `{name}` needs an element type first", span, "malformed",
            (items and scalar_advice(items[0])) or f'write `{name}: {borrow}[f64, "n"]`',
        )  # fmt: skip
    access = Access.REF if borrow == "Table" else Access[borrow.upper()]
    if access is Access.ATOMIC and element.scalar is BOOL:
        raise faults.bad_parameter(
            f"`Atomic` array `{name}` holds `bool`", span, "no processor updates single bytes atomically",
            "use `i32`, with 0 and 1",
        )  # fmt: skip
    dims = items[1:]
    order: tuple[int, ...] = ()
    if dims and isinstance(dims[-1], ast.Call) and isinstance(syntax.resolve(dims[-1].func), Layout):
        order = _read_layout(dims[-1], len(dims) - 1, faults)
        dims = dims[:-1]
    if not 1 <= len(dims) <= MOST_DIMS:
        raise faults.bad_parameter(
            f"array `{name}` needs 1 to {MOST_DIMS} dims",
            span,
            f"{len(dims)} dims",
            f'write `{name}: {borrow}[f64, "n"]`',
        )
    if access is Access.PUSH and len(dims) > 1:
        raise faults.bad_parameter(
            f"`Push` array `{name}` has {len(dims)} dims", span, "a list has one", f'write `{name}: Push[..., "n"]`'
        )
    return RawArray(name, access, element.scalar, tuple(dims), order, borrow == "Table", span)


def _read_layout(call: ast.Call, rank: int, faults: Faults) -> tuple[int, ...]:
    """Return the dims from the slowest to the fastest; nothing if that is row-major."""
    order = tuple(a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, int))
    if call.keywords or len(order) != len(call.args) or sorted(order) != list(range(rank)):
        raise faults.bad_parameter(
            f"`{ast.unparse(call)}` is no order of {rank} dims", span_of(call), "not a permutation",
            "name each dim once, from the slowest to the fastest in memory:"
            f" `layout({_numbers(reversed(range(rank)))})` is column-major",
        )  # fmt: skip
    return () if order == tuple(range(rank)) else order


def _numbers(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


def _read_table(name: str, items: list[ast.expr], span: Span, syntax: Syntax, faults: Faults) -> RawArray:
    table = _read_array(name, "Table", items, span, syntax, faults)
    if table.order:
        raise faults.bad_parameter(f"table `{name}` has a layout", span, "always row-major", "drop `layout(...)`")
    return table


def _check_table(table: RawArray, dims: tuple[Dimension, ...], faults: Faults) -> None:
    sizes = [d.upper.value for d in dims if isinstance(d.upper, Const)]
    if len(sizes) != len(dims):
        raise faults.bad_parameter(
            f"the size of table `{table.name}` is not known when the kernel is compiled", table.span, "not constant",
            f'use numbers, or borrow an array: `{table.name}: Ref[{table.element}, "n"]`',
        )  # fmt: skip
    size = prod(map(int, sizes)) * table.element.bytes
    if size > LARGEST:
        raise faults.bad_parameter(
            f"table `{table.name}` has {size} bytes, more than the {LARGEST} that are passed by value",
            table.span, "too large", f"borrow an array: `{table.name}: Ref[{table.element}, ...]`",
        )  # fmt: skip


def _read_pack(name: str, items: list[ast.expr], span: Span, syntax: Syntax, faults: Faults) -> RawArray:
    usage = f'write `{name}: Pack[Ref[f64, "n"], 8]`, or `Pack[Ref[f64, "n[]"], 8]` for members of different lengths'
    count = _constant(items[1], syntax) if len(items) == 2 else None
    borrow = _head(items[0], syntax) if items else None
    if not isinstance(borrow, Borrow) or borrow.name in ("Table", "Pack", "Push") or count is None:
        raise faults.bad_parameter(f"pack `{name}` needs a borrow and a number of members", span, "malformed", usage)
    member = _read_array(name, borrow.name, _items(items[0]), span, syntax, faults)
    if not 1 <= count <= MOST_MEMBERS:
        raise faults.bad_parameter(
            f"pack `{name}` has {count} members", span, f"1 to {MOST_MEMBERS} are possible", usage
        )
    if member.order:
        raise faults.bad_parameter(f"members of pack `{name}` have a layout", span, "always row-major", usage)
    return replace(member, members=count)


def _constant(node: ast.expr, syntax: Syntax) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else syntax.resolve(node)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _unquoted(quoted: ast.Constant, text: str, faults: Faults) -> ast.expr:
    """Return an annotation that was written as a string, its parts standing where the string stands."""
    try:
        annotation = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise faults.bad_parameter(
            f"`{text}` is not a parameter type", span_of(quoted), "not an expression", _ANNOTATIONS
        ) from error
    for node in ast.walk(annotation):
        ast.copy_location(node, quoted)
    return annotation


def _items(annotation: ast.expr) -> list[ast.expr]:
    if not isinstance(annotation, ast.Subscript):
        return []
    inner = annotation.slice
    return list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
