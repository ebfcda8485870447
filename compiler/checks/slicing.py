"""What decides an access, sliced out of a kernel: its index arithmetic, loads of index arrays, loops and conditions.

A slice goes wherever the kernel goes, and possibly further: a condition on data (floats, memory that the kernel
changes) is left out, so that both of its sides are taken. Each load of a slice is tested first, and gives 0 outside of
its array; divisors are at least 1. So a slice is safe to run on any contents of the index arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TypeAlias, TypeVar

from ..ir import operations as ops
from ..ir.nodes import (
    Access,
    Array,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    Call,
    Cast,
    Checked,
    Const,
    Continue,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Indexed,
    Inlined,
    Lengths,
    Load,
    Logical,
    Phase,
    Read,
    Select,
    Statement,
    Store,
    Unary,
    Unsafe,
    Variable,
    VariableKind,
    While,
)
from ..ir.source import Span
from ..ir.types import BOOL
from ..ir.walk import walk
from .carried import assigned
from .conditions import every, exact, joined, length_of, within, zero


class Level(IntEnum):
    """What a value depends on."""

    PLAIN = 0  # scalars, extents and indices
    LISTED = 1  # the contents of index arrays as well
    DATA = 2  # anything else: a slice has no such value


AccessKey: TypeAlias = tuple[Indexed | None, Span, bool]  # array, where, whether it writes; None: a value that widens
Index: TypeAlias = Sequence[Expr | None]  # None: depends on data
Emit: TypeAlias = Callable[[AccessKey, Index], Sequence[Statement]]  # what to test of an access
Walks: TypeAlias = Callable[[Phase], Sequence[tuple[tuple[Statement, ...], tuple[Statement, ...]]]]
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class _Truth:
    """A condition, as far as a slice knows it: `holds` and `fails` may both be true; None is always true."""

    exact: Expr | None
    holds: Expr | None
    fails: Expr | None


_UNKNOWN = _Truth(None, None, None)


class Slicer:
    """Rewrites the body of one thread, or of one team, statement by statement.

    Parameters
    ----------
    test : callable
        Returns what to test of an access.
    ends : Expr
        Whether the thread has found a fault: its loops then end, for what they count may be nonsense.
    walks : callable
        Returns what to do before each walk over the threads of a phase, and for each of them: in a slice, one thread
        takes a team's threads one after the other.

    Attributes
    ----------
    walk : int
        The walk over a phase's threads that `test` is asked for, from 0.
    levels : dict
        Of every access met: the level of each of its indices, and of the conditions on the way to it.
    """

    def __init__(self, test: Emit, ends: Expr, walks: Walks) -> None:
        self.levels: dict[AccessKey, tuple[tuple[Level, ...], Level]] = {}
        self.walk = 0
        self._test, self._ends, self._walks = test, ends, walks
        self._known: dict[Variable, Level] = {}
        self._counters: set[Variable] = set()  # of the walks: they count wherever the slice goes, data or not
        self._way = Level.PLAIN
        self._out: list[Statement] = []
        self._loop_is_kept = False
        self._left_on_data = False  # the loop around may end, or skip the rest of an iteration, as data decide

    def sliced(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        """Return the slice of a body."""
        return self._captured(lambda: self._block(body))[0]

    # -- statements ---------------------------------------------------------------------------------------------------

    def _captured(self, make: Callable[[], _Result]) -> tuple[tuple[Statement, ...], _Result]:
        before, self._out = self._out, []
        result = make()
        made, self._out = tuple(self._out), before
        return made, result

    def _block(self, body: Sequence[Statement]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, s: Statement) -> None:
        match s:
            case Assign(variable=variable) if variable in self._counters:
                self._out.append(s)
            case Assign(variable=variable, value=value):
                self._assign(variable, self._value(value), s.span)
            case Store(array=array, index=index, value=value):
                indices = [self._value(i) for i in index]
                self._value(value)
                self._access((array, s.target_span, True), indices)
            case Contribute(reducer=reducer, bin=bin_):
                indices = [self._value(i) for i in bin_]
                for e in s.parts:
                    self._value(e)
                if bin_:
                    self._access((reducer, s.target_span, True), indices)
            case Drop(value=value):
                self._value(value)
            case If():
                self._if(s)
            case For():
                self._for(s)
            case While(condition=condition, body=inner):  # it need not end where the kernel does not go
                self._once(condition, inner)
            case Break() | Continue():
                if self._loop_is_kept and self._way is not Level.DATA:
                    self._out.append(s)
                self._left_on_data = self._left_on_data or self._way is Level.DATA
            case Checked(body=body) | Unsafe(body=body):
                self._block(body)
            case Phase():
                self._phase(s)
            case _:  # allocations hold data
                pass

    def _assign(self, variable: Variable, value: Expr | None, span: Span) -> None:
        if value is None:
            self._known[variable] = Level.DATA
            return
        self._known[variable] = max(self._level(value), min(self._way, Level.LISTED))
        self._out.append(Assign(variable, value, span))

    def _local(self, name: str, value: Expr) -> Read:
        """Assign a value to a new local."""
        variable = Variable(name, value.type, VariableKind.LOCAL, value.span)
        self._assign(variable, value, value.span)
        return Read(variable, value.span)

    def _if(self, s: If) -> None:
        truth = self._condition(s.condition)
        before = dict(self._known)
        then, _ = self._under(truth.holds, truth.exact, lambda: self._block(s.then))
        after_then, self._known = self._known, dict(before)
        changed = [v for v in assigned(s.then) if before.get(v, Level.DATA) is not Level.DATA]
        saved: list[tuple[Variable, Read]] = []
        if truth.exact is None and s.otherwise:  # both sides are taken: the second starts as the first one did
            saved = [(v, self._local(v.name, Read(v, s.span))) for v in changed]
        otherwise, _ = self._under(truth.fails, truth.exact, lambda: self._block(s.otherwise))
        if truth.exact is not None:
            self._emit_if(truth.exact, then, otherwise, s.span)
            for v in {**after_then, **self._known}:
                self._known[v] = max(after_then.get(v, Level.DATA), self._known.get(v, Level.DATA))
            return
        self._emit_if(truth.holds, then, (), s.span)
        self._out += [Assign(v, kept, s.span) for v, kept in saved]
        self._emit_if(truth.fails, otherwise, (), s.span)
        self._known.update(dict.fromkeys(assigned((s,)), Level.DATA))

    def _under(
        self, condition: Expr | None, exact: Expr | None, make: Callable[[], _Result]
    ) -> tuple[tuple[Statement, ...], _Result]:
        """Return the statements of a side of a condition."""
        before = self._way
        level = Level.PLAIN if condition is None else self._level(condition)
        self._way = max(self._way, level if exact is not None else Level.DATA)
        made = self._captured(make)
        self._way = before
        return made

    def _emit_if(
        self, condition: Expr | None, then: tuple[Statement, ...], otherwise: tuple[Statement, ...], span: Span
    ) -> None:
        if condition is None:
            self._out += then
        elif then or otherwise:
            self._out.append(If(condition, then, otherwise, span))

    def _for(self, s: For) -> None:
        lower, upper = self._value(s.lower), self._value(s.upper)
        if lower is None or upper is None or not isinstance(s.step, int):  # a slice has no loop that may not end
            self._known[s.index] = Level.DATA
            self._once(None, s.body)
            return
        self._known[s.index] = max(self._level(lower), self._level(upper))
        body = self._repeated(s, self._known[s.index])
        self._out.append(replace(s, lower=lower, upper=upper, body=body))

    def _phase(self, s: Phase) -> None:
        for walk_, (before, each) in enumerate(self._walks(s)):
            self.walk = walk_
            self._counters |= {a.variable for a in (*before, *each) if isinstance(a, Assign)}
            nest = (*each, *s.body)
            for index, bounds in reversed(list(zip(s.indices, s.ranges, strict=True))):
                nest = (For(index, bounds.lower, bounds.upper, 1, nest, s.span),)
            self._block((*before, *nest))
        self.walk = 0

    def _repeated(self, loop: For, level: Level) -> tuple[Statement, ...]:
        """Return the body of a loop that is kept, its variables at the level that any iteration gives them."""
        outer = (self._loop_is_kept, self._left_on_data, self._way)
        while True:
            before, self._left_on_data = dict(self._known), False
            self._loop_is_kept, self._way = True, max(outer[2], level)
            body, _ = self._captured(lambda: self._block(loop.body))
            after = self._known
            if self._left_on_data:
                after.update(dict.fromkeys(assigned(loop.body), Level.DATA))
            self._known = {v: max(known, after[v]) for v, known in before.items()}
            if self._known == before:
                break
        self._known = dict.fromkeys(after, Level.DATA) | self._known
        self._loop_is_kept, self._left_on_data, self._way = outer
        return (If(self._ends, (Break(loop.span),), (), loop.span), *body)

    def _once(self, condition: Expr | None, body: Sequence[Statement]) -> None:
        """Slice a loop whose iterations data decide: any of them, so nothing that it assigns is known."""
        changed = dict.fromkeys(assigned(tuple(body)), Level.DATA)
        self._known.update(changed)
        if condition is not None:
            self._condition(condition)
        outer = (self._loop_is_kept, self._left_on_data, self._way)
        self._loop_is_kept, self._way = False, Level.DATA
        self._block(body)
        self._loop_is_kept, self._left_on_data, self._way = outer
        self._known.update(changed)

    # -- accesses -----------------------------------------------------------------------------------------------------

    def _access(self, key: AccessKey, index: Index) -> list[Expr | None]:
        """Emit the tests of an access; returns its indices as they can be used again."""
        self._note(key, [Level.DATA if i is None else self._level(i) for i in index])
        kept: list[Expr | None] = [
            self._local("index", i) if i is not None and not isinstance(i, (Const, Read)) else i for i in index
        ]
        self._out += self._test(key, kept)
        return kept

    def _note(self, key: AccessKey, levels: Sequence[Level]) -> None:
        old, way = self.levels.get(key, (levels, self._way))  # a call that is inlined twice is met twice
        self.levels[key] = tuple(max(pair) for pair in zip(levels, old, strict=True)), max(way, self._way)

    def _cast(self, e: Cast) -> Expr | None:
        """Convert; an integer that is converted to a wider type must not have wrapped before."""
        inner = self._value(e.operand)
        if inner is None or e.type.is_float:
            return None
        if inner.type.bits == 32 and e.type.bits == 64 and not isinstance(inner, (Const, Read)):
            key = (None, e.operand.span, False)
            self._note(key, [self._level(inner) if exact(inner)[1] < 64 else Level.DATA])
            self._out += self._test(key, [inner])
        return replace(e, operand=inner)

    def _load(self, load: Load) -> Expr | None:
        index = self._access((load.array, load.span, False), [self._value(i) for i in load.index])
        known = [i for i in index if i is not None]
        if isinstance(load.array, Lengths):
            return self._local(load.array.name, length_of(load.array, known[0])) if known else None
        listed = isinstance(load.array, Array) and load.array.access is Access.REF and not load.array.is_table
        if not listed or not load.type.is_integer or len(known) < len(index):
            return None
        value = Variable(load.array.name, load.type, VariableKind.LOCAL, load.span)
        inside = every([test for n in range(len(known)) for test in within(load.array, n, known)], load.span)
        read = Assign(value, replace(load, index=tuple(known)), load.span)
        self._out.append(If(inside, (read,), (Assign(value, zero(load.type, load.span), load.span),), load.span))
        self._known[value] = Level.LISTED
        return Read(value, load.span)

    # -- expressions --------------------------------------------------------------------------------------------------

    def _level(self, e: Expr) -> Level:
        return max((self._level_of(p.variable) for p in walk(e) if isinstance(p, Read)), default=Level.PLAIN)

    def _level_of(self, variable: Variable) -> Level:
        unassigned = Level.DATA if variable.kind is VariableKind.LOCAL else Level.PLAIN
        return self._known.get(variable, unassigned)

    def _value(self, e: Expr) -> Expr | None:
        """Return an expression over what a slice knows, or None; what it accesses is tested either way."""
        match e:
            case Logical():
                return self._logical(e).exact
            case Unary(type=type_) if type_ is BOOL:
                return self._condition(e).exact
            case Const():
                return None if e.type.is_float else e
            case Read(variable=variable):
                return None if e.type.is_float or self._level_of(variable) is Level.DATA else e
            case Load():
                return self._load(e)
            case AtomicUpdate(array=array, index=index, arguments=arguments):
                indices = [self._value(i) for i in index]
                self._access((array, e.target_span, True), indices)
                for argument in arguments:
                    self._value(argument)
                return None
            case Unary(operand=operand):
                inner = self._value(operand)
                return None if inner is None else replace(e, operand=inner)
            case Cast():
                return self._cast(e)
            case Binary():
                return self._binary(e)
            case Select():
                return self._select(e)
            case Call(arguments=arguments):
                values = [self._value(a) for a in arguments]
                known = [v for v in values if v is not None]
                return replace(e, arguments=tuple(known)) if len(known) == len(values) and known else None
            case Inlined(statements=inside, value=value):
                self._block(inside)
                return self._value(value)

    def _binary(self, e: Binary) -> Expr | None:
        left, right = self._value(e.left), self._value(e.right)
        if left is None or right is None:
            return None
        if e.operation in (ops.FLOORDIV, ops.MOD):
            one = Const(1, right.type, right.span)
            right = Call(ops.INTRINSICS["max"], (right, one), right.type, right.span)
        return replace(e, left=left, right=right)

    def _condition(self, e: Expr) -> _Truth:
        match e:
            case Logical():
                return self._logical(e)
            case Unary(operand=operand):
                inner = self._condition(operand)
                negated = None if inner.exact is None else replace(e, operand=inner.exact)
                return _Truth(negated, inner.fails, inner.holds)
            case Binary():
                known = self._binary(e)
            case Select():
                known = self._select(e)
            case _:
                known = self._value(e)
        return _UNKNOWN if known is None else _Truth(known, known, Unary(ops.NOT, known, BOOL, e.span))

    def _logical(self, e: Logical) -> _Truth:
        left = self._condition(e.left)
        reached = left.holds if e.is_and else left.fails
        made, right = self._under(reached, left.exact, lambda: self._condition(e.right))
        if made and reached is not None:  # what the right side needs is computed only where that is reached
            right, made = self._kept(right, made, e.span)
        self._emit_if(reached, made, (), e.span)
        exact = joined(left.exact, right.exact, e.is_and, True, e.span)
        holds = joined(left.holds, right.holds, e.is_and, not e.is_and, e.span)
        fails = joined(left.fails, right.fails, not e.is_and, e.is_and, e.span)
        return _Truth(exact, holds, fails)

    def _kept(self, truth: _Truth, made: tuple[Statement, ...], span: Span) -> tuple[_Truth, tuple[Statement, ...]]:
        """Move a condition into locals that have a value on every way."""
        parts: list[Expr | None] = []
        for part in (truth.exact, truth.holds, truth.fails):
            if part is None:
                parts.append(None)
                continue
            kept = self._local("known", Const(False, BOOL, span))
            self._known[kept.variable] = self._level(part)
            made = (*made, Assign(kept.variable, part, span))
            parts.append(kept)
        return _Truth(*parts), made

    def _select(self, e: Select) -> Expr | None:
        truth = self._condition(e.condition)
        then_made, then = self._under(truth.holds, truth.exact, lambda: self._value(e.then))
        other_made, other = self._under(truth.fails, truth.exact, lambda: self._value(e.otherwise))
        if truth.exact is None or then is None or other is None:
            self._emit_if(truth.holds, then_made, (), e.span)
            self._emit_if(truth.fails, other_made, (), e.span)
            return None
        chosen = Variable("chosen", e.type, VariableKind.LOCAL, e.span)
        self._known[chosen] = max(self._level(truth.exact), self._level(then), self._level(other))
        then_made, other_made = (*then_made, Assign(chosen, then, e.span)), (*other_made, Assign(chosen, other, e.span))
        self._emit_if(truth.exact, then_made, other_made, e.span)
        return Read(chosen, e.span)
