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
from .intervals import interval, range_of
from .products import is_uniform
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
        self._frames: dict[tuple[tuple[Key, ...], tuple[Key, ...], int], Frame] = {}
        self._direct: dict[Condition, dict[Key, None]] = {}
        sizes = [t for shape in facts.shapes.values() for bounds in shape for t in bounds]
        self.frame([*facts.context, *facts.sizes, *facts.extents, *sizes])  # so that their products are parameters
        frame = self.frame(facts.context)
        self.context = frame.domain(facts.context, in_context=False).params()
        self._ranges: dict[int, isl.Set] = {}

    @property
    def ranges(self) -> isl.Set:
        """Launches of values that their types can hold."""
        count = len(self.parameters)
        if count not in self._ranges:
            conditions = [compare("<=", length, number(LARGEST_EXTENT)) for length in self.facts.extents]
            for key in self.parameters:
                low, high = interval(of(key)) or (None, None)
                conditions += [compare(">=", of(key), number(low))] if low is not None else []
                conditions += [compare("<=", of(key), number(high))] if high is not None else []
            self._ranges[count] = self.frame(conditions).domain(conditions, in_context=False).params()
        return self._ranges[count]

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
        keys, uniform = self._keys(items, extra)
        name = (keys, uniform, len(self.parameters))
        if name not in self._frames:
            self._frames[name] = Frame(self, len(keys), {key: position for position, key in enumerate(keys)}, uniform)
        return self._frames[name]

    def support(self, items: Iterable[Term | Condition], extra: Sequence[Key] = ()) -> tuple[Key, ...]:
        """Return what needs a dimension of its own: symbols that are no parameters, non-linear applications."""
        return self._keys(items, extra)[0]

    def _keys(self, items: Iterable[Term | Condition], extra: Sequence[Key]) -> tuple[tuple[Key, ...], tuple[Key, ...]]:
        """Return the dimensions, and the products and divisions of parameters, which are parameters as well."""
        found: dict[Key, None] = dict.fromkeys(extra)
        uniform: list[Key] = []
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
                    uniform.append(atom)
                else:
                    found[atom] = None
        return tuple(found), tuple(uniform)

    def direct(self, condition: Condition) -> dict[Key, None]:
        """Return what a condition itself names: no parameters, and nothing that only facts of its symbols name."""
        if condition not in self._direct:
            inside = [a for a in atoms(condition) if not isinstance(a, Choice)]
            self._direct[condition] = dict.fromkeys(a for a in inside if self._needs_dimension(a))
        return self._direct[condition]

    def bare_frame(self, keys: Iterable[Key]) -> Frame:
        """Return a space with a dimension for each key that is no parameter, and without facts of them."""
        keys = tuple(keys)
        for key in keys:
            if self.is_uniform(key):
                self._register(key)
        kept = tuple(k for k in keys if not self.is_uniform(k))
        name = (kept, (), len(self.parameters))
        if name not in self._frames:
            self._frames[name] = Frame(self, len(kept), {key: position for position, key in enumerate(kept)})
        return self._frames[name]

    def implies(self, path: Iterable[Condition], conclusion: Condition) -> bool:
        """Whether a condition holds wherever a path does, for all parameters."""
        path = tuple(path)
        frame = self.frame([*path, conclusion])
        return bool(frame.domain(path).subtract(frame.holds(conclusion)).is_empty())

    def _needs_dimension(self, atom: Key) -> bool:
        return atom.kind is not Kind.PARAMETER if isinstance(atom, Symbol) else atom.is_opaque

    def is_uniform(self, key: Key) -> bool:
        """Whether a value is built of parameters only, so that all threads agree on it."""
        return isinstance(key, Apply) and is_uniform(of(key))

    def _register(self, atom: Key) -> None:
        if atom not in self.parameters:
            self.parameters.append(atom)
            name = _name(of(atom))  # no identifier, so no name of the user's
            self.names.append(f"{name} " if name in self.names else name)

    def involves_opaque(self, parameters: isl.Set) -> bool:
        """Whether a set of parameters constrains a product or a division of them."""
        return any(isinstance(key, Apply) for key in self._involved(parameters))

    def can_launch(self, parameters: isl.Set) -> bool:
        """Whether the launcher can evaluate everything that a set of parameters constrains."""
        inside = [a for key in self._involved(parameters) if isinstance(key, Apply) for a in atoms(of(key))]
        return all(isinstance(a, Symbol) or (isinstance(a, Apply) and a.is_opaque) for a in inside)

    def _involved(self, parameters: isl.Set) -> list[Key]:
        used = [p for p in range(parameters.dim(PARAMETER)) if parameters.involves_dims(PARAMETER, p, 1)]
        return [self.key(str(parameters.get_dim_name(PARAMETER, p))) for p in used]

    def key(self, name: str) -> Key:
        """Return what a parameter of a set stands for."""
        return self.parameters[self.names.index(name)]

    def affine(self, constant: int, coefficients: Iterable[tuple[str, int]]) -> Term:
        """Return a sum over the parameters of a set as a term."""
        total = number(constant)
        for name, coefficient in coefficients:
            total += of(self.key(name)).scaled(coefficient)
        return total


def _name(term: Term) -> str:
    """Return the text of a product or a division, which a launcher can evaluate."""
    text = str(term).replace(" * ", "*")
    return text if "*" in text and " " not in text else f"({text})"


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
    return is_known([of(key)], shared)


def is_known(terms: Iterable[Term], shared: set[Symbol]) -> bool:
    """Whether terms are made of parameters and of what is the same wherever the shared iterators are."""
    return all(s.kind is Kind.PARAMETER or s in shared or is_determined(s, shared) for s in symbols(terms))


class Frame:
    """A set space, with the dimension that each key stands for; turns terms and conditions into isl objects."""

    def __init__(self, solver: Solver, dims: int, positions: dict[Key, int], uniform: tuple[Key, ...] = ()) -> None:
        self.solver = solver
        self.dims = dims
        self.positions = positions
        self.uniform = uniform
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
            facts = [f for k in (*self.positions, *self.uniform) for f in facts_of(k)]
            result = self.all_of((*path, *facts))
            self._domains[key] = result.intersect_params(self.solver.context) if in_context else result
        return self._domains[key]

    def all_of(self, conditions: Iterable[Condition]) -> isl.Set:
        """Return the points where conditions hold; no facts of the keys are added."""
        result = self.universe
        for condition in dict.fromkeys(conditions):
            result = result.intersect(self.holds(condition))
        return result

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
