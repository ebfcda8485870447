"""A dynamic oracle: runs the typed IR on small concrete arrays, thread by thread, with shadow memory.

It shares nothing with the checks but the IR. Machine integers wrap. A fault of one thread ends that thread, as nothing
it does afterwards has a meaning.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kparity.compiler.ir import operations as ops
from kparity.compiler.ir.nodes import (
    Access,
    Allocate,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    Buffer,
    Call,
    Cast,
    Const,
    Continue,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Inlined,
    Kernel,
    Load,
    Logical,
    Read,
    Select,
    Statement,
    Storage,
    Store,
    Unary,
    Variable,
    While,
)
from kparity.compiler.ir.types import BOOL, Scalar

MOST_ITERATIONS = 300
Thread = tuple[int, ...]
Element = tuple[int, ...]


class ThreadEnds(Exception):
    """The thread did something that has no meaning, or did not end."""


class Jump(Exception):
    """A `break`, or a `continue` where `goes_on`, on its way to its loop."""

    def __init__(self, goes_on: bool) -> None:
        self.goes_on = goes_on


def wrap(value: Any, type_: Scalar) -> Any:
    """Return what the machine keeps of a value."""
    if type_ is BOOL:
        return bool(value)
    if type_.is_float:
        return float(value)
    if isinstance(value, float):
        value = 0 if math.isnan(value) or math.isinf(value) else int(value)
    value %= 2**type_.bits
    return value - 2**type_.bits if type_.is_signed and value > type_.highest else value


@dataclass
class Memory:
    """An array with the threads that read and wrote each element."""

    array: Storage
    limits: list[tuple[int, int]]
    values: dict[Element, Any]
    readers: dict[Element, set[Thread]] = field(default_factory=dict)
    updaters: dict[Element, set[Thread]] = field(default_factory=dict)  # atomically
    writers: dict[Element, set[Thread]] = field(default_factory=dict)

    def elements(self) -> Iterator[Element]:
        return itertools.product(*(range(low, high) for low, high in self.limits))


@dataclass
class Run:
    """One launch and what went wrong in it."""

    kernel: Kernel
    sizes: Mapping[str, int]
    random: random.Random
    faults: set[str] = field(default_factory=set)
    negative_divisions: set[Any] = field(default_factory=set)  # spans where a plain division would be wrong
    memories: dict[Storage, Memory] = field(default_factory=dict)

    def launch(self) -> set[str]:
        """Run every thread; return the kinds of fault: bounds, race, uninitialised, uncovered, divisor."""
        everywhere = {v: self.sizes[v.name] for v in (*self.kernel.scalars, *self.kernel.extents)}
        for array in self.kernel.arrays:
            limits = [(_exact(d.lower, everywhere), _exact(d.upper, everywhere)) for d in array.dims]
            memory = Memory(array, limits, {})
            memory.values = {e: self.datum(array.element) for e in memory.elements()}
            self.memories[array] = memory
        body = self.kernel.body
        # Bounds of the `parallel` are machine arithmetic: they may wrap.
        host = _Thread(self, (), dict(everywhere))
        try:
            ranges = [range(host.value(r.lower), host.value(r.upper)) for r in body.ranges]
        except ThreadEnds:
            return self.faults
        threads = list(itertools.product(*ranges))
        assert len(threads) < 5000, "an oracle's launch is small"
        for thread in threads:
            variables = {**everywhere, **dict(zip(body.indices, thread, strict=True))}
            try:
                _Thread(self, thread, variables).run(body.body)
            except ThreadEnds:
                continue
        self._judge_races()
        self._judge_coverage()
        return self.faults

    def datum(self, type_: Scalar) -> Any:
        """Return a random value of a type; integers are small, or at the ends of their type."""
        if type_.is_float:
            return self.random.choice([-1.5, -1.0, 0.0, 0.5, 2.0])
        extreme = [type_.lowest, type_.highest]
        return self.random.choice([*range(-2 if type_.is_signed else 0, 7), *extreme])

    def _judge_races(self) -> None:
        for memory in self.memories.values():
            for element, writers in memory.writers.items():
                if len(writers | memory.readers.get(element, set()) | memory.updaters.get(element, set())) > 1:
                    self.faults.add("race")
            for element, updaters in memory.updaters.items():  # which race with plain accesses, not with each other
                plain = memory.readers.get(element, set())
                if plain and len(plain | updaters) > 1:
                    self.faults.add("race")

    def _judge_coverage(self) -> None:
        for memory in self.memories.values():
            if memory.array.access is Access.OUT and any(e not in memory.writers for e in memory.elements()):
                self.faults.add("uncovered")


def _exact(expr: Expr, variables: Mapping[Variable, int]) -> int:
    """Return a dim: the launcher evaluates them exactly."""
    match expr:
        case Const(value=value):
            return int(value)
        case Read(variable=variable):
            return variables[variable]
        case Cast(operand=operand):
            return _exact(operand, variables)
        case Unary(operand=operand):
            return -_exact(operand, variables)
        case Binary(operation=operation, left=left, right=right):
            return int(operation.meaning(_exact(left, variables), _exact(right, variables)))
    raise AssertionError(expr)


def required(kernel: Kernel, sizes: Mapping[str, int]) -> bool:
    """Whether a launch is possible at all: no negative extent, every `require` holds. Exact arithmetic."""
    variables = {v: sizes[v.name] for v in (*kernel.scalars, *kernel.extents)}
    lengths = [_exact(d.upper, variables) - _exact(d.lower, variables) for a in kernel.arrays for d in a.dims]
    if any(length < 0 for length in lengths) or any(variables[v] < 0 for v in kernel.extents):
        return False
    checker = _Thread(Run(kernel, sizes, random.Random(0)), (), dict(variables))
    return all(checker.value(r.condition) for r in kernel.requires)


@dataclass
class _Thread:
    run_: Run
    identity: Thread
    variables: dict[Variable, Any]
    own: dict[Buffer, Memory] = field(default_factory=dict)
    iterations: int = 0  # of `while`; a thread that makes many is stopped

    def run(self, statements: Sequence[Statement]) -> None:
        for statement in statements:
            self.step(statement)

    def step(self, statement: Statement) -> None:
        match statement:
            case Assign(variable=variable, value=value):
                self.variables[variable] = self.value(value)
            case Store(array=array, index=index, value=value):
                element = tuple(self.value(i) for i in index)
                stored = self.value(value)
                memory = self.inside(array, element)
                memory.writers.setdefault(element, set()).add(self.identity)
                memory.values[element] = stored
            case Contribute(value=value, location=location):
                self.value(value)
                if location is not None:
                    self.value(location)
            case Drop(value=value):
                self.value(value)
            case If(condition=condition, then=then, otherwise=otherwise):
                self.run(then if self.value(condition) else otherwise)
            case For(index=index_, lower=lower, upper=upper, step=step, body=body):
                for i in range(self.value(lower), self.value(upper), step):
                    self.variables[index_] = i
                    if not self.goes_on(body):
                        break
            case While(condition=condition, body=body):
                while self.value(condition) and self.goes_on(body):
                    self.iterations += 1
                    if self.iterations > MOST_ITERATIONS:
                        raise ThreadEnds
            case Break() | Continue():
                raise Jump(isinstance(statement, Continue))
            case Allocate(buffer=buffer):
                limits = [(0, _exact(d.upper, {})) for d in buffer.dims]
                memory = self.own[buffer] = Memory(buffer, limits, {})
                fill = None if buffer.fill is None else buffer.fill.value
                for element in memory.elements():
                    memory.values[element] = self.run_.datum(buffer.element) if fill is None else fill
            case _:
                raise AssertionError(statement)

    def goes_on(self, body: Sequence[Statement]) -> bool:
        try:
            self.run(body)
        except Jump as jump:
            return jump.goes_on
        return True

    def inside(self, array: Storage, element: Element) -> Memory:
        memory = self.own[array] if isinstance(array, Buffer) else self.run_.memories[array]
        if not all(low <= i < high for i, (low, high) in zip(element, memory.limits, strict=True)):
            self.run_.faults.add("bounds")
            raise ThreadEnds
        return memory

    def value(self, expr: Expr) -> Any:
        match expr:
            case Const(value=value, type=type_):
                return wrap(value, type_)
            case Read(variable=variable):
                return self.variables[variable]
            case Load():
                return self.load(expr)
            case AtomicUpdate():
                return self.update(expr)
            case Unary(operation=operation, operand=operand, type=type_):
                return wrap(operation.meaning(self.value(operand)), type_)
            case Binary():
                return self.binary(expr)
            case Logical(is_and=is_and, left=left, right=right):
                return self.value(right) if self.value(left) == is_and else not is_and
            case Select(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.value(condition) else otherwise)
            case Call(function=function, arguments=arguments, type=type_):
                return wrap(_safely(function.meaning, *(self.value(a) for a in arguments)), type_)
            case Cast(operand=operand, type=type_):
                return wrap(self.value(operand), type_)
            case Inlined(statements=statements, value=value):
                self.run(statements)
                return self.value(value)

    def load(self, load: Load) -> Any:
        element = tuple(self.value(i) for i in load.index)
        memory = self.inside(load.array, element)
        memory.readers.setdefault(element, set()).add(self.identity)
        empty = load.array.fill is None if isinstance(load.array, Buffer) else load.array.access is Access.OUT
        if empty and self.identity not in memory.writers.get(element, set()):
            self.run_.faults.add("uninitialised")
        return memory.values[element]

    def update(self, update: AtomicUpdate) -> Any:
        element = tuple(self.value(i) for i in update.index)
        memory = self.inside(update.array, element)
        arguments = [self.value(a) for a in update.arguments]
        memory.updaters.setdefault(element, set()).add(self.identity)
        old = memory.values[element]
        memory.values[element] = wrap(_safely(update.operation.meaning, old, *arguments), update.type)
        # Threads run in any order: the element may have held what another one will leave there.
        return self.run_.random.choice([old, self.run_.datum(update.type)])

    def binary(self, expr: Binary) -> Any:
        left, right = self.value(expr.left), self.value(expr.right)
        if expr.operation in (ops.FLOORDIV, ops.MOD):
            if right <= 0:
                self.run_.faults.add("divisor")
                raise ThreadEnds
            if left < 0:
                self.run_.negative_divisions.add(expr.span)
        return wrap(_safely(expr.operation.meaning, left, right), expr.type)


def _safely(meaning: Any, *arguments: Any) -> Any:
    try:
        return meaning(*arguments)
    except (ZeroDivisionError, OverflowError, ValueError):  # of floats: the machine gives an infinity or NaN
        return math.nan
