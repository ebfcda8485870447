"""Programs in programs: scratch memory, and calls of programs, whose launches stand in for the call."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..ir.nodes import Access, Array, Const, Dimension, Read, Reducer, Struct
from ..ir.programs import Argument, Fill, HostIf, KernelCall, Member, Program, ProgramStatement, every, scalar_arguments
from ..ir.source import Span
from ..ir.storage import MOST_DIMS
from ..ir.types import BOOL, I64
from ..ir.walk import walk
from .language import Marker, ScalarName
from .linear import substitute
from .program_calls import bound_call, host_expressions
from .scope import Scope
from .syntax import span_of

_Meaning = Mapping[object, Argument]  # of the called program's parameters, extents and scratch


def scratch_array(node: ast.stmt, scope: Scope) -> Array | None:
    """Return what `name = scratch(f64, n, m)` declares; None for any other statement."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Call() as call):
            meaning = scope.syntax.resolve(call.func)
        case _:
            return None
    if not (isinstance(meaning, Marker) and meaning.name == "scratch"):
        return None
    faults, where = scope.faults, span_of(call)
    if scope.is_taken(name):
        raise faults.bad_buffer(f"`{name}` already means something else", span_of(target), "already defined",
                                "use another name")  # fmt: skip
    element = scope.syntax.resolve(call.args[0]) if call.args else None
    sizes = call.args[1:]
    wrong = call.keywords or not 1 <= len(sizes) <= MOST_DIMS or any(isinstance(a, ast.Starred) for a in call.args)
    if wrong or not isinstance(element, ScalarName) or element.scalar is BOOL:
        help_ = f"write `scratch(f64, n)`, with 1 to {MOST_DIMS} sizes"
        raise faults.bad_buffer("malformed `scratch`", where, "here", help_)
    dims = tuple(_dimension(a, scope) for a in sizes)
    return Array(name, Access.MUT, element.scalar, dims, span_of(target))


def _dimension(node: ast.expr, scope: Scope) -> Dimension:
    upper = host_expressions(node, scope, "the size of scratch memory").index(node)
    numbered = next((e for e in walk(upper) if isinstance(e, Read) and e.variable is scope.repetition), None)
    if numbered is not None:
        raise scope.faults.bad_buffer(
            "scratch memory has one size in all repetitions", numbered.span, "changes", "use scalars and extents"
        )
    return Dimension(Const(0, I64, span_of(node)), upper, ast.unparse(node))


def called_program(
    program: Program, call: ast.Call, scope: Scope, known: Sequence[Array]
) -> tuple[tuple[ProgramStatement, ...], tuple[Array, ...]]:
    """Return the launches of a program that is called, and the scratch memory that they need.

    Parameters
    ----------
    known : sequence of Array
        The calling program's scratch memory so far, for names that it does not have.
    """
    span = span_of(call)
    foreign = any(not isinstance(s, KernelCall | Fill | HostIf) for s in every(program.statements))
    if foreign or any(isinstance(a, Member) for c in program.calls for a in c.arguments):
        raise scope.faults.fault(
            "KP0701", f"`{program.name}` has loops, swaps, `get` or members of packs, so no program calls it", span,
            "called here", helps=["write its launches here"],
        )  # fmt: skip
    arguments, extents = bound_call(program, call, scope)
    meaning: dict[object, Argument] = dict(zip(program.parameters, arguments, strict=True))
    meaning.update(scalar_arguments(program, arguments))
    meaning.update(zip(program.extents, extents, strict=True))
    if program.repetition is not None and scope.repetition is not None:
        meaning[program.repetition] = Read(scope.repetition, span)
    own = []
    for number, array in enumerate(program.scratch, len(known)):
        dims = tuple(replace(d, upper=substitute(d.upper, meaning)) for d in array.dims)
        own.append(replace(array, name=f"{program.name}.{array.name}.{number}", dims=dims, span=span))
        meaning[array] = own[-1]
    return tuple(_statement(s, meaning, span) for s in program.statements), tuple(own)


def _statement(statement: ProgramStatement, meaning: _Meaning, span: Span) -> ProgramStatement:
    """Return a statement of the called program; it stands where the call does."""
    match statement:
        case KernelCall(kernel, arguments, extents):
            passed = tuple(_argument(a, meaning) for a in arguments)
            return KernelCall(kernel, passed, tuple(substitute(e, meaning) for e in extents), span)
        case Fill(reducer, value):
            target = meaning[reducer]
            assert isinstance(target, Reducer), "a reducer is passed for a reducer"
            return Fill(target, value, span)
        case HostIf(condition, then, otherwise):
            first, second = (tuple(_statement(s, meaning, span) for s in block) for block in (then, otherwise))
            return HostIf(substitute(condition, meaning), first, second, span)
        case _:
            raise AssertionError(f"{type(statement).__name__} in a program that is called")


def _argument(argument: Argument, meaning: _Meaning) -> Argument:
    if isinstance(argument, Array | Reducer | Struct):
        return meaning[argument]
    return substitute(argument, meaning)
