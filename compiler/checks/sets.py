"""Terms and conditions as integer sets: the one file that builds isl objects from facts.

isl computes with unbounded integers; a query that exceeds its budget of operations raises `OutOfBudget`, the same on
every machine. isl objects keep their context alive, so each `prove` has a context of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TypeAlias

import islpy as isl

from .facts import Facts
from .intervals import range_of
from .proved import LARGEST_EXTENT
from .terms import (
    Apply,
    Choice,
    Compare,
    Condition,
    Every,
    Flag,
    Kind,
    Not,
    Some,
    Symbol,
    Term,
    Truth,
    atoms,
    compare,
    every,
    negate,
    number,
    of,
    some,
    symbols,
)

Key: TypeAlias = Symbol | Apply  # what a dimension of a set stands for

_OPERATIONS = 4_000_000  # a query; below a second

PARAMETER, DIMENSION = isl.dim_type.param, isl.dim_type.set


class OutOfBudget(Exception):
    """A query needed more than its budget of operations: the answer is unknown."""


class Solver:
    """Sets over the parameters of one kernel."""

    def __init__(self, facts: Facts) -> None:
        self.isl = isl.Context()
        self.facts = facts
        self.parameters: list[Key] = list(facts.parameters)
        self.names = [s.name for s in facts.parameters]
        self._frames: dict[tuple[tuple[Key, ...], int], Frame] = {}
        self._opaque: dict[Apply, bool] = {}
        frame = self.frame(facts.context)
        self.context = frame.domain(facts.context, in_context=False).params()
        ranges = [c for s in facts.parameters for c in in_range(s)] + _lengths(facts)
        self.ranges = self.frame(ranges).domain(ranges, in_context=False).params()

    @cached_property
    def threads_exist(self) -> isl.Set:
        """Launches, of values that their types can hold, with at least one thread."""
        sizes = [compare(">=", size, number(1)) for size in self.facts.sizes]
        return self.frame(sizes).domain(sizes).params().intersect(self.ranges)

    @contextmanager
    def budget(self) -> Iterator[None]:
        """Bound the isl operations inside; raises OutOfBudget beyond."""
        self.isl.reset_operations()
        self.isl.set_max_operations(_OPERATIONS)
        try:
            yield
        except isl.Error as error:
            if "maximal number of operations" not in str(error):
                raise
            raise OutOfBudget from error
        finally:
            self.isl.set_max_operations(0)

    def number(self, value: int) -> isl.Val:
        """Return an isl integer of any size."""
        small = -(2**62) < value < 2**62
        return isl.Val.int_from_si(self.isl, value) if small else isl.Val.read_from_str(self.isl, str(value))

    def frame(self, items: Iterable[Term | Condition], extra: Sequence[Key] = ()) -> Frame:
        """Return a space with a dimension for everything in `items` that is not a parameter, `extra` first."""
        keys = self.support(items, extra)
        name = (keys, len(self.parameters))
        if name not in self._frames:
            self._frames[name] = Frame(self, len(keys), {key: position for position, key in enumerate(keys)})
        return self._frames[name]

    def support(self, items: Iterable[Term | Condition], extra: Sequence[Key] = ()) -> tuple[Key, ...]:
        """Return what needs a dimension of its own: symbols that are no parameters, non-linear applications."""
        found: dict[Key, None] = dict.fromkeys(extra)
        work, met = [*items], set(extra)
        for key in extra:
            work += facts_of(key)
        while work:
            for atom in atoms(work.pop(0)):
                if atom in met or isinstance(atom, Choice):
                    continue
                met.add(atom)
                if not self._needs_dimension(atom):
                    continue
                work += facts_of(atom)
                if self.is_uniform(atom):
                    self._register(atom)
                else:
                    found[atom] = None
        return tuple(found)

    def _needs_dimension(self, atom: Key) -> bool:
        return atom.kind is not Kind.PARAMETER if isinstance(atom, Symbol) else self.is_opaque(atom)

    def is_opaque(self, atom: Apply) -> bool:
        """Whether an application has no affine form: a product, or a division by what is no positive constant."""
        if atom not in self._opaque:
            divides = atom.function in ("floordiv", "mod")
            constant = atom.right.is_constant and atom.right.constant > 0
            self._opaque[atom] = atom.function == "mul" or (divides and not constant)
        return self._opaque[atom]

    def is_uniform(self, key: Key) -> bool:
        """Whether a value is built of parameters only, so that all threads agree on it."""
        return isinstance(key, Apply) and all(s.kind is Kind.PARAMETER for s in symbols([of(key)]))

    def _register(self, atom: Key) -> None:
        if atom not in self.parameters:
            self.parameters.append(atom)
            self.names.append(f"?{len(self.parameters)}")  # no identifier, so no name of the user's

    def involves_opaque(self, parameters: isl.Set) -> bool:
        """Whether a set of parameters constrains anything that is not simply a scalar or an extent."""
        own = len(self.facts.parameters)
        known = set(self.names[:own])
        count = parameters.dim(PARAMETER)
        return any(
            parameters.get_dim_name(PARAMETER, p) not in known and parameters.involves_dims(PARAMETER, p, 1)
            for p in range(count)
        )


def _lengths(facts: Facts) -> list[Condition]:
    sizes = dict.fromkeys(upper - lower for shape in facts.shapes.values() for lower, upper in shape)
    return [compare("<=", size, number(LARGEST_EXTENT)) for size in sizes]


def in_range(symbol: Symbol) -> tuple[Condition, ...]:
    """Return that a symbol's value is one of its type."""
    low, high = range_of(symbol.type)
    return compare(">=", of(symbol), number(low)), compare("<=", of(symbol), number(high))


def facts_of(key: Key) -> tuple[Condition, ...]:
    """Return what is known of a symbol, or of an application that has no affine form."""
    if isinstance(key, Symbol):
        return key.facts
    value, a, b = of(key), key.left, key.right
    if key.function == "mod":
        wrapped_once = some(compare("<", a, b), compare(">=", a, b.scaled(2)), compare("==", value, a - b))
        below = some(compare("<", a, number(0)), compare(">=", a, b), compare("==", value, a))
        known = every(compare(">=", value, number(0)), compare("<", value, b), below, wrapped_once)
        return (some(compare("<=", b, number(0)), known),)
    if key.function == "floordiv":
        small = some(compare(">=", a, b), compare("==", value, number(0)))
        known = every(compare(">=", value, number(0)), compare("<=", value, a), small)
        return (some(compare("<=", b, number(0)), compare("<", a, number(0)), known),)
    return ()


def is_determined(key: Key, shared: set[Symbol]) -> bool:
    """Whether a value that is no iterator is the same wherever the shared iterators are."""
    if isinstance(key, Symbol):
        return key.kind in (Kind.UNKNOWN, Kind.COUNT, Kind.CARRIED) and all(i in shared for i in key.within)
    return all(s.kind is Kind.PARAMETER or s in shared or is_determined(s, shared) for s in symbols([of(key)]))


class Frame:
    """A set space, with the dimension that each key stands for; turns terms and conditions into isl objects."""

    def __init__(self, solver: Solver, dims: int, positions: dict[Key, int]) -> None:
        self.solver = solver
        self.dims = dims
        self.positions = positions
        space = isl.Space.set_alloc(solver.isl, len(solver.parameters), dims)
        for position, name in enumerate(solver.names):
            space = space.set_dim_name(PARAMETER, position, name)
        self.space = space
        self._local = isl.LocalSpace.from_space(space)
        self._parameters = {key: p for p, key in enumerate(solver.parameters)}
        self._terms: dict[Term, isl.PwAff] = {}
        self._domains: dict[tuple[tuple[Condition, ...], bool], isl.Set] = {}

    @property
    def universe(self) -> isl.Set:
        """Everything."""
        return isl.Set.universe(self.space)

    def dimension(self, position: int) -> isl.PwAff:
        """Return the value of one dimension."""
        return isl.PwAff.var_on_domain(self._local, DIMENSION, position)

    def domain(self, path: Iterable[Condition], *, in_context: bool = True) -> isl.Set:
        """Return the points where a path holds, with the facts of every key and what holds of the parameters."""
        path = tuple(path)
        key = (path, in_context)
        if key not in self._domains:
            facts = [f for k in (*self.positions, *self._opaque_parameters()) for f in facts_of(k)]
            result = self.universe
            for condition in dict.fromkeys((*path, *facts)):
                result = result.intersect(self.holds(condition))
            self._domains[key] = result.intersect_params(self.solver.context) if in_context else result
        return self._domains[key]

    def _opaque_parameters(self) -> list[Key]:
        return [k for k in self._parameters if isinstance(k, Apply)]

    def term(self, term: Term) -> isl.PwAff:
        """Return a term as a piecewise affine function."""
        if term not in self._terms:
            self._terms[term] = self._term(term)
        return self._terms[term]

    def _term(self, term: Term) -> isl.PwAff:
        number = self.solver.number
        linear = isl.Aff.zero_on_domain(self._local).set_constant_val(number(term.constant))
        rest: isl.PwAff | None = None
        for atom, coefficient in term.parts:
            if not isinstance(atom, Choice) and atom in self.positions:
                linear = linear.set_coefficient_val(isl.dim_type.in_, self.positions[atom], number(coefficient))
            elif not isinstance(atom, Choice) and atom in self._parameters:
                linear = linear.set_coefficient_val(PARAMETER, self._parameters[atom], number(coefficient))
            else:
                assert not isinstance(atom, Symbol), f"{atom} has no dimension"
                piece = self._atom(atom).scale_val(number(coefficient))
                rest = piece if rest is None else rest.add(piece)
        result = isl.PwAff.from_aff(linear)
        return result if rest is None else result.add(rest)

    def _atom(self, atom: Apply | Choice) -> isl.PwAff:
        if isinstance(atom, Choice):
            test = self.holds(atom.condition)
            then = self.term(atom.then).intersect_domain(test)
            return then.union_add(self.term(atom.otherwise).intersect_domain(test.complement()))
        left = self.term(atom.left)
        match atom.function:
            case "min":
                return left.min(self.term(atom.right))
            case "max":
                return left.max(self.term(atom.right))
            case "floordiv":
                return left.scale_down_val(self.solver.number(atom.right.constant)).floor()
            case "mod":
                return left.mod_val(self.solver.number(atom.right.constant))
            case "mul":
                raise AssertionError("a product has a dimension of its own")

    def holds(self, condition: Condition) -> isl.Set:
        """Return the points where a condition holds."""
        match condition:
            case Truth(value=value):
                return self.universe if value else isl.Set.empty(self.space)
            case Compare(relation=relation, term=term):
                value_ = self.term(term)
                if relation == ">=":
                    return value_.nonneg_set()
                return value_.zero_set() if relation == "==" else value_.non_zero_set()
            case Flag(symbol=symbol):
                return self.term(of(symbol) - 1).zero_set()
            case Not(condition=inner):
                pushed = negate(inner)
                return self.holds(inner).complement() if isinstance(pushed, Not) else self.holds(pushed)
            case Every(conditions=conditions):
                result = self.universe
                for inner in conditions:
                    result = result.intersect(self.holds(inner))
                return result
            case Some(conditions=conditions):
                result = isl.Set.empty(self.space)
                for inner in conditions:
                    result = result.union(self.holds(inner))
                return result
