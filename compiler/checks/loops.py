"""Symbolic execution of loops: what is known at the head of each iteration, and after the last one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..ir import operations as ops
from ..ir.nodes import Binary, Break, Const, Continue, Expr, For, Phase, Read, Statement, Variable, While
from ..ir.source import Span
from ..ir.types import BOOL, I64
from ..ir.walk import expressions_of, statements, walk
from .carried import Advances, Alternates, Divides, Multiplies, Strides, assigned, jumps, update_of
from .evaluate import COUNTS, Evaluator, exactly
from .products import multiply
from .record import Record
from .terms import (
    Compare,
    Condition,
    Every,
    Kind,
    Symbol,
    Term,
    Truth,
    choose,
    compare,
    every,
    floordiv,
    larger,
    mod,
    negate,
    number,
    of,
    smaller,
    some,
    symbols,
)
from .values import Boolean, Data, Integer, Value, join, under

_MOST_COPIES = 32

Body = tuple[Statement, ...]
Entry = Callable[[Term, dict[Variable, Value]], Boolean]  # (iterations before it, values at the head of the last one)


@dataclass(frozen=True, slots=True)
class Way:
    """A way out of a loop, by a `break`: when it is taken, and the values there."""

    taken: Boolean
    values: dict[Variable, Value]


class Loops:
    """The part of a kernel's symbolic execution that deals with loops."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.evaluator = Evaluator(record, self._block)
        self.variables = self.evaluator.variables
        self._ways: list[Way] = []  # out of the innermost loop
        self._copies = 1  # of the statement that is executed, in loops that are unrolled
        self._base = 0  # depth of the path at the start of its body
        self._surely = 0  # depth of the path up to which it holds wherever its iterators have values

    def _block(self, statements: Body) -> Boolean:
        raise NotImplementedError

    def _observed(self, expression: Expr, why: str) -> Term:
        raise NotImplementedError

    def _unknown(self, variable: Variable) -> Value:
        """Return any value of a variable's type."""
        if variable.type.is_float:
            return Data()
        unknowns = self.evaluator.unknowns
        return unknowns.value(unknowns.fresh(variable.name, variable.type, self.record.iterators))

    def _leave(self) -> None:
        """Execute a `break`: what follows relies on when it is taken."""
        self.record.rely_on_path()
        self._ways.append(Way(self.record.since(self._base), dict(self.variables)))

    def _body(self, body: Body) -> list[Way]:
        outer = self._ways, self._base
        self._ways, self._base = [], self.record.depth
        self._block(body)
        ways, (self._ways, self._base) = self._ways, outer
        return ways

    # -- loops that run to their end ----------------------------------------------------------------------------------

    def _for(self, loop: For) -> None:
        lower = self._observed(loop.lower, "a bound of `range`")
        upper = self._observed(loop.upper, "a bound of `range`")
        step = self._step(loop, lower, upper)
        if jumps(loop.body, Break):
            self._for_with_break(loop, lower, upper, step)
            return
        if lower.is_constant and upper.is_constant and isinstance(loop.step, int) and _multiplies(loop):
            values = range(lower.constant, upper.constant, loop.step)
            if len(values) * self._copies <= _MOST_COPIES and not jumps(loop.body, Continue):
                self._unrolled(loop, values)
                return
        symbol = Symbol(loop.index.name, Kind.LOOP, loop.index.type, within=self.record.iterators, step=1)
        if isinstance(loop.step, int):
            symbol.step = loop.step
        else:
            symbol.kind, symbol.stride = Kind.STRIDE, (lower, step)
        before = self._assigned(loop.body)
        condition, done, trips = _iterations(of(symbol), lower, upper, step)
        with self.record.iterating(symbol), self.record.given(condition):
            self._carry(before, loop.body, done)
            self.variables[loop.index] = Integer(of(symbol))
            surely, self._surely = self._surely, self.record.depth  # no value leaves the body
            self._body(loop.body)
            self._surely = surely
        self._carry(before, loop.body, trips)

    def _unrolled(self, loop: For, values: range) -> None:
        """Execute one iteration after the other: the index times something else is affine only for a known index."""
        before, self._copies = self._copies, self._copies * max(1, len(values))
        for value in values:
            self.variables[loop.index] = Integer(number(value))
            self._body(loop.body)
        self._copies = before

    def _step(self, loop: For, lower: Term, upper: Term) -> Term:
        """Return the step, a constant or positive; the counter steps once beyond the last index, and may not wrap."""
        step = number(loop.step) if isinstance(loop.step, int) else self._observed(loop.step, "the step of `range`")
        if not isinstance(loop.step, int):
            first, last = loop.lower.span, loop.step.span
            range_ = Span(first.line, first.column, last.end_line, last.end_column)
            self.record.division(lower, step, I64, (), span=range_, divisor_span=last, role="step")
        if not step.is_constant or abs(step.constant) > 1:
            beyond = Integer(upper + step - (-1 if step.is_constant and step.constant < 0 else 1))
            why = "the loop index after the last step"
            self.record.rely_on(self.evaluator.unknowns.observe(beyond, I64, loop.upper.span, why).seen)
        return step

    def _assigned(self, body: Body) -> dict[Variable, Value | None]:
        return {v: self.variables.get(v) for v in assigned(body)}

    def _carry(
        self, before: dict[Variable, Value | None], body: Body, done: Term, last: dict[Variable, Value] | None = None
    ) -> None:
        """Give every variable that a loop assigns its value after `done` iterations.

        Parameters
        ----------
        last : dict, optional
            Their values one iteration before, if there is one.
        """
        for variable, initial in before.items():
            self.variables[variable] = self._carried(variable, initial, body, done, (last or {}).get(variable))

    def _carried(
        self, variable: Variable, initial: Value | None, body: Body, done: Term, last: Value | None
    ) -> Value:  # fmt: skip
        if variable.type is BOOL or not isinstance(initial, Integer):
            return self._unknown(variable)
        match update_of(variable, body):
            case Advances(low=low, high=high) if low == high:
                return Integer(initial.term + done.scaled(low), initial.seen)
            case Advances(low=low, high=high):
                start = initial.term
                value = self._bounded(variable, initial, start + done.scaled(low), start + done.scaled(high))
                symbol = value.term.symbol
                if symbol is not None and done.symbol is None:  # one iteration before: of the first, there is none
                    symbol.facts = tuple(some(compare("<", done, number(0)), fact) for fact in symbol.facts)
                if isinstance(last, Integer):
                    near = every(
                        compare(">=", value.term, last.term + low), compare("<=", value.term, last.term + high)
                    )
                    _learn(value, some(compare("<=", done, number(0)), near))
                return value
            case Alternates(sum=total):
                other = number(total) - initial.term
                is_first = compare("==", mod(done, number(2)), number(0))
                return Integer(choose(is_first, initial.term, other), initial.seen)
            case Strides(step=step):
                added = self.evaluator.evaluate(step)
                assert isinstance(added, Integer), "what is added to an integer is one"
                return self._strided(variable, initial, added, done, last)
            case Divides(least=least):
                # It moves towards 0 or `least` from above, and up towards -1 or 0 from below.
                why = "divided in each iteration"
                first = self.evaluator.unknowns.observe(initial, variable.type, variable.span, why)
                self.record.rely_on(first.seen)
                lowest = smaller(first.term, number(least))
                return self._bounded(variable, first, lowest, larger(first.term, number(0)))
            case Multiplies(most=most, is_exact=is_exact):
                return self._multiplied(variable, initial, most, is_exact, done, last)
        anything = self._unknown(variable)
        if isinstance(anything, Integer) and anything.term.symbol is not None:
            anything.term.symbol.is_updated = True
        return anything

    def _strided(self, variable: Variable, initial: Integer, added: Integer, done: Term, last: Value | None) -> Value:
        """Return the start and as many whole steps as iterations are done."""
        start, step, seen = initial.term, added.term, initial.seen + added.seen
        if done.symbol is None or done.symbol.kind not in (Kind.ITERATION, Kind.COUNT):
            return Integer(start + multiply(done, step), seen)
        symbol = Symbol(variable.name, Kind.CARRIED, variable.type, within=self.record.iterators, stride=(start, step))
        value = of(symbol)
        symbol.facts = (
            some(compare("<", step, number(0)), compare(">=", value, start)),
            some(compare(">", step, number(0)), compare("<=", value, start)),
            some(compare("!=", done, number(0)), compare("==", value, start)),
        )
        if isinstance(last, Integer):
            symbol.facts += (some(compare("<=", done, number(0)), compare("==", value, last.term + step)),)
        return Integer(value, seen)

    def _multiplied(
        self, variable: Variable, initial: Integer, most: int, is_exact: bool, done: Term, last: Value | None
    ) -> Value:
        """Return a value that never comes nearer to 0, and by no more than a factor away from it in an iteration."""
        start = initial.term
        symbol = Symbol(variable.name, Kind.CARRIED, variable.type, within=self.record.iterators)
        value, zero = of(symbol), number(0)
        facts = [
            some(compare("<", start, zero), compare(">=", value, start)),
            some(compare(">", start, zero), compare("<=", value, start)),
            some(compare("!=", done, zero), compare("==", value, start)),
        ]
        if is_exact and start.is_constant:
            facts.append(exactly(done, value, [start.constant * most**k for k in range(COUNTS)]))
        if isinstance(last, Integer):
            before = last.term
            grown = every(
                some(compare("<", before, zero), compare("<=", value, before.scaled(most))),
                some(compare(">", before, zero), compare(">=", value, before.scaled(most))),
            )
            near = compare("==", value, before.scaled(most)) if is_exact else grown
            facts.append(some(compare("<=", done, zero), near))
        is_counted = done.symbol is not None  # else one iteration before: of the first, there is none
        symbol.facts = tuple(facts if is_counted else [some(compare("<", done, zero), fact) for fact in facts])
        return Integer(value, initial.seen)

    def _bounded(self, variable: Variable, initial: Integer, low: Term, high: Term) -> Integer:
        symbol = Symbol(variable.name, Kind.CARRIED, variable.type, within=self.record.iterators)
        symbol.facts = (compare(">=", of(symbol), low), compare("<=", of(symbol), high))
        return Integer(of(symbol), initial.seen)

    # -- loops that may end early: iterations are counted, and each is reached only if the one before was complete ----

    def _for_with_break(self, loop: For, lower: Term, upper: Term, step: Term) -> None:
        before = self._assigned(loop.body)
        is_downwards = step.is_constant and step.constant < 0

        def enter(done: Term, last: dict[Variable, Value]) -> Boolean:
            index = lower + multiply(done, step)
            self._carry(before, loop.body, done, last)
            self.variables[loop.index] = Integer(index)
            return Boolean(compare(">" if is_downwards else "<", index, upper))

        counts = lower == number(0) and step == number(1)
        self._until_left(loop.index.name if counts else "iteration", loop.body, enter)

    def _while(self, loop: While) -> None:
        before = self._assigned(loop.body)

        def enter(done: Term, last: dict[Variable, Value]) -> Boolean:
            self._carry(before, loop.body, done, last)
            return self.evaluator.condition(loop.condition)

        self._until_left("iteration", loop.body, enter)

    def _until_left(self, name: str, body: Body, enter: Entry) -> None:
        iterator = Symbol(name, Kind.ITERATION, I64, within=self.record.iterators, step=1)
        iterator.facts = (compare(">=", of(iterator), number(0)),)
        with self.record.iterating(iterator):
            reached, last = self._reached(of(iterator), body, enter)
            with self.record.given(reached):
                running = enter(of(iterator), last)
                with self.record.given(running.condition, running.seen):
                    self.record.rely_on_path()
                    self._body(body)
        self._after(body, enter)

    def _reached(self, done: Term, body: Body, enter: Entry) -> tuple[Condition, dict[Variable, Value]]:
        """Return when `done` iterations are complete, and the values at the head of the last of them.

        What that iteration observed is an obligation of its own: a value that wrapped has stopped the proof there.
        """
        with self.record.silent():
            running = enter(done - 1, {})
            last = dict(self.variables)
            ways: list[Way] = []
            if jumps(body, Break):
                with self.record.given(running.condition, running.seen):
                    ways = self._body(body)
        complete = every(running.condition, *(negate(way.taken.condition) for way in ways))
        held = [_held(c, done) for c in _conjuncts(complete) if _tells(c)]
        return some(compare("<=", done, number(0)), every(*held)), last

    def _after(self, body: Body, enter: Entry) -> None:
        """Set the values after the loop, and let what they are made of know how it ended."""
        count = Symbol("iterations", Kind.COUNT, I64, within=self.record.iterators)
        with self.record.silent():
            reached, last = self._reached(of(count), body, enter)
            running = enter(of(count), last)
            values = dict(self.variables)
            ways: list[Way] = []
            if jumps(body, Break):
                with self.record.given(running.condition, running.seen):
                    ways = self._body(body)
        ended = some(negate(running.condition), *(way.taken.condition for way in ways))
        if running.condition == Truth(True) and ways:
            values = ways.pop().values
        for variable in assigned(body):
            value = values[variable]
            for way in reversed(ways):  # no way out is taken where the loop was at its end already
                taken = every(running.condition, way.taken.condition)
                seen = running.seen + under(running.condition, way.taken.seen)
                value = join(Boolean(taken, seen), way.values[variable], value)
            self.variables[variable] = value
        # A fact holds wherever its symbol is used, also where the loop was not reached.
        came = self.record.since(self._surely).condition
        count.facts = (compare(">=", of(count), number(0)),)
        after = [self.variables[v] for v in assigned(body)]
        used = symbols(v.term if isinstance(v, Integer) else v.condition for v in after if not isinstance(v, Data))
        for symbol in used:
            if symbol.serial >= count.serial and symbol.kind in (Kind.UNKNOWN, Kind.COUNT, Kind.CARRIED):
                symbol.facts += (some(negate(came), every(reached, ended)),)


def _learn(value: Integer, fact: Condition) -> None:
    symbol = value.term.symbol
    assert symbol is not None, "a value with bounds only is a symbol"
    symbol.facts += (fact,)


def _conjuncts(condition: Condition) -> list[Condition]:
    return (
        [c for inner in condition.conditions for c in _conjuncts(inner)]
        if isinstance(condition, Every)
        else [condition]
    )


def _held(condition: Condition, done: Term) -> Condition:
    """Return what follows if a condition, as of the last of `done` iterations, held in each of them.

    If it is linear in the number of the iteration, it held in the first one too; and one that is never 0, but moves by
    1, has not crossed 0.
    """
    symbol = done.symbol
    assert symbol is not None, "iterations are counted by a symbol"
    if not isinstance(condition, Compare):
        return condition
    last, step = condition.term, dict(condition.term.parts).get(symbol, 0)
    first = last - (done - 1).scaled(step)
    if step == 0 or any(s is symbol or symbol in s.within for s in symbols([first])):
        return condition
    if condition.relation == "!=" and abs(step) == 1:
        beyond, before = (">", "<") if step > 0 else ("<", ">")
        return some(compare(beyond, first, number(0)), compare(before, last, number(0)))
    return every(condition, compare(condition.relation, first, number(0)))


def _tells(condition: Condition) -> bool:
    """Whether a condition says anything of an integer; of data alone it says nothing that could be used."""
    return isinstance(condition, Truth) or any(s.type is not BOOL for s in symbols([condition]))


def _iterations(index: Term, lower: Term, upper: Term, step: Term) -> tuple[Condition, Term, Term]:
    """Return the condition that `index` is one of the loop's, the iterations done before it, and the number of all.

    Of a step that is no constant the condition says the bounds only.
    """
    if step.is_constant and step.constant < 0:
        step, done, length = -step, lower - index, lower - upper
        inside = every(compare("<=", index, lower), compare(">", index, upper))
    else:
        done, length = index - lower, upper - lower
        inside = every(compare(">=", index, lower), compare("<", index, upper))
    if step.is_constant and step.constant > 1:
        inside = every(inside, compare("==", mod(done, step), number(0)))
    return inside, floordiv(done, step), larger(floordiv(length + step - 1, step), number(0))


def _multiplies(loop: For) -> bool:
    """Whether a loop of one thread multiplies its index by something that is not a constant."""
    inside = list(statements(loop.body))
    if any(isinstance(s, Phase) for s in inside):
        return False

    def depends(e: Expr) -> bool:
        return any(isinstance(part, Read) and part.variable is loop.index for part in walk(e))

    products = [e for s in inside for outer in expressions_of(s) for e in walk(outer) if isinstance(e, Binary)]
    return any(
        p.operation is ops.MUL and p.type.is_integer and not isinstance(other, Const) and depends(factor)
        for p in products
        for factor, other in ((p.left, p.right), (p.right, p.left))
    )
