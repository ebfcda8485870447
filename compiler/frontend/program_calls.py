"""A kernel call of a program, read: arguments matched to parameters, extents equal, nothing borrowed twice."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ..ir.nodes import Access, Array, Const, Dimension, Expr, Kernel, Load, Parameter, Read, Reducer, Struct, Variable
from ..ir.programs import Argument, KernelCall, Member, Program, memory_of, scalar_arguments
from ..ir.types import I64
from .dims import constant_dim
from .expressions import Expressions
from .faults import Faults
from .linear import same_value, substitute
from .ranges import elements_in
from .scope import Scope
from .syntax import span_of
from .values import convert


def program_of_one_call(kernel: Kernel) -> Program:
    """Return the program that calls a kernel once, with its own parameters."""

    def argument(p: Parameter) -> Argument:
        return Read(p, kernel.span) if isinstance(p, Variable) else p

    arguments = tuple(argument(p) for p in kernel.parameters)
    extents = tuple(Read(v, kernel.span) for v in kernel.extents)
    call = KernelCall(kernel, arguments, extents, kernel.span)
    return Program(kernel.name, kernel.parameters, kernel.extents, (call,), kernel.source, kernel.span)


def host_expressions(node: ast.expr, scope: Scope, what: str) -> Expressions:
    """Return a reader of an expression that the launcher computes; no element of an array is known to it."""
    for part in elements_in(node, scope):
        raise scope.faults.fault(
            "KP0702", f"{what} is known before the launch", span_of(part), "loaded from an array",
            helps=["pass it as a scalar parameter of the program"],
        )  # fmt: skip
    return Expressions(scope)


def dims_of(memory: Array | Reducer) -> tuple[Dimension, ...]:
    """Return the dims of an array or of a reducer's buffer: one element, unless it has bins."""
    if memory.dims or isinstance(memory, Array):
        return memory.dims
    count = 1 if memory.combination is None else len(memory.fields)
    return (constant_dim(count, memory.span),)


def kernel_call(kernel: Kernel, call: ast.Call, scope: Scope) -> KernelCall:
    """Return the call, or raise the fault of the first argument that does not fit."""
    return KernelCall(kernel, *bound_call(kernel, call, scope), span_of(call))


def bound_call(kernel: Kernel | Program, call: ast.Call, scope: Scope) -> tuple[tuple[Argument, ...], tuple[Expr, ...]]:
    """Return arguments and extents of a call, or raise the fault of the first argument that does not fit."""
    span, faults = span_of(call), scope.faults
    nodes = _matched(kernel, call, scope)
    arguments = tuple(_argument(kernel, p, n, scope) for p, n in zip(kernel.parameters, nodes, strict=True))
    _check_passed_once(kernel, arguments, nodes, faults)
    bound: dict[object, Expr] = dict(scalar_arguments(kernel, arguments))
    pairs = [
        (p, a, n)
        for p, a, n in zip(kernel.parameters, arguments, nodes, strict=True)
        if isinstance(p, (Array, Reducer)) and isinstance(a, (Array, Reducer))
    ]
    for parameter, array, _ in pairs:
        for want, have in zip(dims_of(parameter), dims_of(array), strict=True):
            for variable in kernel.extents:
                if variable not in bound and want.text == variable.name:
                    bound[variable] = have.upper
        if isinstance(parameter, Array) and isinstance(array, Array) and parameter.lengths is not None:
            listed = array.lengths.extents if array.lengths else ()
            common = array.dims[parameter.own_dim or 1].upper
            each: list[Expr] = [Read(v, span) for v in listed] or [common] * array.members
            bound.update(zip(parameter.lengths.extents, each, strict=True))
    for parameter, array, node in pairs:
        for want, have in zip(dims_of(parameter), dims_of(array), strict=True):
            own = isinstance(want.upper, Load)  # each member of a pack has its own
            if not (
                (own or same_value(substitute(want.upper, bound), have.upper))
                and same_value(substitute(want.lower, bound), have.lower)
            ):
                raise faults.fault(
                    "KP0702",
                    f"`{array.name}` has the dim `{have.text}` where `{parameter.name}` of `{kernel.name}` has"
                    f" `{want.text}`",
                    span_of(node), f"does not fit `{want.text}` with the other arguments",
                    others=[(array.span, "declared here")],
                    helps=["give both the same dims; equal extents have the same name"],
                )  # fmt: skip
    return arguments, tuple(bound[v] for v in kernel.extents)


def _matched(kernel: Kernel | Program, call: ast.Call, scope: Scope) -> list[ast.expr]:
    """Arguments in the kernel's order, positional ones first, as Python matches them."""
    names = [p.name for p in kernel.parameters]
    given: dict[str, ast.expr] = dict(zip(names, call.args, strict=False))
    wrong = len(call.args) > len(names) or any(isinstance(a, ast.Starred) for a in call.args)
    for keyword in call.keywords:
        wrong = wrong or keyword.arg is None or keyword.arg in given or keyword.arg not in names
        given[keyword.arg or ""] = keyword.value
    missing = [n for n in names if n not in given]
    if wrong or missing:
        what = f"misses {', '.join(f'`{m}`' for m in missing)}" if missing else "gets arguments that it does not have"
        raise scope.faults.fault(
            "KP0702", f"the call of `{kernel.name}` {what}", span_of(call), "called here",
            helps=[f"its parameters are {', '.join(f'`{n}`' for n in names)}"],
        )  # fmt: skip
    return [given[n] for n in names]


def _argument(kernel: Kernel | Program, parameter: Parameter, node: ast.expr, scope: Scope) -> Argument:
    faults, span = scope.faults, span_of(node)
    if isinstance(node, ast.Name):
        scope.refuse_poisoned(node.id)
    own = scope.parameters.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(parameter, Variable):
        value = host_expressions(node, scope, f"`{parameter.name}` of `{kernel.name}`").value(node)
        return convert(value, parameter.type, faults, f"`{parameter.name}` of `{kernel.name}` is `{parameter.type}`")
    if isinstance(parameter, Struct) and isinstance(own, Struct) and own.type == parameter.type:
        return own
    if isinstance(node, ast.Subscript) and isinstance(parameter, Array):
        own = _member(node, scope) or own
    if isinstance(parameter, Array) and isinstance(own, Reducer) and _is_readable(own, parameter):
        return own  # as the calls before this one left it
    match parameter:
        case Array(members=members):
            kind = "a pack" if members else "an array"
        case Struct(type=type_):
            kind = f"a struct `{type_.name}`"
        case Reducer(reduction=reduction):
            kind = f"a reducer `{reduction.name}`"
    if isinstance(parameter, Array) and isinstance(own, Array):
        if _form(own) != _form(parameter):
            raise faults.fault(
                "KP0702", f"`{own.name}` does not fit `{parameter.name}` of `{kernel.name}`", span,
                f"{_form(own)}, where {_form(parameter)} is needed", others=[(own.span, "declared here")],
            )  # fmt: skip
        if own.access is Access.REF and parameter.access is not Access.REF:
            raise faults.write_through_ref(own.name, span, own.span, own.element)
        if own.access is Access.ATOMIC and parameter.access is not Access.ATOMIC:
            raise faults.fault(
                "KP0702", f"`{own.name}` is borrowed as `Atomic`, and `{kernel.name}` takes it as"
                f" `{parameter.access.value}`", span, "plain accesses in the kernel",
                others=[(own.span, "atomic operations only")],
                helps=[f"declare it `{own.name}: Mut[{own.element}, ...]` in the program"],
            )  # fmt: skip
        return own
    if isinstance(parameter, Reducer) and isinstance(own, Reducer):
        same_rank = len(own.dims) == len(parameter.dims)
        same_operation = own.reduction is parameter.reduction and own.combination is parameter.combination
        if not same_operation or own.element is not parameter.element or not same_rank:
            raise faults.fault(
                "KP0702", f"`{own.name}` does not fit `{parameter.name}` of `{kernel.name}`", span,
                f"{_reducer_type(own)}, where {_reducer_type(parameter)} is needed",
                others=[(own.span, "declared here")],
            )  # fmt: skip
        return own
    raise faults.fault(
        "KP0702", f"`{parameter.name}` of `{kernel.name}` is {kind}", span, "not one of the program's",
        helps=["pass a parameter of the program, or a member of a pack, `xs[k]`"],
    )  # fmt: skip


def _member(node: ast.Subscript, scope: Scope) -> Member | None:
    """Return what `pack[number]` is; None if that is no pack of the program."""
    pack = scope.parameters.get(node.value.id) if isinstance(node.value, ast.Name) else None
    if not isinstance(pack, Array) or not pack.members:
        return None
    span, faults, what = span_of(node), scope.faults, f"the member of `{pack.name}`"
    if pack.access is Access.OUT:
        raise faults.fault(
            "KP0702", f"a member of `{pack.name}` cannot be passed by itself", span, "a member of an `Out`",
            others=[(pack.span, "declared here")],
            helps=[f"declare it `{pack.name}: Pack[Mut[{pack.element}, ...], {pack.members}]`"],
        )  # fmt: skip
    number = convert(host_expressions(node.slice, scope, what).value(node.slice), I64, faults, f"{what} is an `i64`")
    if isinstance(number, Const) and not 0 <= int(number.value) < pack.members:
        raise faults.fault(
            "KP0702", f"`{pack.name}` has the members 0 to {pack.members - 1}", span, f"no member {number.value}",
            others=[(pack.span, "declared here")],
        )  # fmt: skip
    dims = [
        replace(d, upper=Load(pack.lengths, (number,), span)) if n == pack.own_dim and pack.lengths else d
        for n, d in enumerate(pack.dims)
    ]
    return Member(
        ast.unparse(node), pack.access, pack.element, tuple(dims[1:]), span, pack.order, pack=pack, number=number
    )  # fmt: skip


def _form(array: Array) -> str:
    """Return what must be the same of an array and the parameter that it is passed to."""
    rank = len(array.dims) - bool(array.members)
    kind = f"a pack of {array.members}, each " if array.members else "a table of " if array.is_table else ""
    order = f" in layout({', '.join(map(str, array.order))})" if array.order else ""
    return f"{kind}`{array.element}` with {rank} dim{'s' * (rank != 1)}{order}"


def _is_readable(reducer: Reducer, parameter: Array) -> bool:
    """Whether a kernel may read what a reducer's buffer holds as its array."""
    fits = reducer.element is parameter.element and len(dims_of(reducer)) == len(parameter.dims)
    plain = not (parameter.members or parameter.is_table)
    alike = all(type_ is reducer.element for type_, _ in reducer.fields) and not reducer.reduction.has_location
    return fits and plain and parameter.access is Access.REF and alike


def _reducer_type(reducer: Reducer) -> str:
    if (c := reducer.combination) is not None:
        return f"`Reduce[{c.type.name}, {c.function}, {c.type.name}({', '.join(str(i.value) for i in c.identity)})]`"
    return f"`{reducer.reduction.name}[{', '.join([reducer.element.name, *(d.text for d in reducer.dims)])}]`"


def _check_passed_once(
    kernel: Kernel | Program, arguments: tuple[Argument, ...], nodes: list[ast.expr], faults: Faults
) -> None:
    seen: list[tuple[Array | Reducer, Any, ast.expr]] = []
    for parameter, argument, node in zip(kernel.parameters, arguments, nodes, strict=True):
        if not isinstance(argument, (Array, Reducer)):
            continue
        for first, first_node in [(p, n) for other, p, n in seen if _may_be_one(argument, other)]:
            borrows = {p.access if isinstance(p, Array) else Access.MUT for p in (first, parameter)}
            if borrows not in ({Access.REF}, {Access.ATOMIC}):
                how = "atomically and plainly" if borrows == {Access.REF, Access.ATOMIC} else "exclusively"
                raise faults.fault(
                    "KP0505", f"`{argument.name}` is passed twice to `{kernel.name}`, which borrows it {how}",
                    span_of(node), f"borrowed again, as `{parameter.name}`",
                    others=[(span_of(first_node), f"borrowed here, as `{first.name}`")],
                    notes=[
                        "an exclusive borrow excludes every other one: that is what the compiler's `noalias` rests on"
                        if how == "exclusively"
                        else "plain accesses and atomic ones must not meet: an atomic borrow excludes every plain one"
                    ],
                    helps=["pass a second array"],
                )  # fmt: skip
        seen.append((argument, parameter, node))


def _may_be_one(a: Array | Reducer, b: Array | Reducer) -> bool:
    """Whether two arguments may share memory: members of one pack do unless their numbers are different constants."""
    numbers = [m.number.value for m in (a, b) if isinstance(m, Member) and isinstance(m.number, Const)]
    return memory_of(a) is memory_of(b) and (len(numbers) < 2 or numbers[0] == numbers[1])
