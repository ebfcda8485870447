"""Which members the argument struct of a program has: its parameters, extents, messages and results."""

from __future__ import annotations

from dataclasses import replace

from ..ir import nodes
from ..ir.nodes import Array, Dimension, Load, Reducer, Struct, StructType, Variable
from ..ir.programs import Program
from .expression_text import expression_text
from .manifest import C_TYPES, Kind, Manifest, Parameter


def program_manifest(program: Program) -> Manifest:
    """Return the layout of a program's argument struct."""
    members = [_member(p) for p in program.parameters]
    lengths = dict.fromkeys(p.lengths for p in program.parameters if isinstance(p, Array) and p.lengths is not None)
    members += [Parameter(n.name, "lengths", "i64", members=len(n.extents)) for n in lengths]
    listed = {v for n in lengths for v in n.extents}
    members += [Parameter(v.name, "extent", "i64") for v in program.extents if v not in listed]
    returned = tuple(r.name for r in program.returned)
    if program.exchange is not None:
        e = program.exchange
        names = tuple(a.name for a in (e.send, e.recv, e.ranks, e.tags))
        members.append(Parameter("exchange", "exchange", "u64", dims=names))
    if returned:
        members.append(Parameter("results", "results", "u64"))
    return Manifest.build(program.name, members, returned)


def _member(p: nodes.Parameter) -> Parameter:
    """Return a parameter of the program as a member of the argument struct, not laid out yet."""
    match p:
        case Array():
            kind: Kind = "table" if p.is_table else "pack" if p.members else "array"
            dims = tuple(_dim_text(d) for d in p.dims[bool(p.members) :])
            return Parameter(p.name, kind, p.element.name, p.access.value, dims, order=p.order, members=p.members)
        case Reducer():
            dims = tuple(_dim_text(d) for d in p.dims)
            if p.combination is None:
                return Parameter(p.name, "reducer", p.element.name, p.reduction.name, dims)
            return replace(_struct_member(p.name, p.combination.type), kind="reducer", access=p.reduction.name)
        case Struct(type=type_):
            return _struct_member(p.name, type_)
        case Variable():
            return Parameter(p.name, "scalar", p.type.name)


def _struct_member(name: str, type_: StructType) -> Parameter:
    fields = tuple((path, scalar.name, at) for path, scalar, at in type_.fields)
    return Parameter(
        name, "struct", type_.name, size=type_.size, alignment=type_.alignment, fields=fields,
        declarations=_c_types(type_),
    )  # fmt: skip


def _c_types(struct: StructType) -> tuple[str, ...]:
    inner = [d for _, m, _ in struct.members if isinstance(m, StructType) for d in _c_types(m)]
    named = ((m.name if isinstance(m, StructType) else C_TYPES[m.name], name) for name, m, _ in struct.members)
    body = " ".join(f"{type_} {name};" for type_, name in named)
    return (*inner, f"typedef struct {{ {body} }} {struct.name};")


def _dim_text(dim: Dimension) -> str:
    """Return a dim as launch expressions: `upper`, or `lower..upper`; `n[]` where each member has its own."""
    if isinstance(dim.upper, Load):
        return dim.text
    lower, upper = expression_text(dim.lower, {}), expression_text(dim.upper, {})
    return upper if lower == "0" else f"{lower}..{upper}"
