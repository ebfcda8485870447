"""Symbolic execution of a kernel: every access and observed value, with the conditions on the way to it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import assert_never

from ..ir.nodes import (
    Allocate,
    Array,
    Assign,
    Break,
    Checked,
    Continue,
    Contribute,
    Drop,
    Expr,
    For,
    If,
    Indexed,
    Kernel,
    Parallel,
    Phase,
    Statement,
    Store,
    Teams,
    Unsafe,
    Variable,
    While,
)
from ..ir.types import BOOL
from .carried import assigned
from .facts import Facts, Region
from .loops import Loops
from .record import Record
from .terms import Condition, Kind, Symbol, Term, Truth, compare, every, negate, number, of, some
from .values import Boolean, Data, Integer, Value, in_type, join, under


def gather(kernel: Kernel) -> Facts:
    """Execute a kernel on symbols; no solver is asked.

    Returns
    -------
    Facts
        Accesses in the order of evaluation of one thread; every thread runs the same body.
    """
    return _Gatherer(kernel).facts()


_NEVER, _ALWAYS = Boolean(Truth(False)), Boolean(Truth(True))  # when a statement jumps


class _Gatherer(Loops):
    def __init__(self, kernel: Kernel) -> None:
        super().__init__(Record(kernel.source, kernel.body.span))
        self.kernel = kernel
        self.shapes: dict[Indexed, tuple[tuple[Term, Term], ...]] = {}
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
        indexed: list[Indexed] = [*kernel.arrays, *kernel.binned]
        for memory in indexed:
            self._shape(memory)
        lengths: dict[Indexed, tuple[Term, ...]] = {
            a: self.evaluator.lengths(a.lengths) for a in kernel.arrays if a.lengths is not None
        }
        extents = tuple(dict.fromkeys(upper - lower for shape in self.shapes.values() for lower, upper in shape))
        context = self._context(extents)
        grid, sizes = self._grid()
        return Facts(
            kernel, tuple(self.parameters), context, grid, sizes, extents, self.shapes, lengths, self.record.homes,
            tuple(self.record.regions),
            tuple(self.record.accesses), tuple(self.record.observations.values()), tuple(self.record.divisions),
        )  # fmt: skip

    def _shape(self, array: Indexed) -> None:
        own = array.own_dim if isinstance(array, Array) else None
        dims = [d for position, d in enumerate(array.dims) if position != own]
        self.shapes[array] = tuple((self._bound(d.lower), self._bound(d.upper)) for d in dims)

    def _bound(self, expression: Expr) -> Term:
        value = self.evaluator.evaluate(expression)
        assert isinstance(value, Integer), "dims are integers"
        return value.term

    def _context(self, sizes: tuple[Term, ...]) -> tuple[Condition, ...]:
        """Return what the launcher sees to: a size is not negative as a whole; its terms may be, unless extents."""
        extents = [of(s) for s in self.parameters if s.name in {v.name for v in self.kernel.extents}]
        conditions = [compare(">=", size, number(0)) for size in (*extents, *sizes)]
        conditions += [fact for s in self.parameters if s.type is BOOL for fact in in_type(s)]
        for requirement in self.kernel.requires:
            value = self.evaluator.evaluate(requirement.condition)
            assert isinstance(value, Boolean), "a require is a condition"
            conditions.append(value.condition)
        return tuple(dict.fromkeys(conditions))

    def _grid(self) -> tuple[tuple[Symbol, ...], tuple[Term, ...]]:
        body = self.kernel.body
        if isinstance(body, Teams):
            teams, shape, inside = self._indices(body, Kind.TEAM, "teams")
            with self.record.iterating(*teams), self.record.given(inside):
                self._surely = self.record.depth
                self._block(body.body)
            return teams, tuple(upper - lower for lower, upper in shape)
        region = self._region(body, 0, "parallel")
        return region.threads, tuple(upper - lower for lower, upper in region.shape)

    def _region(self, body: Parallel | Phase, number: int, word: str) -> Region:
        """Execute what each thread of a `parallel` or of a phase does; locals assigned there die with it."""
        threads, shape, inside = self._indices(body, Kind.THREAD, word)
        region = Region(number, body.span, self.record.iterators, threads, shape)
        before, surely = dict(self.variables), self._surely
        with self.record.running(region), self.record.given(inside):
            self._surely = self.record.depth
            self._block(body.body)
        self._surely = surely
        self._restore(before)
        return region

    def _indices(
        self, body: Parallel | Teams | Phase, kind: Kind, word: str
    ) -> tuple[tuple[Symbol, ...], tuple[tuple[Term, Term], ...], Condition]:
        """Return a symbol for each index, its bounds, and that they are kept."""
        why = f"a bound of `{word}`"
        shape = tuple((self._observed(r.lower, why), self._observed(r.upper, why)) for r in body.ranges)
        indices = tuple(Symbol(v.name, kind, v.type, within=self.record.iterators) for v in body.indices)
        self.variables.update((v, Integer(of(s))) for v, s in zip(body.indices, indices, strict=True))
        conditions = [
            c for s, (low, high) in zip(indices, shape, strict=True)
            for c in (compare(">=", of(s), low), compare("<", of(s), high))
        ]  # fmt: skip
        return indices, shape, every(*conditions)

    def _observed(self, expression: Expr, why: str) -> Term:
        """Return a value that the machine uses as it is; being in range is an obligation at once."""
        value = self.evaluator.evaluate(expression)
        assert isinstance(value, Integer), "bounds and locations are integers"
        value = self.evaluator.unknowns.observe(value, expression.type, expression.span, why, strict=True)
        self.record.rely_on_path()
        self.record.rely_on(value.seen)
        return value.term

    def _block(self, statements: tuple[Statement, ...]) -> Boolean:
        """Execute statements in order; returns when one of them jumps, so that the end is not reached."""
        jumped = _NEVER
        with ExitStack() as rest:
            for statement in statements:
                jump = self._statement(statement)
                if jump is not _NEVER:
                    rest.enter_context(self.record.given(negate(jump.condition), jump.seen))
                    seen = jumped.seen + under(negate(jumped.condition), jump.seen)
                    jumped = Boolean(some(jumped.condition, jump.condition), seen)
        return jumped

    def _statement(self, statement: Statement) -> Boolean:
        match statement:
            case Assign(variable=variable, value=value):
                self.variables[variable] = self.evaluator.evaluate(value)
            case Store():
                self._store(statement)
            case Contribute():
                self._contribute(statement)
            case Drop(value=value):
                self.evaluator.evaluate(value)
            case Allocate(buffer=buffer):
                self._shape(buffer)
                self.record.allocate(buffer)
            case If():
                return self._if(statement)
            case For():
                self._for(statement)
            case While():
                self._while(statement)
            case Break():
                self._leave()
                return _ALWAYS
            case Continue():
                return _ALWAYS
            case Checked(body=body):
                with self.record.waiving(is_checked=True, unsafe=""):
                    return self._block(body)
            case Unsafe(body=body, reason=reason):
                with self.record.waiving(is_checked=False, unsafe=reason):
                    return self._block(body)
            case Phase(number=number):
                self._region(statement, number, "threads")
            case _:
                assert_never(statement)
        return _NEVER

    def _store(self, store: Store) -> None:
        index, seen = self.evaluator.index(store.index)
        self.evaluator.evaluate(store.value)
        self.record.access(store.array, index, seen, is_write=True, span=store.target_span)

    def _contribute(self, contribution: Contribute) -> None:
        index, seen = self.evaluator.index(contribution.bin)
        for value in (contribution.value, *contribution.rest):
            self.evaluator.evaluate(value)
        if contribution.bin:
            self.record.access(contribution.reducer, index, seen, is_write=True, span=contribution.target_span)
        if contribution.location is not None:
            self._observed(contribution.location, "a location")

    def _if(self, statement: If) -> Boolean:
        condition = self.evaluator.condition(statement.condition)
        before = dict(self.variables)
        with self.record.given(condition.condition, condition.seen):
            jumped_then = self._block(statement.then)
        after_then = dict(self.variables)
        self._restore(before)
        with self.record.given(negate(condition.condition), condition.seen):
            jumped_else = self._block(statement.otherwise)
        for variable in assigned((statement,)):
            then, otherwise = after_then.get(variable), self.variables.get(variable)
            if jumped_else == _ALWAYS and then is not None:
                self.variables[variable] = then
            elif jumped_then == _ALWAYS and otherwise is not None:
                continue
            elif then is None or otherwise is None:  # assigned on one way only: the front end lets nobody read it
                self.variables[variable] = self._unknown(variable)
            elif then is not otherwise:
                self.variables[variable] = join(condition, then, otherwise)
        if jumped_then is jumped_else is _NEVER:
            return _NEVER
        jumped = join(condition, jumped_then, jumped_else)
        assert isinstance(jumped, Boolean)
        return jumped

    def _restore(self, variables: dict[Variable, Value]) -> None:
        self.variables.clear()
        self.variables.update(variables)
