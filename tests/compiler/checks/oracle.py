"""A dynamic oracle: runs the typed IR on small concrete arrays, thread by thread, with shadow memory.

It shares nothing with the checks but the IR. Machine integers wrap. A fault of one thread ends that thread, as nothing
it does afterwards has a meaning; a fault of a team, outside of its phases, ends the team. Teams, and the threads of a
phase, run in random order. What orders two accesses is not that order, but barriers: see `Thread`.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from kparity.compiler.ir import operations as ops
from kparity.compiler.ir.nodes import (
    Access,
    Allocate,
    Array,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    Buffer,
    Call,
    Cast,
    Checked,
    Const,
    Constants,
    Continue,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Inlined,
    Kernel,
    Lengths,
    Load,
    Logical,
    Parallel,
    Phase,
    Read,
    Select,
    Statement,
    Storage,
    Store,
    Teams,
    Unary,
    Unsafe,
    Variable,
    While,
)
from kparity.compiler.ir.source import Span
from kparity.compiler.ir.types import BOOL, Scalar

Element = tuple[int, ...]


@dataclass(frozen=True)
class Thread:
    """Who accesses memory, and between which barriers. A thread of a `parallel` is a team of its own.

    Attributes
    ----------
    phase : int
        How many barriers the team has come to: iterations of the loops around a phase are different ones.
    index : tuple of int
        Its own; threads of phases of other bounds are others, so the bounds come first.
    """

    team: tuple[int, ...]
    phase: int = 0
    index: tuple[int, ...] = ()

    @property
    def without_phase(self) -> Thread:
        """The same thread, whenever."""
        return replace(self, phase=0)

    def is_before(self, other: Thread) -> bool:
        """Whether what this one has done already is done before the other goes on, in any order of threads."""
        return self.team == other.team and (
            self.phase < other.phase or (self.phase == other.phase and self.index == other.index)
        )


def meet(some: set[Thread], others: set[Thread]) -> bool:
    """Whether nothing orders one of some and a different one of others."""
    if not some or not others:
        return False
    everyone = some | others
    if len({t.team for t in everyone}) > 1:
        return True
    return any(
        len({t.index for t in everyone if t.phase == phase}) > 1
        for phase in {t.phase for t in some} & {t.phase for t in others}
    )


class Outside(Exception):
    """An access that is tested would leave its array: it does not happen."""


MOST_ITERATIONS = 300  # of a thread's `while` loops; one that makes more is stopped
MOST_NUMBERS = 10_000  # of a `for` loop


class ThreadEnds(Exception):
    """The thread did something that has no meaning, or did not end."""


class Jump(Exception):
    """A `break`, or a `continue`, on its way to its loop."""

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
    """An array or buffer with the threads that read and wrote each element."""

    array: Storage
    limits: list[tuple[int, int]]
    values: dict[Element, Any]
    readers: dict[Element, set[Thread]] = field(default_factory=dict)
    updaters: dict[Element, set[Thread]] = field(default_factory=dict)  # atomically
    writers: dict[Element, set[Thread]] = field(default_factory=dict)
    trusted: set[Element] = field(default_factory=set)  # accessed on the author's word
    base: Memory | None = None  # whose elements a view shows
    lengths: Sequence[int] = ()  # of a pack's members, where each has its own

    @property
    def needs_writing(self) -> bool:
        """Whether an element must be written before it is read."""
        array = self.array
        return array.fill is None if isinstance(array, Buffer) else array.access is Access.OUT

    @property
    def size(self) -> int:
        return math.prod(max(0, high - low) for low, high in self.limits)

    def place(self, element: Element) -> tuple[Memory, Element]:
        """Return where an element is: views share those of their base, in row-major order."""
        if self.base is None:
            return self, element
        number = 0
        for i, (low, high) in zip(element, self.limits, strict=True):
            number = number * (high - low) + i
        inner: list[int] = []
        for low, high in reversed(self.base.limits):
            number, i = divmod(number, high - low)
            inner.insert(0, i)
        return self.base.place(tuple(inner))

    def limits_of(self, element: Element) -> list[tuple[int, int]]:
        """Return the bounds of every dimension where an element lies."""
        if not self.lengths or not 0 <= element[0] < len(self.lengths):
            return self.limits
        assert isinstance(self.array, Array)
        length = (0, self.lengths[element[0]])
        return [length if n == self.array.own_dim else limit for n, limit in enumerate(self.limits)]

    def elements(self) -> Iterator[Element]:
        members = range(*self.limits[0])
        for member in members if self.lengths else [0]:
            limits = self.limits_of((member,))
            first = [(member, member + 1)] if self.lengths else limits[:1]
            yield from itertools.product(*(range(low, high) for low, high in (*first, *limits[1:])))


@dataclass
class Run:
    """One launch and what went wrong in it."""

    kernel: Kernel
    sizes: Mapping[str, int]
    random: random.Random
    barriers: frozenset[int] | None = None  # phases that end with one; None: all
    faults: set[str] = field(default_factory=set)
    is_endless: bool = False  # a thread was stopped: what it would have done is not known
    is_void: bool = False  # what the author vouched for in `unsafe` is not so: nothing that follows has a meaning
    escaped: set[Any] = field(default_factory=set)  # spans of accesses in `checked` that would have left their array
    negative_divisions: set[Any] = field(default_factory=set)  # spans where a plain division would be wrong
    memories: dict[Storage, Memory] = field(default_factory=dict)  # of parameters
    buffers: list[Memory] = field(default_factory=list)  # of every team and thread

    def prepare(self) -> Run:
        """Fill the arrays; returns the run."""
        everywhere = {v: self.sizes[v.name] for v in (*self.kernel.scalars, *self.kernel.extents)}
        for array in self.kernel.arrays:
            limits = [(_exact(d.lower, everywhere), _exact(d.upper, everywhere)) for d in array.dims]
            lengths = [everywhere[v] for v in array.lengths.extents] if array.lengths else ()
            memory = Memory(array, limits, {}, lengths=lengths)
            elements = list(memory.elements())
            memory.values = dict(zip(elements, self._contents(array, len(elements)), strict=True))
            self.memories[array] = memory
        return self

    def _contents(self, array: Array, size: int) -> list[Any]:
        """Return what an array holds: anything, or, of an index list, often numbers of elements, each of them once."""
        numbers = list(range(size))
        if array.access is not Access.REF or not array.element.is_integer or self.random.random() < 0.4:
            return [self.datum(array.element) for _ in numbers]
        if self.random.random() < 0.5:
            return [self.random.randrange(size) for _ in numbers]
        if self.random.random() < 0.5:
            self.random.shuffle(numbers)
        return numbers

    def launch(self) -> set[str]:
        """Run every thread, or team; return the kinds of fault: bounds, race, uninitialised, uncovered, divisor."""
        if not self.memories:
            self.prepare()
        everywhere = {v: self.sizes[v.name] for v in (*self.kernel.scalars, *self.kernel.extents)}
        # Bounds of the `parallel` or `teams` are machine arithmetic: they may wrap.
        host = _Thread(self, Thread(()), dict(everywhere), self.memories)
        try:
            host.each(self.kernel.body)
        except ThreadEnds:
            return self.faults
        self._judge_races()
        self._judge_coverage()
        return self.faults

    def hold(self, table: Constants | Lengths, variables: Mapping[Variable, Any]) -> None:
        """Make the memory of a table when it is first read."""
        if table in self.memories:
            return
        values = [variables[v] for v in table.extents] if isinstance(table, Lengths) else list(table.values)
        memory = self.memories[table] = Memory(table, [(0, _exact(d.upper, {})) for d in table.dims], {})
        memory.values = dict(zip(memory.elements(), values, strict=True))

    def datum(self, type_: Scalar) -> Any:
        """Return a random value of a type; integers are small, or at the ends of their type."""
        if type_.is_float:
            return self.random.choice([-1.5, -1.0, 0.0, 0.5, 2.0])
        if type_ is BOOL:
            return self.random.choice([False, True])
        extreme = [type_.lowest, type_.highest]
        return self.random.choice([*range(-2 if type_.is_signed else 0, 7), *extreme])

    def _judge_races(self) -> None:
        for memory in (*self.memories.values(), *self.buffers):
            for element in memory.writers.keys() | memory.updaters.keys():
                writers, readers, updaters = (
                    threads.get(element, set()) for threads in (memory.writers, memory.readers, memory.updaters)
                )
                # Updates race with plain accesses, not with each other.
                if meet(writers, writers | readers | updaters) or meet(updaters, readers):
                    self.blame("race", element in memory.trusted)

    def blame(self, fault: str, is_trusted: bool) -> None:
        """Note a fault of the kernel, or of its author's word."""
        if is_trusted:
            self.is_void = True
        else:
            self.faults.add(fault)

    def aliased(self) -> set[str]:
        """Return the arrays on which two threads conflict, whatever orders them; atomic updates count."""
        found = set()
        for memory in self.memories.values():
            for element in memory.writers.keys() | memory.updaters.keys():
                threads = (m.get(element, set()) for m in (memory.writers, memory.readers, memory.updaters))
                if len({t.without_phase for some in threads for t in some}) > 1:
                    found.add(memory.array.name)
        return found

    def _judge_coverage(self) -> None:
        for memory in () if self.is_endless else self.memories.values():
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
        case Load(array=Lengths(extents=extents)):
            return max(variables[v] for v in extents)  # of the longest member
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
    checker = _Thread(Run(kernel, sizes, random.Random(0)), Thread(()), dict(variables), {})
    return all(checker.value(r.condition) for r in kernel.requires)


@dataclass
class _Thread:
    """A thread, or a team outside of its phases."""

    run_: Run
    identity: Thread
    variables: dict[Variable, Any]
    memories: dict[Storage, Memory]
    iterations: int = 0  # of `while`

    checked: int = 0  # `with checked():` blocks around the statement
    trusted: int = 0  # `with unsafe(...):` blocks

    def each(self, group: Parallel | Teams | Phase) -> None:
        """Run a body once for each tuple of indices, in random order."""
        ranges = [range(self.value(r.lower), self.value(r.upper)) for r in group.ranges]
        assert math.prod(map(len, ranges)) < 5000, "an oracle's launch is small"
        everyone = list(itertools.product(*ranges))
        self.run_.random.shuffle(everyone)
        shape = tuple(bound for r in ranges for bound in (r.start, r.stop))
        for indices in everyone:
            who = replace(self.identity, index=(*shape, *indices)) if isinstance(group, Phase) else Thread(indices)
            variables = {**self.variables, **dict(zip(group.indices, indices, strict=True))}
            try:
                blocks = {"checked": self.checked, "trusted": self.trusted}
                _Thread(self.run_, who, variables, dict(self.memories), **blocks).run(group.body)
            except ThreadEnds:
                continue
        if isinstance(group, Phase) and (self.run_.barriers is None or group.number in self.run_.barriers):
            self.identity = replace(self.identity, phase=self.identity.phase + 1)

    def allocate(self, buffer: Buffer) -> None:
        limits = [(0, self.value(d.upper)) for d in buffer.dims]
        memory = Memory(buffer, limits, {}, base=self.memories[buffer.base] if buffer.base is not None else None)
        if memory.base is not None and memory.size > memory.base.size:
            self.run_.faults.add("bounds")
            raise ThreadEnds
        fill = buffer.fill.value if buffer.fill is not None else None
        memory.values = {e: self.run_.datum(buffer.element) if fill is None else fill for e in memory.elements()}
        self.memories[buffer] = memory
        self.run_.buffers.append(memory)

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
                try:
                    memory, element = self.inside(array, element, statement.target_span)
                except Outside:
                    return
                memory.writers.setdefault(element, set()).add(self.identity)
                memory.values[element] = stored
            case Allocate(buffer=buffer):
                self.allocate(buffer)
            case Phase():
                self.each(statement)
            case Contribute(reducer=reducer, bin=bin_):
                for i, d in zip(map(self.value, bin_), reducer.dims, strict=True):
                    if not self.value(d.lower) <= i < self.value(d.upper):
                        self.fail("bounds")
                for part in statement.parts:
                    self.value(part)
            case Drop(value=value):
                self.value(value)
            case If(condition=condition, then=then, otherwise=otherwise):
                self.run(then if self.value(condition) else otherwise)
            case For(index=index_, lower=lower, upper=upper, step=step, body=body):
                first, end = self.value(lower), self.value(upper)
                step = step if isinstance(step, int) else self.value(step)
                if statement.step is not step and step <= 0:
                    self.fail("divisor")
                if abs(end - first) > MOST_NUMBERS * abs(step):  # bounds from data: such a loop does not end in time
                    self.run_.is_endless = True
                    raise ThreadEnds
                for i in range(first, end, step):
                    self.variables[index_] = i
                    if not self.goes_on(body):
                        break
            case While(condition=condition, body=body):
                while self.value(condition) and self.goes_on(body):
                    self.iterations += 1
                    if self.iterations > MOST_ITERATIONS:
                        self.run_.is_endless = True
                        raise ThreadEnds
            case Break() | Continue():
                raise Jump(isinstance(statement, Continue))
            case Checked(body=body):
                self.checked += 1
                try:
                    self.run(body)
                finally:
                    self.checked -= 1
            case Unsafe(body=body):
                self.trusted += 1
                try:
                    self.run(body)
                finally:
                    self.trusted -= 1

    def fail(self, fault: str) -> NoReturn:
        self.run_.blame(fault, self.trusted > 0)
        raise ThreadEnds

    def goes_on(self, body: Sequence[Statement]) -> bool:
        """Run a loop's body; False after a `break`."""
        try:
            self.run(body)
        except Jump as jump:
            return jump.goes_on
        return True

    def inside(self, array: Storage, element: Element, span: Span) -> tuple[Memory, Element]:
        if isinstance(array, (Constants, Lengths)):
            self.run_.hold(array, self.variables)
        memory = self.run_.memories[array] if array in self.run_.memories else self.memories[array]
        if not all(low <= i < high for i, (low, high) in zip(element, memory.limits_of(element), strict=True)):
            if self.checked and not self.trusted and not memory.lengths:
                self.run_.escaped.add(span)
                raise Outside
            self.fail("bounds")
        memory, element = memory.place(element)
        if self.trusted:
            memory.trusted.add(element)
        return memory, element

    def written(self, memory: Memory, element: Element) -> None:
        """Fault if an element may be read before it is written."""
        writers = memory.writers.get(element, set()) | memory.updaters.get(element, set())
        if memory.needs_writing and not any(w.is_before(self.identity) for w in writers):
            self.run_.blame("uninitialised", self.trusted > 0)

    def value(self, expr: Expr) -> Any:
        match expr:
            case Const(value=value, type=type_):
                return wrap(value, type_)
            case Read(variable=variable):
                return self.variables[variable]
            case Load() | AtomicUpdate():
                try:
                    return self.load(expr) if isinstance(expr, Load) else self.update(expr)
                except Outside:
                    return wrap(0, expr.type)
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
        memory, element = self.inside(load.array, element, load.span)
        memory.readers.setdefault(element, set()).add(self.identity)
        self.written(memory, element)
        return memory.values[element]

    def update(self, update: AtomicUpdate) -> Any:
        element = tuple(self.value(i) for i in update.index)
        memory, element = self.inside(update.array, element, update.target_span)
        self.written(memory, element)
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
                self.fail("divisor")
            if left < 0:
                self.run_.negative_divisions.add(expr.span)
        return wrap(_safely(expr.operation.meaning, left, right), expr.type)


def _safely(meaning: Any, *arguments: Any) -> Any:
    try:
        return meaning(*arguments)
    except (ZeroDivisionError, OverflowError, ValueError):  # of floats: the machine gives an infinity or NaN
        return math.nan
