"""A program function, read: kernel calls under host loops and conditions, `fill`, `get`, swaps."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, NoReturn

from ..diagnostics.diagnostic import CompileError, Diagnostic
from ..ir.nodes import Access, Array, Const, Lengths, Parameter, Reducer, Variable, VariableKind
from ..ir.programs import Fill, Get, HostFor, HostIf, KernelCall, Program, ProgramStatement, Swap
from ..ir.types import I64
from .exchanges import exchange_of
from .faults import Fault, Faults, Poisoned
from .language import Overloads
from .parameters import read_signature
from .program_calls import host_expressions, kernel_call
from .program_inlining import called_program, scratch_array
from .program_memory import filled, with_launches
from .program_rules import STATEMENTS, faults_of
from .scope import Scope
from .specialise import called
from .statements import range_of
from .syntax import Syntax, span_of
from .values import convert


def read_program(syntax: Syntax) -> Program:
    """Return the typed program; raises CompileError with every fault."""
    faults = Faults(syntax.source)
    scope = Scope(syntax, faults)
    scope.repetition = Variable("repetition", I64, VariableKind.SCALAR, syntax.header)
    signature, found = read_signature(syntax, faults, scope)
    reader = _Reader(scope, found)
    statements = reader.block(syntax.tree.body, outermost=True)
    if not found and not reader.in_kernels:
        found.extend(faults_of(statements, signature.parameters, reader.scratch, faults, syntax.header))
    if found or reader.in_kernels:
        raise CompileError(tuple(dict.fromkeys([*(f.diagnostic for f in found), *reader.in_kernels])))
    complete = with_launches(statements, syntax.source)
    return Program(
        syntax.tree.name, signature.parameters, signature.extents, complete, syntax.source, syntax.header,
        scope.repetition, tuple(reader.scratch),
    )  # fmt: skip


class _Reader:
    """Reads statements; faults are collected, those of the kernels that are called apart."""

    def __init__(self, scope: Scope, found: list[Fault]) -> None:
        self.scope, self.faults, self.found = scope, scope.faults, found
        self.in_kernels: list[Diagnostic] = []
        self.scratch: list[Array] = []

    def block(self, nodes: Sequence[ast.stmt], *, outermost: bool = False) -> tuple[ProgramStatement, ...]:
        """Return the statements that could be read."""
        statements: list[ProgramStatement] = []
        for node in nodes:
            if isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                continue
            try:
                array = scratch_array(node, self.scope) if outermost else None
                if array is None:
                    statements.extend(self._statement(node))
                else:
                    self.scratch.append(array)
                    self.scope.parameters[array.name] = array
            except Fault as fault:
                self.found.append(fault)
            except Poisoned:
                continue
            except CompileError as error:  # of the kernel that is called
                self.in_kernels.extend(error.diagnostics)
        return tuple(statements)

    def _statement(self, node: ast.stmt) -> Sequence[ProgramStatement]:
        match node:
            case ast.For(target=ast.Name(), orelse=[]):
                return (self._for(node),)
            case ast.If():
                return (self._if(node),)
            case ast.Assign(targets=[ast.Tuple() as target], value=ast.Tuple() as value):
                return (self._swap(node, target, value),)
            case ast.Expr(value=ast.Call() as call):
                return self._call(call)
        self._refuse(node, f"`{ast.unparse(node).splitlines()[0][:40]}` is not part of a program")

    def _refuse(self, node: ast.AST, message: str, label: str = "not supported here") -> NoReturn:
        raise self.faults.fault("KP0701", message, span_of(node), label, notes=[STATEMENTS])

    def _for(self, node: ast.For) -> HostFor:
        assert isinstance(node.target, ast.Name)
        name, scope = node.target.id, self.scope
        if name in scope.parameters or name in scope.indices:
            raise self.faults.bad_loop(
                f"the loop index `{name}` already means something else", span_of(node.target), "already defined",
                "use another name",
            )  # fmt: skip
        lower, upper, step = range_of(node, host_expressions(node.iter, scope, "the range of a program's loop"))
        if not isinstance(step, int):
            raise self.faults.bad_loop(
                "the step of a program's loop is a constant", step.span, "not a constant",
                "write a literal or a number of the enclosing module",
            )  # fmt: skip
        index = Variable(name, I64, VariableKind.LOOP, span_of(node.target))
        with scope.indexed([index]):
            body = self.block(node.body)
        return HostFor(index, lower, upper, step, body, span_of(node))

    def _if(self, node: ast.If) -> HostIf:
        expressions = host_expressions(node.test, self.scope, "the condition of a program")
        condition = expressions.condition(node.test)
        return HostIf(condition, self.block(node.body), self.block(node.orelse), span_of(node))

    def _swap(self, node: ast.Assign, target: ast.Tuple, value: ast.Tuple) -> Swap:
        names, become = ([self._array(e) for e in side.elts] for side in (target, value))
        if None in (*names, *become) or len(set(names)) != len(names) or set(names) != set(become):
            self._refuse(node, "a swap has the same arrays on both sides, each once", "not a swap")
        arrays, others = [a for a in names if a], [a for a in become if a]
        for a, b in zip(arrays, others, strict=True):
            alike = a.access is b.access is not Access.OUT and a.element is b.element and a.order == b.order
            if not alike or [d.text for d in a.dims] != [d.text for d in b.dims]:
                raise self.faults.fault(
                    "KP0702", f"`{a.name}` and `{b.name}` cannot stand for each other", span_of(node), "swapped here",
                    others=[(x.span, f"`{x.access.value}[{x.element}, ...]`") for x in (a, b)],
                    helps=["swapped arrays have one type, the same dims, and one borrow, which is not `Out`"],
                )  # fmt: skip
        return Swap(tuple(arrays), tuple(others), span_of(node))

    def _array(self, node: ast.expr) -> Array | None:
        named = self.scope.parameters.get(node.id) if isinstance(node, ast.Name) else None
        return named if isinstance(named, Array) and not (named.members or named.is_table) else None

    def _call(self, call: ast.Call) -> Sequence[ProgramStatement]:
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            self.scope.refuse_poisoned(call.func.value.id)
            target = self.scope.parameters.get(call.func.value.id)
            if target is not None:
                return (self._method(call, call.func.attr, target),)
        callee = self.scope.syntax.resolve(call.func)
        if getattr(callee, "name", "") == "exchange":
            return (exchange_of(call, self.scope),)
        while isinstance(callee, Overloads):
            callee = self._overload(callee, call)
        typed, rest = called(callee, call, self.scope)
        if typed is not None:
            return (kernel_call(typed, rest, self.scope),)
        inner = getattr(callee, "typed_program", None)
        if not isinstance(inner, Program):
            self._refuse(call.func, f"`{ast.unparse(call.func)}` is not a kernel", "called here")
        statements, scratch = called_program(inner, call, self.scope, self.scratch)
        self.scratch += scratch
        return statements

    def _overload(self, callee: Overloads, call: ast.Call) -> Any:
        """Return the program that is meant: an argument's type decides, an array's or that of a member of a pack."""
        given = [*call.args, *(k.value for k in call.keywords)]
        first = given[callee.position] if callee.position < len(given) else None
        name = first.value if isinstance(first, ast.Subscript) else first
        if isinstance(name, ast.Name):
            self.scope.refuse_poisoned(name.id)
        array = self.scope.parameters.get(name.id) if isinstance(name, ast.Name) else None
        if not isinstance(array, Array) or array.element.name not in callee.programs:
            types = ", ".join(f"`{t}`" for t in callee.programs)
            raise self.faults.fault(
                "KP0702", f"the {callee.which} argument of `{callee.name}` is an array of {types}",
                span_of(first or call), "not such an array", helps=["pass an array parameter, or scratch memory"],
            )  # fmt: skip
        return callee.programs[array.element.name]

    # -- fill and get -------------------------------------------------------------------------------------------------

    def _method(self, call: ast.Call, method: str, target: Parameter | Lengths) -> ProgramStatement:
        name = ast.unparse(call.func)
        whole = isinstance(target, Reducer) or (isinstance(target, Array) and not (target.members or target.is_table))
        if not isinstance(target, (Array, Reducer)) or not whole or method not in ("fill", "get") or call.keywords:
            self._refuse(call, f"`{name}` is not part of a program")
        has_identity = isinstance(target, Reducer) and target.combination is not None
        wanted = method == "fill" and not has_identity
        if len(call.args) != wanted:
            takes = f"takes {'one value' if wanted else 'no arguments'}"
            raise self.faults.wrong_arguments(name, takes, span_of(call), "")
        if isinstance(target, Array) and target.access is Access.REF:
            if method == "fill":
                raise self.faults.write_through_ref(target.name, span_of(call), target.span, target.element)
            self._refuse(call, f"`{name}`: a `Ref` holds what the caller passed", "brings nothing new")
        return self._get(call, name, target) if method == "get" else self._fill(call, name, target)

    def _get(self, call: ast.Call, name: str, target: Array | Reducer) -> Get:
        sizes = [(d.lower, d.upper) for d in target.dims]
        one = all(
            isinstance(low, Const) and isinstance(high, Const) and high.value == int(low.value) + 1
            for low, high in sizes
        )
        if not one:
            raise self.faults.fault(
                "KP0701", f"`{name}`: `{target.name}` has more than one element", span_of(call), "brings back a scalar",
                others=[(target.span, "declared here")], helps=["the caller reads it from the array that it passed"],
            )  # fmt: skip
        return Get(target, span_of(call))

    def _fill(self, call: ast.Call, name: str, target: Array | Reducer) -> Fill | KernelCall:
        if isinstance(target, Reducer) and target.combination is not None:
            return Fill(target, target.combination.identity[0], span_of(call))
        holds = f"`{target.name}` holds `{target.element}`"
        expressions = host_expressions(call.args[0], self.scope, f"the value of `{name}`")
        value = convert(expressions.value(call.args[0]), target.element, self.faults, holds)
        if isinstance(target, Array) or target.dims:
            return filled(target, value, self.scope.syntax.source, span_of(call))
        if not isinstance(value, Const):
            self._refuse(call.args[0], f"`{name}` takes a constant", "not a constant")
        return Fill(target, value, span_of(call))
