"""Symbolic evaluation of one expression: its value, with a record of what it reads, observes and divides."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import operations as ops
from ..ir.nodes import (
    Access,
    AtomicUpdate,
    Binary,
    Call,
    Cast,
    Const,
    Constants,
    Expr,
    Inlined,
    Lengths,
    Load,
    Logical,
    Read,
    Select,
    Statement,
    Unary,
    Variable,
)
from ..ir.types import BOOL, Scalar
from .facts import selected
from .intervals import range_of
from .products import multiply
from .record import Record
from .terms import (
    Condition,
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
)  # fmt: skip
from .values import Boolean, Data, Integer, Observed, Unknowns, Value, in_type, iterators_of, join, under

_KNOWN_TABLE = 8  # entries of a table of the module whose values are told apart; of a longer one the range is known
COUNTS = 12  # of shifts and doublings, such as those of a scan, whose result is known: a team has at most 2^10 threads
_RING = {ops.ADD: lambda a, b: a + b, ops.SUB: lambda a, b: a - b, ops.MUL: multiply}


class Evaluator:
    """Evaluates expressions of one kernel, operands left to right."""

    def __init__(self, record: Record, execute: Callable[[tuple[Statement, ...]], object]) -> None:
        self.record = record
        self.execute = execute
        self.variables: dict[Variable, Value] = {}
        self.unknowns = Unknowns()

    def evaluate(self, expr: Expr) -> Value:
        """Return the value of an expression at the current point."""
        match expr:
            case Const(value=value, type=type_):
                if type_ is BOOL:
                    return Boolean(Truth(bool(value)))
                return Data() if type_.is_float else Integer(number(int(value)))
            case Read(variable=variable):
                return self._read(variable)
            case Load():
                return self._load(expr)
            case AtomicUpdate():
                return self._atomic(expr)
            case Unary():
                return self._unary(expr)
            case Binary():
                return self._binary(expr)
            case Logical():
                return self._logical(expr)
            case Select():
                return self._select(expr)
            case Call():
                return self._call(expr)
            case Cast():
                return self._cast(expr)
            case Inlined(statements=statements, value=value):
                self.execute(statements)
                return self.evaluate(value)

    def condition(self, expr: Expr) -> Boolean:
        """Return the value of a bool expression."""
        value = self.evaluate(expr)
        assert isinstance(value, Boolean), "the front end types conditions as bool"
        return value

    def index(self, expressions: tuple[Expr, ...]) -> tuple[tuple[Term, ...], tuple[Observed, ...]]:
        """Return an index tuple. Its final values need no observation: the bounds proof covers them.

        Where a condition has seen the machine's value of a sum of data, that is the index as well.
        """
        values = [self.evaluate(e) for e in expressions]
        integers = [v for v in values if isinstance(v, Integer)]
        assert len(integers) == len(values), "the front end types indices as i64"
        return tuple(self.unknowns.wrapped(v.term, e.type) for v, e in zip(integers, expressions, strict=True)), tuple(
            o for v in integers for o in v.seen
        )

    def _read(self, variable: Variable) -> Value:
        if variable not in self.variables:
            # Assigned on some paths only, none of them this one; the front end lets nobody use such a value.
            self.variables[variable] = self._fresh(variable.name, variable.type)
        return self.variables[variable]

    def _fresh(self, name: str, type_: Scalar) -> Value:
        if type_.is_float:
            return Data()
        return self.unknowns.value(self.unknowns.fresh(name, type_, self.record.iterators))

    def _load(self, load: Load) -> Value:
        index, seen = self.index(load.index)
        self.record.access(load.array, index, seen, is_write=False, span=load.span)
        if load.type.is_float:
            return Data()
        name = self.record.text(load.span)
        if isinstance(load.array, Lengths):
            return Integer(selected(self.lengths(load.array), index[0]), seen)
        entries = load.array.values if isinstance(load.array, Constants) and load.type.is_integer else ()
        if len(index) == 1 and 0 < len(entries) <= _KNOWN_TABLE:
            values = tuple(number(int(v)) for v in entries)
            inside = every(compare(">=", index[0], number(0)), compare("<", index[0], number(len(values))))
            return Integer(choose(inside, selected(values, index[0]), number(0)), seen)
        if load.array.access is not Access.REF or self.record.is_checked:  # where the test fails it is 0
            return self._fresh(name, load.type)
        within = tuple(dict.fromkeys(i for term in index for i in iterators_of(term)))
        symbol = self.unknowns.same((load.array, index), name, load.type, within)
        symbol.element = (load.array, index)
        if isinstance(load.array, Constants):
            low, high = number(int(min(load.array.values))), number(int(max(load.array.values)))
            symbol.facts = (compare(">=", of(symbol), low), compare("<=", of(symbol), high))
        return self.unknowns.value(symbol)

    def lengths(self, lengths: Lengths) -> tuple[Term, ...]:
        """Return the extent of each member of a pack."""
        values = [self._read(v) for v in lengths.extents]
        return tuple(v.term for v in values if isinstance(v, Integer))

    def _atomic(self, update: AtomicUpdate) -> Value:
        """Return what the element held: any value of its type, for other threads update it as well."""
        index, seen = self.index(update.index)
        self.record.access(update.array, index, seen, is_write=True, span=update.target_span)
        for argument in update.arguments:
            self.evaluate(argument)
        return self._fresh(self.record.text(update.span), update.type)

    def _unary(self, expr: Unary) -> Value:
        operand = self.evaluate(expr.operand)
        if isinstance(operand, Boolean):
            return Boolean(negate(operand.condition), operand.seen)
        return Integer(-operand.term, operand.seen) if isinstance(operand, Integer) else Data()

    def _binary(self, expr: Binary) -> Value:
        left, right = self.evaluate(expr.left), self.evaluate(expr.right)
        operation = expr.operation
        if not isinstance(left, Integer) or not isinstance(right, Integer):
            # Floats, or bools under `&`: a value of data.
            return self._fresh(self.record.text(expr.span), expr.type)
        if operation.compares:
            a, b = (self._observe(v, e, "compared") for v, e in ((left, expr.left), (right, expr.right)))
            return Boolean(compare(operation.symbol, a.term, b.term), a.seen + b.seen)
        if operation in _RING:
            return Integer(_RING[operation](left.term, right.term), left.seen + right.seen)
        if operation in (ops.FLOORDIV, ops.MOD):
            return self._division(expr, left, right)
        return self._bits(expr, left, right)

    def _observe(self, value: Integer, expr: Expr, why: str) -> Integer:
        return self.unknowns.observe(value, expr.type, expr.span, why)

    def _division(self, expr: Binary, left: Integer, right: Integer) -> Value:
        a, b = (self._observe(v, e, "divided") for v, e in ((left, expr.left), (right, expr.right)))
        seen = a.seen + b.seen
        self.record.division(a.term, b.term, expr.type, seen, span=expr.span, divisor_span=expr.right.span)
        return Integer((floordiv if expr.operation is ops.FLOORDIV else mod)(a.term, b.term), seen)

    def _bits(self, expr: Binary, left: Integer, right: Integer) -> Value:
        """Shifts and masks by a constant are arithmetic; of anything else only the type is known."""
        constant = right.term.constant if right.term.is_constant else -1
        if expr.operation is ops.SHL and 0 <= constant < expr.type.bits:
            return Integer(left.term.scaled(2**constant), left.seen)
        if expr.operation is ops.SHR and 0 <= constant < expr.type.bits:
            shifted = self._observe(left, expr.left, "shifted")
            return Integer(floordiv(shifted.term, number(2**constant)), shifted.seen)
        if expr.operation is ops.AND and constant >= 0 and constant & (constant + 1) == 0:
            return Integer(mod(left.term, number(constant + 1)), left.seen)  # two's complement: right for negatives too
        key = (expr.operation, left.term, right.term, expr.type)
        within = tuple(dict.fromkeys((*iterators_of(left.term), *iterators_of(right.term))))
        name = self.record.text(expr.span)
        symbol = self.unknowns.same(key, name, expr.type, within)
        if expr.operation in (ops.SHL, ops.SHR) and left.term.is_constant:
            symbol.facts = (*in_type(symbol), _shifted(expr.operation, left.term.constant, right.term, symbol))
        return self.unknowns.value(symbol)

    def _logical(self, expr: Logical) -> Value:
        left = self.condition(expr.left)
        reached = left.condition if expr.is_and else negate(left.condition)
        with self.record.given(reached, left.seen):
            right = self.condition(expr.right)
        seen = left.seen + under(reached, right.seen)
        return Boolean((every if expr.is_and else some)(left.condition, right.condition), seen)

    def _select(self, expr: Select) -> Value:
        condition = self.condition(expr.condition)
        with self.record.given(condition.condition, condition.seen):
            then = self.evaluate(expr.then)
        with self.record.given(negate(condition.condition), condition.seen):
            otherwise = self.evaluate(expr.otherwise)
        return join(condition, then, otherwise)

    def _call(self, expr: Call) -> Value:
        values = [self.evaluate(a) for a in expr.arguments]
        if not expr.type.is_integer:
            return Data()
        name = expr.function.name
        integers = [
            self._observe(v, a, f"an argument of `{name}`")
            for v, a in zip(values, expr.arguments, strict=True) if isinstance(v, Integer)
        ]  # fmt: skip
        seen = tuple(o for v in integers for o in v.seen)
        terms = [v.term for v in integers]
        if name == "abs" and len(terms) == 1:
            if not expr.type.is_signed:
                return Integer(terms[0], seen)
            # The smallest integer has no positive counterpart: the negation must be in range too.
            flipped = self._observe(Integer(-terms[0]), expr, "negated by `abs`")
            return Integer(larger(terms[0], flipped.term), seen + flipped.seen)
        if name in ("min", "max") and len(terms) == 2:
            return Integer((smaller if name == "min" else larger)(terms[0], terms[1]), seen)
        return self._fresh(self.record.text(expr.span), expr.type)

    def _cast(self, expr: Cast) -> Value:
        operand, source = self.evaluate(expr.operand), expr.operand.type
        if isinstance(operand, Data) or expr.type.is_float:
            return self._fresh(self.record.text(expr.span), expr.type)
        if isinstance(operand, Boolean):
            if expr.type is BOOL:
                return operand
            return Integer(choose(operand.condition, number(1), number(0)), operand.seen)
        if expr.type is BOOL:
            seen = self._observe(operand, expr.operand, "compared")
            return Boolean(compare("!=", seen.term, number(0)), seen.seen)
        if expr.type.bits > source.bits:
            why = f"converted to `{expr.type}`"
            return self.unknowns.observe(operand, source, expr.operand.span, why, strict=True)
        return operand  # the same residue in as many or fewer bits: observed later, as a value of the new type


def _shifted(operation: ops.Operation, value: int, count: Term, shifted: Symbol) -> Condition:
    """Return what is known of a constant's shift."""
    low, high = range_of(shifted.type)
    results = [operation.meaning(value, k) for k in range(COUNTS)]
    return exactly(count, of(shifted), [r for r in results if low <= r <= high])


def exactly(count: Term, value: Term, values: list[int]) -> Condition:
    """Return that a value is the one of its count, if there is one for the count."""
    exact = [
        every(compare("==", count, number(k)), compare("==", value, number(known))) for k, known in enumerate(values)
    ]
    return some(compare("<", count, number(0)), compare(">=", count, number(len(values))), *exact)
