"""Symbolic execution of a kernel: every access and observed value, with the conditions on the way to it."""

from __future__ import annotations

from ..ir.nodes import (
    Assign,
    Checked,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Kernel,
    Range,
    Statement,
    Storage,
    Store,
    Unsafe,
    Variable,
    VariableKind,
)
from ..ir.types import BOOL, I64
from .carried import Advances, Divides, assigned, update_of
from .evaluate import Evaluator
from .facts import Facts
from .record import Record
from .terms import Condition, Kind, Symbol, Term, compare, every, floordiv, larger, mod, negate, number, of, smaller
from .values import Boolean, Data, Integer, Value, join


def gather(kernel: Kernel) -> Facts:
    """Execute a kernel on symbols; no solver is asked.

    Returns
    -------
    Facts
        Accesses in the order of evaluation of one thread; every thread runs the same body.
    """
    return _Gatherer(kernel).facts()


class _Gatherer:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.record = Record(kernel.source)
        self.evaluator = Evaluator(self.record)
        self.variables = self.evaluator.variables
        self.parameters: list[Symbol] = []
        for variable in (*kernel.scalars, *kernel.extents):
            self._declare_parameter(variable)

    def _declare_parameter(self, variable: Variable) -> None:
        if variable.type.is_float:
            self.variables[variable] = Data()
            return
        symbol = Symbol(variable.name, Kind.PARAMETER, variable.type)
        self.parameters.append(symbol)
        self.variables[variable] = self.evaluator.unknowns.value(symbol)

    def facts(self) -> Facts:
        kernel = self.kernel
        shapes: dict[Storage, tuple[tuple[Term, Term], ...]] = {
            array: tuple((self._bound(d.lower), self._bound(d.upper)) for d in array.dims) for array in kernel.arrays
        }
        lengths = tuple(dict.fromkeys(upper - lower for shape in shapes.values() for lower, upper in shape))
        context = self._context(lengths)
        threads, sizes = self._parallel()
        return Facts(
            kernel, tuple(self.parameters), context, threads, sizes, lengths, shapes,
            tuple(self.record.accesses), tuple(self.record.observations.values()), tuple(self.record.divisions),
        )  # fmt: skip

    def _bound(self, expression: Expr) -> Term:
        value = self.evaluator.evaluate(expression)
        assert isinstance(value, Integer), "dims are integers"
        return value.term

    def _context(self, sizes: tuple[Term, ...]) -> tuple[Condition, ...]:
        """Return what the launcher sees to: a size is not negative as a whole; its terms may be, unless extents."""
        extents = [of(s) for s in self.parameters if s.name in {v.name for v in self.kernel.extents}]
        conditions = [compare(">=", size, number(0)) for size in (*extents, *sizes)]
        for requirement in self.kernel.requires:
            value = self.evaluator.evaluate(requirement.condition)
            assert isinstance(value, Boolean), "a require is a condition"
            conditions.append(value.condition)
        return tuple(dict.fromkeys(conditions))

    def _parallel(self) -> tuple[tuple[Symbol, ...], tuple[Term, ...]]:
        body = self.kernel.body
        threads = tuple(Symbol(v.name, Kind.THREAD, v.type) for v in body.indices)
        sizes, conditions = [], []
        for variable, symbol, bounds in zip(body.indices, threads, body.ranges, strict=True):
            self.variables[variable] = Integer(of(symbol))
            lower, upper = self._range(bounds)
            sizes.append(upper - lower)
            conditions += [compare(">=", of(symbol), lower), compare("<", of(symbol), upper)]
        with self.record.iterating(*threads), self.record.given(every(*conditions)):
            self._block(body.body)
        return threads, tuple(sizes)

    def _range(self, bounds: Range) -> tuple[Term, Term]:
        why = "a bound of `parallel`"
        return self._observed(bounds.lower, why), self._observed(bounds.upper, why)

    def _observed(self, expression: Expr, why: str) -> Term:
        """Return a value that the machine uses as it is; being in range is an obligation at once."""
        value = self.evaluator.evaluate(expression)
        assert isinstance(value, Integer), "bounds and locations are integers"
        value = self.evaluator.unknowns.observe(value, expression.type, expression.span, why, strict=True)
        self.record.rely_on_path()
        self.record.rely_on(value.seen)
        return value.term

    def _block(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            match statement:
                case Assign(variable=variable, value=value):
                    self.variables[variable] = self.evaluator.evaluate(value)
                case Store():
                    self._store(statement)
                case Contribute():
                    self._contribute(statement)
                case Drop(value=value):
                    self.evaluator.evaluate(value)
                case If():
                    self._if(statement)
                case For():
                    self._for(statement)
                case Checked(body=body):
                    with self.record.waiving(is_checked=True, unsafe=""):
                        self._block(body)
                case Unsafe(body=body, reason=reason):
                    with self.record.waiving(is_checked=False, unsafe=reason):
                        self._block(body)

    def _store(self, store: Store) -> None:
        index, seen = self.evaluator.index(store.index)
        self.evaluator.evaluate(store.value)
        self.record.access(store.array, index, seen, is_write=True, span=store.target_span)

    def _contribute(self, contribution: Contribute) -> None:
        self.evaluator.evaluate(contribution.value)
        if contribution.location is not None:
            self._observed(contribution.location, "a location")

    def _if(self, statement: If) -> None:
        condition = self.evaluator.condition(statement.condition)
        before = dict(self.variables)
        with self.record.given(condition.condition, condition.seen):
            self._block(statement.then)
        after_then = dict(self.variables)
        self._restore(before)
        with self.record.given(negate(condition.condition), condition.seen):
            self._block(statement.otherwise)
        for variable in assigned((statement,)):
            then, otherwise = after_then.get(variable), self.variables.get(variable)
            if then is None or otherwise is None:  # assigned on one way only: the front end lets nobody read it
                self.variables[variable] = self._unknown(variable)
            elif then is not otherwise:
                self.variables[variable] = join(condition, then, otherwise)

    def _restore(self, variables: dict[Variable, Value]) -> None:
        self.variables.clear()
        self.variables.update(variables)

    def _unknown(self, variable: Variable) -> Value:
        if variable.type.is_float:
            return Data()
        unknowns = self.evaluator.unknowns
        return unknowns.value(unknowns.fresh(variable.name, variable.type, self.record.iterators))

    def _for(self, loop: For) -> None:
        assert loop.index.kind is VariableKind.LOOP
        lower = self._observed(loop.lower, "a bound of `range`")
        upper = self._observed(loop.upper, "a bound of `range`")
        self._observe_last_step(loop, upper)
        symbol = Symbol(loop.index.name, Kind.LOOP, loop.index.type, within=self.record.iterators)
        before = {v: self.variables.get(v) for v in assigned(loop.body)}
        condition, done, trips = _iterations(of(symbol), lower, upper, loop.step)
        with self.record.iterating(symbol, step=loop.step), self.record.given(condition):
            for variable, initial in before.items():
                self.variables[variable] = self._carried(variable, initial, loop, done)
            self.variables[loop.index] = Integer(of(symbol))
            self._block(loop.body)
        for variable, initial in before.items():
            self.variables[variable] = self._carried(variable, initial, loop, trips)

    def _observe_last_step(self, loop: For, upper: Term) -> None:
        """Let the counter, which steps once beyond the last index, not wrap either."""
        if abs(loop.step) > 1:
            beyond = Integer(upper + (loop.step - 1 if loop.step > 0 else loop.step + 1))
            why = "the loop index after the last step"
            self.record.rely_on(self.evaluator.unknowns.observe(beyond, I64, loop.upper.span, why).seen)

    def _carried(self, variable: Variable, initial: Value | None, loop: For, done: Term) -> Value:
        """Return a variable's value after `done` iterations."""
        if variable.type is BOOL or not isinstance(initial, Integer):
            return self._unknown(variable)
        match update_of(variable, loop.body):
            case Advances(low=low, high=high) if low == high:
                return Integer(initial.term + done.scaled(low), initial.seen)
            case Advances(low=low, high=high):
                start = initial.term
                return self._bounded(variable, initial, start + done.scaled(low), start + done.scaled(high))
            case Divides():
                # Floor division moves a negative value up towards -1, so neither bound is the initial value alone.
                why = "divided in each iteration"
                first = self.evaluator.unknowns.observe(initial, variable.type, loop.span, why)
                self.record.rely_on(first.seen)
                return self._bounded(variable, first, smaller(first.term, number(-1)), larger(first.term, number(0)))
        return self._unknown(variable)

    def _bounded(self, variable: Variable, initial: Integer, low: Term, high: Term) -> Integer:
        symbol = Symbol(variable.name, Kind.CARRIED, variable.type, within=self.record.iterators)
        symbol.facts = (compare(">=", of(symbol), low), compare("<=", of(symbol), high))
        return Integer(of(symbol), initial.seen)


def _iterations(index: Term, lower: Term, upper: Term, step: int) -> tuple[Condition, Term, Term]:
    """Return the condition that `index` is one of the loop's, the iterations done before it, and the number of all."""
    if step > 0:
        done, length = index - lower, upper - lower
        inside = every(compare(">=", index, lower), compare("<", index, upper))
    else:
        done, length = lower - index, lower - upper
        inside = every(compare("<=", index, lower), compare(">", index, upper))
    size = number(abs(step))
    inside = every(inside, compare("==", mod(done, size), number(0))) if abs(step) > 1 else inside
    trips = larger(floordiv(length + (abs(step) - 1), size), number(0))
    return inside, floordiv(done, size), trips
