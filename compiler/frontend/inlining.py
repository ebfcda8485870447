"""Calls of device functions: the statements of the function stand in for the call, with names of its own."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..ir.nodes import (
    Access,
    Array,
    Assign,
    Buffer,
    Const,
    Dimension,
    Drop,
    Expr,
    Inlined,
    Parameter,
    Read,
    Reducer,
    Space,
    Statement,
    Storage,
    Struct,
    Variable,
    VariableKind,
)
from ..ir.walk import alike
from .expressions import Expressions
from .faults import Fault, Faults, Poisoned
from .functions import Device
from .parameters import read_signature
from .scope import Scope, Team
from .statements import Statements, assigned_in
from .syntax import Syntax, span_of
from .values import Value, convert


def inlined_value(call: ast.Call, device: Device, caller: Expressions) -> Value:
    """Return the value of a call."""
    statements, value = _Call(call, device, caller).read()
    if value is None:
        raise caller.faults.unsupported_expression(
            f"the value of `{device.name}`, which returns none,", span_of(call), "call it in a statement of its own"
        )
    return Value(Inlined(device.name, statements, value, span_of(call)))


def inlined_statements(call: ast.Call, device: Device, caller: Expressions) -> tuple[Statement, ...]:
    """Return what a call that is a statement does."""
    statements, value = _Call(call, device, caller).read()
    if value is None:
        return statements
    return (Drop(Inlined(device.name, statements, value, span_of(call)), span_of(call)),)


@dataclass
class _Call:
    """One call, while it is read."""

    call: ast.Call
    device: Device
    caller: Expressions
    extents: dict[Variable, Expr] = field(default_factory=dict)  # of the function's arrays, in terms of the caller's

    def __post_init__(self) -> None:
        self.faults = self.caller.faults
        self.span = span_of(self.call)

    def read(self) -> tuple[tuple[Statement, ...], Expr | None]:
        scope, syntax = self.caller.scope, self.device.syntax
        if self.device in scope.calls:
            chain = " -> ".join(f"`{d.name}`" for d in (*scope.calls[scope.calls.index(self.device) :], self.device))
            raise self.faults.unsupported_expression(
                f"the recursion {chain}", self.span, "write a loop: a call is replaced by the function's text"
            )
        values = [None if self._is_array(a) else self.caller.value(a) for a in self.call.args]
        if syntax.source.path == scope.home:
            scope.calls_of_file.append(syntax.source)
            found, result = self._body(syntax, values)
        else:
            # Spans are lines of the kernel's file: code of another one stands where it is called; its faults do not.
            found, result = self._body(_moved(syntax, self.call), values)
            found = self._body(syntax, values)[0] if found else found
        known = [f.diagnostic for f in scope.found]
        fresh = [f for f in found if f.diagnostic not in known]
        if fresh:
            scope.found += fresh[1:]
            raise fresh[0]
        if found:
            raise Poisoned
        return result

    def _is_array(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and isinstance(self.caller.scope.storage(node.id), (Storage, Reducer, Struct))

    def _body(
        self, syntax: Syntax, values: Sequence[Value | None]
    ) -> tuple[list[Fault], tuple[tuple[Statement, ...], Expr | None]]:
        """Return the faults of the function, and its statements and value for these arguments."""
        outer = self.caller.scope
        self.extents = {}
        scope = Scope(
            syntax, Faults(syntax.source), path=outer.home, calls=(*outer.calls, self.device),
            calls_of_file=outer.calls_of_file,
        )  # fmt: skip
        signature, found = read_signature(syntax, scope.faults, scope)
        if found:
            return found, ((), None)
        scope.found = found
        scope.parameters.clear()
        if outer.team is not None:
            scope.team = Team({}, {}, phase=outer.team.phase)
        arguments = list(self._bound(signature.parameters, values, scope))
        scope.read_only.update({n: p.span for n, p in self._arrays(signature.parameters) if p.access is Access.REF})
        scope.expressions.update({v.name: e for v, e in self.extents.items()})
        nodes = list(syntax.tree.body)
        last = nodes.pop() if isinstance(nodes[-1], ast.Return) else None
        scope.assigned_below.update(assigned_in(nodes))
        reader, value = Statements(scope, found), None
        statements = reader.sequence(nodes)
        if isinstance(last, ast.Return) and last.value is not None:
            try:
                value = reader.expressions.value(last.value)
            except Fault as fault:
                found.append(fault)
            except Poisoned:
                pass  # its cause is reported
        return found, ((*arguments, *statements), None if value is None else value.expr)

    @staticmethod
    def _arrays(parameters: Sequence[Parameter]) -> list[tuple[str, Array]]:
        return [(p.name, p) for p in parameters if isinstance(p, Array)]

    def _bound(self, parameters: Sequence[Parameter], values: Sequence[Value | None], scope: Scope) -> Iterator[Assign]:
        """Give the parameters their meanings in the function's scope; yields the assignments of the scalars."""
        if len(values) != len(parameters):
            count = f"{len(parameters)} argument{'s' * (len(parameters) != 1)}"
            raise self.faults.wrong_arguments(self.device.name, f"takes {count}, not {len(values)}", self.span, "")
        exclusive: dict[Storage, bool] = {}
        for parameter, value, node in zip(parameters, values, self.call.args, strict=True):
            if isinstance(parameter, Variable):
                yield self._scalar(parameter, value, node, scope)
                continue
            if isinstance(parameter, Struct):
                scope.parameters[parameter.name] = self._struct(parameter, node)
                continue
            array = self._array(parameter, node)
            is_exclusive = not isinstance(parameter, Array) or parameter.access is not Access.REF
            if array in exclusive and (is_exclusive or exclusive[array]):
                raise self.faults.fault(
                    "KP0505", f"`{array.name}` is passed twice to `{self.device.name}`, once to an exclusive borrow",
                    span_of(node), "passed again", helps=["pass it once: the function can use it for both"],
                )  # fmt: skip
            exclusive[array] = is_exclusive
            if isinstance(array, Buffer):
                scope.buffers[parameter.name] = array
            else:
                scope.parameters[parameter.name] = array

    def _scalar(self, parameter: Variable, value: Value | None, node: ast.expr, scope: Scope) -> Assign:
        name = parameter.name
        if value is None:
            raise self._misfit(f"`{name}` is a `{parameter.type}`, not an array", node, "pass an element")
        variable = Variable(name, parameter.type, VariableKind.LOCAL, self.span)
        scope.local_variables[name] = variable
        scope.first_assigned[name] = parameter.span
        scope.assigned.add(name)
        typed = convert(value, parameter.type, self.faults, f"`{name}` of `{self.device.name}` is `{parameter.type}`")
        return Assign(variable, typed, span_of(node))

    def _struct(self, parameter: Struct, node: ast.expr) -> Struct:
        own = self.caller.scope.parameters.get(node.id) if isinstance(node, ast.Name) else None
        if not isinstance(own, Struct) or own.type != parameter.type:
            raise self._misfit(
                f"`{parameter.name}` is a struct `{parameter.type.name}`", node, "pass the name of such a parameter"
            )
        return own

    def _array(self, parameter: Parameter, node: ast.expr) -> Array | Buffer:
        """Return the array that an argument lends, if it has what the parameter asks for."""
        outer, name = self.caller.scope, parameter.name
        if not isinstance(parameter, Array) or parameter.access in (Access.OUT, Access.PUSH):
            raise self._misfit(
                f"`{name}` is a reducer, an `Out` or a `Push`, which device functions do not take", node,
                "borrow arrays as `Ref` or `Mut`, and return what a reducer combines",
            )  # fmt: skip
        array = outer.storage(node.id) if isinstance(node, ast.Name) else None
        if not isinstance(array, (Array, Buffer)) or (isinstance(array, Buffer) and array.space is Space.PRIVATE):
            raise self._misfit(
                f"`{name}` is an array", node, "pass the name of a parameter, or of a local or shared array"
            )
        if array.access is Access.PUSH:
            raise self.faults.pushed_only(array.name, span_of(node), array.span)
        own = (array.members, array.lengths) if isinstance(array, Array) else (0, None)
        if own != (parameter.members, None):
            raise self._misfit(
                f"`{name}` has {parameter.members or 'no'} members", node, "pass a pack whose members have equal dims"
            )
        if array.element is not parameter.element or len(array.dims) != len(parameter.dims):
            wanted = f"`{parameter.element}` with {len(parameter.dims)} dims"
            raise self._misfit(f"`{name}` is an array of {wanted}", node, f"`{array.name}` is declared otherwise")
        assert isinstance(node, ast.Name)
        read_only = array.access is Access.REF or node.id in outer.read_only
        if (parameter.access is Access.ATOMIC) != (array.access is Access.ATOMIC):
            raise self._misfit(f"`{name}` and `{array.name}` must both be `Atomic`, or neither", node, "change one")
        if read_only and parameter.access is not Access.REF:
            raise self.faults.write_through_ref(array.name, span_of(node), array.span, array.element)
        for wanted_dim, dim in zip(parameter.dims, array.dims, strict=True):
            self._dim(parameter, wanted_dim, dim, node)
        return array

    def _dim(self, parameter: Array, wanted: Dimension, dim: Dimension, node: ast.expr) -> None:
        """Bind a name in the dims of a parameter, or compare a constant."""
        upper = wanted.upper
        starts = isinstance(dim.lower, Const) and dim.lower.value == 0
        if isinstance(upper, Read) and upper.variable.kind is VariableKind.EXTENT:
            upper = self.extents.setdefault(upper.variable, dim.upper)
        elif not isinstance(upper, Const):
            raise self._misfit(f"the dim `{wanted.text}` of `{parameter.name}`", node, "use a name or a constant")
        if not (starts and isinstance(wanted.lower, Const) and wanted.lower.value == 0 and alike(upper, dim.upper)):
            raise self._misfit(
                f"the dim `{wanted.text}` of `{parameter.name}` is not known to be `{dim.text}`", node,
                'use a name, as in `Ref[f64, "n"]`, which stands for the size of what is passed',
            )  # fmt: skip

    def _misfit(self, what: str, node: ast.expr, help_: str) -> Fault:
        return self.faults.wrong_arguments(
            self.device.name, f"does not take this argument: {what}", span_of(node), help_
        )


def _moved(syntax: Syntax, call: ast.Call) -> Syntax:
    """Return a function whose every part stands where it is called."""
    tree = copy.deepcopy(syntax.tree)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            ast.copy_location(node, call)
    return replace(syntax, tree=tree)
