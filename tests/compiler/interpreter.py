"""Runs programs on their typed IR, one thread after the other, teams phase by phase: what every target must compute.

It shares the IR with the compiler, and the meaning of an operation on plain numbers; wrapping, rounding and conversion
are its own. Float arithmetic is that of the type, unfused.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kparity.compiler import Kernel, Program
from kparity.compiler.ir import nodes
from kparity.compiler.ir import operations as ops
from kparity.compiler.ir.nodes import (
    Array,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    Call,
    Cast,
    Combination,
    Const,
    Constants,
    Continue,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Inlined,
    Lengths,
    Load,
    Logical,
    Read,
    Reducer,
    Select,
    Statement,
    Store,
    Unary,
    Variable,
    While,
)
from kparity.compiler.ir.programs import (
    Exchange,
    Fill,
    HostFor,
    HostIf,
    KernelCall,
    Member,
    ProgramStatement,
    Swap,
    scalar_arguments,
)
from kparity.compiler.ir.types import BOOL, F32, Scalar

NUMPY = {
    "f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "u64": np.uint64, "u32": np.uint32,
    "bool": np.bool_,
}  # fmt: skip


def interpret(program: Kernel | Program, arguments: Mapping[str, Any], repetition: int = 0) -> dict[str, Any]:
    """Return copies of the arguments as one repetition leaves them, the one of that number."""
    state = {n: each(np.copy, v) for n, v in arguments.items()}
    typed = program.typed_program
    values: dict[Variable, Any] = {v: held(_field(state, v.name), v.type) for v in nodes.scalars_of(typed.parameters)}
    for reducer in (p for p in typed.parameters if isinstance(p, Reducer)):
        values.update(
            (d.upper.variable, n) for d, n in zip(reducer.dims, state[reducer.name].shape, strict=False)
            if isinstance(d.upper, Read) and d.upper.variable in typed.extents
        )  # fmt: skip
    for array in (p for p in typed.parameters if isinstance(p, Array)):
        if array.is_table:
            continue
        for number, member in enumerate(state[array.name] if array.members else [state[array.name]]):
            for dim, size in zip(array.dims[bool(array.members) :], member.shape, strict=True):
                if isinstance(dim.upper, Load):
                    assert array.lengths is not None
                    values[array.lengths.extents[number]] = size
                if isinstance(dim.upper, Read) and dim.upper.variable in typed.extents:
                    values.setdefault(dim.upper.variable, size)
    if typed.repetition is not None:
        values[typed.repetition] = repetition
    host = _Thread({}, values)
    scratch = {a.name: np.full([host.value(d.upper) for d in a.dims], 77, NUMPY[a.element.name]) for a in typed.scratch}
    _block(typed.statements, {**state, **scratch}, values)
    return state


def each(function: Callable[[Any], Any], value: Any, like: Any = None) -> Any:
    """Apply a function to an array, or to every member of a pack (a list of arrays); other values stay what they are.

    Parameters
    ----------
    like : object, optional
        What says which of these `value` is, if its arrays are another library's.
    """
    kind = value if like is None else like
    if isinstance(kind, list) and all(isinstance(v, np.ndarray) for v in kind):
        return [function(v) for v in value]
    return function(value) if isinstance(kind, np.ndarray) else value


def arrays(value: Any) -> list[np.ndarray[Any, Any]]:
    """An array, or the members of a pack; nothing of anything else."""
    return [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, np.ndarray)]


def _field(state: Mapping[str, Any], path: str) -> Any:
    name, *fields = path.split(".")
    return functools.reduce(getattr, fields, state[name])


def _block(statements: Sequence[ProgramStatement], named: dict[str, Any], values: dict[Variable, Any]) -> None:
    """Run statements; `named` has the memory that each name stands for."""
    host = _Thread({}, values)
    for statement in statements:
        match statement:
            case Fill(reducer=reducer):
                _fill(statement, named[reducer.name])
            case KernelCall():
                _call(statement, named, values)
            case HostFor(index=index, lower=lower, upper=upper, step=step, body=body):
                for i in range(host.value(lower), host.value(upper), step):
                    values[index] = i
                    _block(body, named, values)
            case HostIf(condition=condition, then=then, otherwise=otherwise):
                _block(then if host.value(condition) else otherwise, named, values)
            case Exchange():  # of a process that is alone
                send, recv, tags = (named[a.name] for a in (statement.send, statement.recv, statement.tags))
                for message, tag in zip(recv, tags, strict=True):
                    message[...] = send[tag]
            case Swap(names=names, become=become):
                named.update(zip([a.name for a in names], [named[a.name] for a in become], strict=True))


def _fill(fill: Fill, buffer: np.ndarray[Any, Any]) -> None:
    if fill.reducer.combination is not None:
        buffer[0] = tuple(c.value for c in fill.reducer.combination.identity)
        return
    buffer[0] = (fill.value.value, 2**63 - 1) if fill.reducer.reduction.has_location else fill.value.value


def _call(call: KernelCall, state: dict[str, Any], values: dict[Variable, Any]) -> None:
    host = _Thread({}, values)
    variables: dict[Variable, Any] = dict(zip(call.kernel.extents, map(host.value, call.extents), strict=True))
    memory: dict[Any, Any] = {}
    variables |= {v: host.value(e) for v, e in scalar_arguments(call.kernel, call.arguments)}
    for parameter, argument in zip(call.kernel.parameters, call.arguments, strict=True):
        if not isinstance(argument, (Array, Reducer)):
            continue
        if isinstance(argument, Member):
            held_by = state[argument.pack.name][host.value(argument.number)]
        else:
            held_by = state[argument.name]
        if isinstance(parameter, Array) and (parameter.is_table or parameter.members):
            memory[parameter] = held_by if parameter.members else np.asarray(held_by, NUMPY[parameter.element.name])
            continue
        if isinstance(parameter, Array) and held_by.dtype.fields:  # equal fields of a struct, as an array
            held_by = held_by.view(NUMPY[parameter.element.name])
        rank = 1 if isinstance(parameter, Reducer) and not parameter.dims else len(parameter.dims)  # type: ignore[union-attr]
        memory[parameter] = held_by if held_by.ndim == rank else held_by.reshape(-1)  # `fill` sees any array as flat
    run_kernel(call.kernel, memory, variables)


def run_kernel(kernel: nodes.Kernel, memory: Mapping[Any, Any], variables: Mapping[Variable, Any]) -> None:
    """Run every thread, or team, of a launch in order."""
    _Thread(memory, dict(variables)).each(kernel.body)


def held(value: Any, type_: Scalar) -> Any:
    """Return what a value of the type keeps of a number."""
    if type_ is BOOL:
        return bool(value)
    if type_.is_float:
        with np.errstate(over="ignore"):
            return float(np.float32(value)) if type_ is F32 else float(value)
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        return int(min(max(value, type_.lowest), type_.highest))  # saturates
    value %= 2**type_.bits
    return value - 2**type_.bits if type_.is_signed and value > type_.highest else value


GARBAGE = {"f64": math.nan, "f32": math.nan, "i64": -(2**62), "i32": -(2**30), "u64": 2**63, "u32": 2**31}


class Outside(Exception):
    """An access that is tested would leave its array: it does not happen."""


class Jump(Exception):
    """A `break`, or a `continue`, on its way to its loop."""

    def __init__(self, goes_on: bool) -> None:
        self.goes_on = goes_on


class _Thread:
    """A thread, or a team outside of its phases, with what it can reach."""

    checked = 0  # `with checked():` blocks around the statement
    sums: list[Any]  # of the values of the threads so far, or of their items

    def __init__(self, memory: Mapping[Any, Any], variables: dict[Variable, Any]) -> None:
        self.memory, self.variables = dict(memory), variables

    def each(self, group: nodes.Parallel | nodes.Teams | nodes.Phase) -> None:
        """Run a body once for each tuple of indices, with variables and buffers of its own."""
        self.sums = [0]  # of what the threads store in their order
        ranges = [range(self.value(r.lower), self.value(r.upper)) for r in group.ranges]
        for indices in itertools.product(*ranges):
            own = {**self.variables, **dict(zip(group.indices, indices, strict=True))}
            thread = _Thread(self.memory, own)
            thread.sums = self.sums
            thread.run(group.body)

    def allocate(self, buffer: nodes.Buffer) -> None:
        """Private memory is one array for the team, as each thread indexes it by its own numbers."""
        shape = [self.value(d.upper) for d in buffer.dims]
        if buffer.base is not None:
            self.memory[buffer] = self.memory[buffer.base].reshape(-1)[: math.prod(shape)].reshape(shape)
            return
        content = GARBAGE[buffer.element.name] if buffer.fill is None else buffer.fill.value
        self.memory[buffer] = np.full(shape, content, NUMPY[buffer.element.name])

    def run(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self.step(statement)

    def step(self, statement: Statement) -> None:
        match statement:
            case Assign(variable=variable, value=value):
                self.variables[variable] = self.value(value)
            case Store(array=array, index=index, value=value, order=nodes.Order() as order):
                buffer, (place,) = self.element(array, index)
                before, own = self.sums[0], self.value(value)
                if order is nodes.Order.PUSH:
                    assert before <= place, "behind its thread's number"
                    buffer[before] = own
                    self.sums[0] += 1
                else:
                    self.sums[0] = held(before + own, array.element)
                    buffer[place] = held(before, array.element) if order is nodes.Order.BEFORE else self.sums[0]
            case Store(array=array, index=index, value=value):
                stored = self.value(value)
                with contextlib.suppress(Outside):
                    buffer, place = self.element(array, index)
                    buffer[place] = stored
            case nodes.Allocate(buffer=buffer):
                self.allocate(buffer)
            case nodes.Phase():
                self.each(statement)
            case Contribute(reducer=reducer) if reducer.combination is not None:
                own, old = tuple(map(self.value, statement.parts)), self.memory[reducer][0].item()
                self.memory[reducer][0] = combined(reducer.combination, old, own)
            case Contribute(reducer=reducer, value=value, location=location, bin=bin_):
                buffer, place = self.element(reducer, bin_) if bin_ else (self.memory[reducer], (0,))
                contribution, at = self.value(value), None if location is None else self.value(location)
                contribute(reducer, buffer, place, contribution, at)
            case Drop(value=value):
                self.value(value)
            case If(condition=condition, then=then, otherwise=otherwise):
                self.run(then if self.value(condition) else otherwise)
            case For(index=index_, lower=lower, upper=upper, step=step, body=body):
                step = step if isinstance(step, int) else self.value(step)
                for i in range(self.value(lower), self.value(upper), step):
                    self.variables[index_] = i
                    if not self.goes_on(body):
                        break
            case While(condition=condition, body=body):
                while self.value(condition) and self.goes_on(body):
                    pass
            case Break() | Continue():
                raise Jump(isinstance(statement, Continue))
            case nodes.Checked(body=body):
                self.checked += 1
                try:
                    self.run(body)
                finally:
                    self.checked -= 1
            case nodes.Unsafe(body=body):
                self.run(body)

    def goes_on(self, body: Sequence[Statement]) -> bool:
        """Run a loop's body; False after a `break`."""
        try:
            self.run(body)
        except Jump as jump:
            return jump.goes_on
        return True

    def element(self, array: Any, index: Sequence[Expr]) -> tuple[np.ndarray[Any, Any], tuple[int, ...]]:
        """Return the array, or the member of a pack, and the place in it."""
        place = tuple(self.value(i) - self.value(d.lower) for i, d in zip(index, array.dims, strict=True))
        if isinstance(array, Constants):
            buffer = np.array(array.values, NUMPY[array.element.name]).reshape([d.upper.value for d in array.dims])  # type: ignore[union-attr]
        elif isinstance(array, Lengths):
            buffer = np.array([self.variables[v] for v in array.extents])
        elif isinstance(array, Array) and array.members:
            if self.checked and not 0 <= place[0] < array.members:
                raise Outside
            assert 0 <= place[0] < array.members, "out of bounds"
            buffer, place = self.memory[array][place[0]], place[1:]
        else:
            buffer = self.memory[array]
        inside = all(0 <= i < size for i, size in zip(place, buffer.shape, strict=True))
        if self.checked and not inside:
            raise Outside
        assert inside, "out of bounds"
        return buffer, place

    def value(self, e: Expr) -> Any:
        match e:
            case Const(value=value, type=type_):
                return held(value, type_)
            case Read(variable=variable):
                return self.variables[variable]
            case Load(array=array, index=index):
                try:
                    buffer, place = self.element(array, index)
                except Outside:
                    return held(0, array.element)
                return buffer[place].item()
            case AtomicUpdate():
                return self.update(e)
            case Unary(operation=operation, operand=operand, type=type_):
                return held(operation.meaning(self.value(operand)), type_)
            case Binary(operation=operation, left=left, right=right, type=type_):
                return held(arithmetic(operation, left.type, self.value(left), self.value(right)), type_)
            case Logical(is_and=is_and, left=left, right=right):
                return self.value(right) if self.value(left) == is_and else not is_and
            case Select(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.value(condition) else otherwise)
            case Call(function=function, arguments=arguments, type=type_):
                return held(called(function, [self.value(a) for a in arguments], type_), type_)
            case Cast(operand=operand, type=type_):
                return held(self.value(operand), type_)
            case Inlined(statements=statements, value=value):
                self.run(statements)
                return self.value(value)

    def update(self, e: AtomicUpdate) -> Any:
        buffer = None
        with contextlib.suppress(Outside):
            buffer, place = self.element(e.array, e.index)
        arguments = [self.value(a) for a in e.arguments]
        if buffer is None:
            return held(0, e.type)
        old = buffer[place].item()
        buffer[place] = held(e.operation.meaning(old, *arguments), e.type)
        return old


def arithmetic(operation: ops.Operation, type_: Scalar, a: Any, b: Any) -> Any:
    """Return the result before it is held in its type."""
    if operation is ops.DIV:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return float(np.divide(NUMPY[type_.name](a), NUMPY[type_.name](b)))
    if operation in (ops.SHL, ops.SHR):
        b %= type_.bits
    if operation is ops.SHL:
        return a << b
    return operation.meaning(a, b)


def called(function: ops.Intrinsic, values: Sequence[Any], type_: Scalar) -> Any:
    """Return a function's value; NumPy has IEEE's answers where Python's math raises."""
    if type_.is_integer:
        return function.meaning(*values)
    name = {"min": "minimum", "max": "maximum", "atan": "arctan", "atan2": "arctan2", "pow": "power"}
    with np.errstate(all="ignore"):
        if function.name == "fma":
            a, b, c = (np.longdouble(v) for v in values)
            return float(a * b + c)
        return float(getattr(np, name.get(function.name, function.name))(*map(NUMPY[type_.name], values)))


def combined(c: Combination, first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a user's operation makes of two structs."""
    thread = _Thread({}, {**dict(zip(c.first, first, strict=True)), **dict(zip(c.second, second, strict=True))})
    thread.run(c.statements)
    return tuple(map(thread.value, c.values))


def contribute(
    reducer: Reducer, buffer: np.ndarray[Any, Any], place: tuple[int, ...], value: Any, at: int | None
) -> None:
    """Combine a contribution with what the buffer holds."""
    name, type_ = reducer.reduction.name, reducer.element
    if at is not None:
        old, held_at = buffer[place].tolist()
        if _wins((value, at), (old, held_at), least=name == "MinLoc"):
            buffer[place] = (value, at)
        return
    old = buffer[place].item()
    if name in ("Min", "Max"):
        nan = value != value or old != old
        buffer[place] = math.nan if nan else (min if name == "Min" else max)(old, value)
        return
    combine: Any = {"Sum": operator.add, "Prod": operator.mul, "And": operator.and_, "Or": operator.or_}[name]
    buffer[place] = held(combine(old, value), type_)


def _wins(new: tuple[Any, int], old: tuple[Any, int], *, least: bool) -> bool:
    """NaN before any number, then the better value, then the lower location."""
    (value, at), (best, place) = new, old
    if value == best or (value != value and best != best):
        return at < place
    if value != value or best != best:
        return bool(value != value)
    return bool(value < best if least else value > best)
