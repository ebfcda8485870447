"""A program function, read: kernel calls, `fill` and `get` on reducers."""

from __future__ import annotations

import ast
from typing import Any

from ..diagnostics.diagnostic import CompileError, Diagnostic
from ..ir.nodes import Access, Array, Const, Expr, Kernel, Parameter, Read, Reducer, Struct, Variable
from ..ir.programs import MOST_RETURNED, Argument, Fill, Get, KernelCall, Program, ProgramStatement, scalar_arguments
from .expressions import Expressions
from .faults import Fault, Faults, Poisoned
from .linear import same_value, substitute
from .parameters import Signature, read_signature
from .scope import Scope
from .syntax import Syntax, span_of
from .values import convert

_CALLS_ONLY = "a program is a sequence of kernel calls, `r.fill(value)` and `r.get()`"


def read_program(syntax: Syntax) -> Program:
    """Return the typed program; raises CompileError with every fault."""
    faults = Faults(syntax.source)
    scope = Scope(syntax, faults)
    signature, found = read_signature(syntax, faults, scope)
    statements: list[ProgramStatement] = []
    in_kernels: list[Diagnostic] = []
    for node in syntax.tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            continue
        try:
            statements.append(_statement(node, scope))
        except Fault as fault:
            found.append(fault)
        except Poisoned:
            continue
        except CompileError as error:  # of the kernel that is called
            in_kernels.extend(error.diagnostics)
    if not found and not in_kernels:
        found.extend(_misplaced(statements, faults))
        found.extend(_undeliverable(statements, faults))
        found.extend(_unwritten(statements, signature, faults))
    if not found and not in_kernels and not any(isinstance(s, KernelCall) for s in statements):
        found.append(
            faults.fault("KP0701", "a program calls at least one kernel", syntax.header, "no kernel call in here")
        )
    if found or in_kernels:
        raise CompileError(tuple(dict.fromkeys([*(f.diagnostic for f in found), *in_kernels])))
    return Program(
        syntax.tree.name, signature.parameters, signature.extents, tuple(statements), syntax.source, syntax.header
    )


def _unwritten(statements: list[ProgramStatement], signature: Signature, faults: Faults) -> list[Fault]:
    """Find each `Out` that is not written whole by the first call that takes it: before that it has no value."""
    found = []
    for array in signature.parameters:
        if not isinstance(array, Array) or array.access is not Access.OUT:
            continue
        uses = [(c, p) for c in statements if isinstance(c, KernelCall) for p, a in _pairs(c) if a is array]
        if not uses:
            found.append(
                faults.fault(
                    "KP0503",
                    f"no call writes `{array.name}`, which is declared `Out`",
                    array.span,
                    "never passed to a kernel",
                    helps=["drop the parameter"],
                )
            )
            continue
        call, parameter = uses[0]
        if parameter.access is not Access.OUT:
            found.append(faults.fault(
                "KP0502", f"`{array.name}` is declared `Out`, but its first use may read it", call.span,
                f"`{call.kernel.name}` takes it as `{parameter.access.value}`",
                others=[(array.span, "holds nothing before")],
                helps=[f"declare it `{array.name}: Mut[...]`, or take it as `Out` in the kernel"],
            ))  # fmt: skip
    return found


def _pairs(call: KernelCall) -> list[tuple[Array, object]]:
    """Array parameters of the called kernel with what the program passes."""
    return [(p, a) for p, a in zip(call.kernel.parameters, call.arguments, strict=True) if isinstance(p, Array)]


def program_of_one_call(kernel: Kernel) -> Program:
    """Return the program that calls a kernel once, with its own parameters."""

    def argument(p: Parameter) -> Argument:
        return Read(p, kernel.span) if isinstance(p, Variable) else p

    arguments = tuple(argument(p) for p in kernel.parameters)
    extents = tuple(Read(v, kernel.span) for v in kernel.extents)
    call = KernelCall(kernel, arguments, extents, kernel.span)
    return Program(kernel.name, kernel.parameters, kernel.extents, (call,), kernel.source, kernel.span)


def _statement(node: ast.stmt, scope: Scope) -> ProgramStatement:
    span = span_of(node)
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        raise scope.faults.fault(
            "KP0701", f"`{ast.unparse(node).splitlines()[0][:40]}` is not part of a program",
            span, "not supported here",
            notes=[_CALLS_ONLY],
        )  # fmt: skip
    call = node.value
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        scope.refuse_poisoned(call.func.value.id)
        reducer = scope.parameters.get(call.func.value.id)
        if reducer is not None:
            return _on_reducer(call, call.func.attr, reducer, scope)
    callee = scope.syntax.resolve(call.func)
    typed = getattr(callee, "typed", None)
    if not isinstance(typed, Kernel):
        raise scope.faults.fault(
            "KP0701",
            f"`{ast.unparse(call.func)}` is not a kernel",
            span_of(call.func),
            "called here",
            notes=[_CALLS_ONLY],
        )
    return _kernel_call(typed, call, scope)


def _on_reducer(call: ast.Call, method: str, reducer: Any, scope: Scope) -> Fill | Get:
    span, name = span_of(call), ast.unparse(call.func)
    if not isinstance(reducer, Reducer) or method not in ("fill", "get") or call.keywords:
        raise scope.faults.fault(
            "KP0701", f"`{name}` is not part of a program", span, "not supported here", notes=[_CALLS_ONLY]
        )
    if len(call.args) != (method == "fill"):
        raise scope.faults.wrong_arguments(
            name, f"takes {'one value' if method == 'fill' else 'no arguments'}", span, ""
        )
    if method == "get":
        return Get(reducer, span)
    value = convert(
        Expressions(scope).value(call.args[0]),
        reducer.element,
        scope.faults,
        f"`{reducer.name}` holds `{reducer.element}`",
    )
    if not isinstance(value, Const):
        raise scope.faults.fault("KP0701", f"`{name}` takes a constant", span_of(call.args[0]), "not a constant")
    return Fill(reducer, value, span)


def _kernel_call(kernel: Kernel, call: ast.Call, scope: Scope) -> KernelCall:
    span, faults = span_of(call), scope.faults
    nodes = _matched(kernel, call, scope)
    arguments = tuple(_argument(kernel, p, n, scope) for p, n in zip(kernel.parameters, nodes, strict=True))
    _check_passed_once(kernel, arguments, nodes, faults)
    bound: dict[object, Expr] = dict(scalar_arguments(kernel, arguments))
    pairs = [
        (p, a, n)
        for p, a, n in zip(kernel.parameters, arguments, nodes, strict=True)
        if isinstance(p, Array) and isinstance(a, Array)
    ]
    for parameter, array, _ in pairs:
        for want, have in zip(parameter.dims, array.dims, strict=True):
            for variable in kernel.extents:
                if variable not in bound and want.text == variable.name:
                    bound[variable] = have.upper
        if parameter.lengths is not None:
            listed = array.lengths.extents if array.lengths else ()
            each: list[Expr] = [Read(v, span) for v in listed] or [array.dims[1].upper] * array.members
            bound.update(zip(parameter.lengths.extents, each, strict=True))
    for parameter, array, node in pairs:
        for position, (want, have) in enumerate(zip(parameter.dims, array.dims, strict=True)):
            own = parameter.lengths is not None and position == 1  # then each member has its own upper end
            fits = own or same_value(substitute(want.upper, bound), have.upper)
            if not (fits and same_value(substitute(want.lower, bound), have.lower)):
                raise faults.fault(
                    "KP0702",
                    f"`{array.name}` has the dim `{have.text}` where `{parameter.name}` of `{kernel.name}` has"
                    f" `{want.text}`",
                    span_of(node), f"does not fit `{want.text}` with the other arguments",
                    others=[(array.span, "declared here")],
                    helps=["give both the same dims; equal extents have the same name"],
                )  # fmt: skip
    return KernelCall(kernel, arguments, tuple(bound[v] for v in kernel.extents), span)


def _matched(kernel: Kernel, call: ast.Call, scope: Scope) -> list[ast.expr]:
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


def _argument(kernel: Kernel, parameter: Parameter, node: ast.expr, scope: Scope) -> Argument:
    faults, span = scope.faults, span_of(node)
    if isinstance(node, ast.Name):
        scope.refuse_poisoned(node.id)
    own = scope.parameters.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(parameter, Variable):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Subscript):
                raise faults.fault(
                    "KP0702", f"`{parameter.name}` of `{kernel.name}` is known before the launch", span_of(inner),
                    "loaded from an array", helps=["pass it as a scalar parameter of the program"],
                )  # fmt: skip
        value = Expressions(scope).value(node)
        return convert(value, parameter.type, faults, f"`{parameter.name}` of `{kernel.name}` is `{parameter.type}`")
    if isinstance(parameter, Struct) and isinstance(own, Struct) and own.type == parameter.type:
        return own
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
        if own.reduction is not parameter.reduction or own.element is not parameter.element:
            raise faults.fault(
                "KP0702",
                f"`{own.name}` does not fit `{parameter.name}` of `{kernel.name}`",
                span,
                f"`{own.reduction.name}[{own.element}]`, where"
                f" `{parameter.reduction.name}[{parameter.element}]` is needed",
                others=[(own.span, "declared here")],
            )
        return own
    raise faults.fault(
        "KP0702",
        f"`{parameter.name}` of `{kernel.name}` is {kind}",
        span,
        "not one of the program's",
        helps=["pass a parameter of the program"],
    )


def _form(array: Array) -> str:
    """Return what must be the same of an array and the parameter that it is passed to."""
    rank = len(array.dims) - bool(array.members)
    kind = f"a pack of {array.members}, each " if array.members else "a table of " if array.is_table else ""
    order = f" in layout({', '.join(map(str, array.order))})" if array.order else ""
    return f"{kind}`{array.element}` with {rank} dim{'s' * (rank != 1)}{order}"


def _check_passed_once(kernel: Kernel, arguments: tuple[Argument, ...], nodes: list[ast.expr], faults: Faults) -> None:
    seen: dict[Array | Reducer, tuple[Any, ast.expr]] = {}
    for parameter, argument, node in zip(kernel.parameters, arguments, nodes, strict=True):
        if not isinstance(argument, (Array, Reducer)):
            continue
        if argument in seen:
            first, first_node = seen[argument]
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
        seen[argument] = (parameter, node)


def _misplaced(statements: list[ProgramStatement], faults: Faults) -> list[Fault]:
    """Find each `fill` without a later contribution, and each `get` that is not behind all of them."""
    found = []
    for position, statement in enumerate(statements):
        if isinstance(statement, KernelCall):
            continue
        reducer, name = statement.reducer, statement.reducer.name
        before, after = (
            any(isinstance(s, KernelCall) and reducer in s.arguments for s in part)
            for part in (statements[:position], statements[position + 1 :])
        )
        if isinstance(statement, Fill) and not after:
            found.append(
                faults.fault(
                    "KP0701",
                    f"`{name}.fill` and no later call that contributes to `{name}`",
                    statement.span,
                    "has no effect",
                    notes=[_CALLS_ONLY],
                )
            )
        elif isinstance(statement, Get) and after:
            found.append(
                faults.fault(
                    "KP0701",
                    f"`{name}.get` before the last call that contributes to `{name}`",
                    statement.span,
                    "here",
                    helps=["move it behind the last call"],
                )
            )
        elif isinstance(statement, Get) and not before:
            found.append(
                faults.fault(
                    "KP0701",
                    f"`{name}.get`, but no call contributes to `{name}`",
                    statement.span,
                    "here",
                    notes=[_CALLS_ONLY],
                )
            )
    return found


def _undeliverable(statements: list[ProgramStatement], faults: Faults) -> list[Fault]:
    """Each scalar is brought back once, in a block that has few slots."""
    found: list[Fault] = []
    seen: set[Reducer] = set()
    for statement in (s for s in statements if isinstance(s, Get)):
        name = statement.reducer.name
        if statement.reducer in seen:
            found.append(faults.fault("KP0701", f"`{name}.get` twice", statement.span, "brought back already"))
        elif len(seen) == MOST_RETURNED:
            found.append(
                faults.fault(
                    "KP0701",
                    f"a repetition brings back at most {MOST_RETURNED} scalars",
                    statement.span,
                    "one too many",
                    helps=["read the others from their arrays"],
                )
            )
        seen.add(statement.reducer)
    return found
