"""Obligations that the contents of index arrays decide: a kernel of its own tests them before the launch.

That kernel is the slice of the accesses in question. It tests each index against its array, and lets every thread that
writes leave its number in a shadow of the array: who finds another thread's number has met it. Its table of faults has
one row an obligation, of which the first thread that finds a fault fills in the details.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from ..ir import operations as ops
from ..ir.nodes import Access as Borrow
from ..ir.nodes import (
    Array,
    Assign,
    AtomicUpdate,
    Binary,
    Cast,
    Const,
    Dimension,
    Drop,
    Expr,
    If,
    Indexed,
    Kernel,
    Lengths,
    Load,
    Parallel,
    Phase,
    Read,
    Statement,
    Teams,
    Unary,
    Variable,
    VariableKind,
)
from ..ir.operations import ATOMICS
from ..ir.source import Span
from ..ir.storage import MOST_INDICES
from ..ir.types import BOOL, I32, I64, Scalar
from ..ir.walk import walk
from .conditions import every, exact, within, zero
from .facts import Access, Facts, Observation
from .proved import Affine, Check, Evidence, Inspection, Proved, Tier
from .pruning import expressions, pruned, read_in
from .slicing import AccessKey, Index, Level, Slicer
from .terms import Kind, Symbol, Term, symbols

FAULT_COLUMNS = 3 + MOST_INDICES
"""The thread, the thread that it met, its indices, a member first. In a team kernel: the team, and the numbers of both
threads in their phase, the own one in the last column. Threads and teams count from 1; 0 is none."""


@dataclass(slots=True)
class _Race:
    """What is compared on one array: writers leave marks, readers look for those of others.

    A mark is the number of the thread, or of the team where teams are compared with each other. Of the threads in the
    phases of one team it is counted through its phases, so that only marks of the phase itself are above the number
    that the phase began with.
    """

    marks: dict[AccessKey, int] = field(default_factory=dict)  # -> number of the check
    probes: dict[AccessKey, int] = field(default_factory=dict)
    own: dict[int, Variable] = field(default_factory=dict)  # dimension -> the thread index that it is everywhere
    probed: set[int | None] = field(default_factory=set)  # phases that readers look in


_Raced: TypeAlias = tuple[Array, bool]  # what threads meet in, and whether they are of different teams


def _key(access: Access) -> AccessKey:
    return access.array, access.span, access.is_write


class Inspector:
    """Decides what can be inspected, and collects what has to be."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.checks: list[Check] = []
        self._bounds: dict[AccessKey, int] = {}
        self._subjects: set[object] = set()
        self._races: dict[_Raced, _Race] = {}

    @cached_property
    def _levels(self) -> dict[AccessKey, tuple[tuple[Level, ...], Level]]:
        slicer = Slicer(lambda key, index: (), Const(False, BOOL, self.facts.kernel.span), lambda phase: [((), ())])
        slicer.sliced(self.facts.kernel.body.body)
        return slicer.levels

    def sees(self, access: Access, dimensions: Sequence[int]) -> bool:
        """Whether a slice knows some of an access's indices, and index arrays have a part in them."""
        levels, way = self._levels.get(_key(access), ((), Level.DATA))
        if not levels or access.flat:  # index arrays have no part in an index that was taken apart
            return False
        own = [levels[d] for d in dimensions]
        return max(own) < Level.DATA and (Level.LISTED in own or way is Level.LISTED)

    def tells_apart(self, first: Access, second: Access) -> bool:
        """Whether a slice knows every index of two accesses to one array, and index arrays have a part in them."""
        if not isinstance(first.array, Array) or first.array.own_dim is not None:
            return False  # a shadow's rows have one length
        every_dimension = range(len(first.index))
        known = [self._levels.get(_key(a), ((Level.DATA,), Level.DATA))[0] for a in (first, second)]
        return max(max(k) for k in known) < Level.DATA and any(self.sees(a, every_dimension) for a in (first, second))

    # -- what is asked for --------------------------------------------------------------------------------------------

    def bounds(self, access: Access, dimensions: Sequence[int]) -> Evidence:
        """Have some of an access's indices tested against its array, unless the same test is made elsewhere."""
        if isinstance(access.array, Array) and access.array.own_dim in dimensions:
            dimensions = sorted({0, *dimensions})  # the member decides what is in range
        limits = self.facts.shape_of(access.array, access.index)
        subject = (tuple((access.index[d], limits[d]) for d in dimensions), access.place.path)
        if subject not in self._subjects:
            self._subjects.add(subject)
            self._bounds[_key(access)] = self._check("bounds", access, dimensions)
        shown = ", ".join(str(access.index[d]) for d in dimensions)
        return Evidence("bounds", access.text, Tier.INSPECTED, f"`{shown}` in range: inspected", access.span)

    def value(self, observation: Observation) -> Evidence | None:
        """Have a value tested that is converted to a wider type, if a slice knows it."""
        key = (None, observation.span, False)
        levels, _ = self._levels.get(key, ((Level.DATA,), Level.DATA))
        if observation.type.bits != 32 or levels[0] is not Level.LISTED:
            return None
        if key not in self._bounds:
            term, type_ = observation.term, observation.type
            limits = Dimension(
                Const(type_.lowest, I64, observation.span), Const(type_.highest + 1, I64, observation.span), type_.name
            )
            value = Array(type_.name, Borrow.REF, type_, (limits,), observation.span)
            self._bounds[key] = self._row(
                Check(
                    "overflow",
                    observation.text,
                    value,
                    "computes",
                    observation.span,
                    (0,),
                    (str(term),),
                    _lists([term]),
                )
            )
        return Evidence(
            "overflow", observation.text, Tier.INSPECTED, f"in the range of {observation.type}: inspected",
            observation.span,
        )  # fmt: skip

    def race(
        self, array: Array, pairs: Sequence[tuple[Access, Access]], of_teams: bool
    ) -> dict[tuple[Access, Access], Evidence]:
        """Have pairs of accesses (the first one writes) tested for common elements, those that a slice knows.

        Parameters
        ----------
        of_teams : bool
            Whether accesses of different teams are compared, in a team kernel, or those of one phase.
        """
        known = [pair for pair in pairs if self.tells_apart(*pair)]
        if not known:
            return {}
        race = self._races.setdefault((array, of_teams), _Race())
        involved = list(dict.fromkeys(access for pair in known for access in pair))
        race.own = {d: v for d in range(len(array.dims)) if (v := self._own(d, involved)) is not None}
        for access in involved:
            rows = race.marks if access.is_write else race.probes
            rows[_key(access)] = self._check("teams" if of_teams else "race", access, range(len(array.dims)))
            race.probed |= set() if access.is_write else {access.place.region.phase}
        return {
            (a, b): Evidence(
                "race", f"{a.text} / {b.text}", Tier.INSPECTED,
                "no element twice: inspected" if b.is_write else "no element that another thread writes: inspected",
                a.span,
            )
            for a, b in known
        }  # fmt: skip

    def _own(self, dimension: int, accesses: Sequence[Access]) -> Variable | None:
        """Return the thread index that every access carries in a dimension, if it carries nothing else there."""
        symbol = accesses[0].index[dimension].symbol
        if symbol not in self.facts.grid or any(a.index[dimension].symbol is not symbol for a in accesses):
            return None
        return self.facts.kernel.body.indices[self.facts.grid.index(symbol)]

    def _check(self, obligation: str, access: Access, dimensions: Sequence[int]) -> int:
        index = tuple(str(term) for term in access.index)
        return self._row(
            Check(
                obligation, access.text, access.array, access.verb, access.span, tuple(dimensions), index,
                _lists(access.index),
            )
        )  # fmt: skip

    def _row(self, check: Check) -> int:
        self.checks.append(check)
        return len(self.checks) - 1

    # -- the kernel that tests it -------------------------------------------------------------------------------------

    def inspections(self) -> tuple[Inspection, ...]:
        """Return the kernel that tests everything asked for, if there is anything."""
        if not self.checks:
            return ()
        first, *others = self.facts.kernel.body.indices
        spare = {first, *others}.intersection(*(race.own.values() for race in self._races.values()))
        for (array, _), race in self._races.items():
            own = [race.own.get(dimension) for dimension in range(len(array.dims))]
            if all(index in spare for index in own):
                spare = spare - {own[-1]}  # a shadow has a dimension
        while True:
            spare = spare if len(spare) <= len(others) else spare - {first}  # a `parallel` has a range
            made = _Synthesis(self, spare)
            if not made.used & spare:
                return (made.inspection(),)
            spare = spare - made.used


def _lists(terms: Iterable[Term]) -> tuple[tuple[str, tuple[Affine, ...]], ...]:
    lists = [(s.element[0].name, _affine(s.element[1])) for s in symbols(terms) if s.element is not None]
    return tuple((name, position) for name, position in lists if position is not None)


def _affine(terms: Iterable[Term]) -> tuple[Affine, ...] | None:
    forms = []
    for term in terms:
        parts = [
            (a.name, c)
            for a, c in term.parts
            if isinstance(a, Symbol) and a.kind in (Kind.TEAM, Kind.THREAD, Kind.PARAMETER)
        ]
        if len(parts) < len(term.parts):
            return None
        forms.append(Affine(term.constant, tuple(sorted(parts))))
    return tuple(forms)


class _Synthesis:
    """One attempt at the kernel: without the thread indices `spare`, if its body turns out not to use them.

    Attributes
    ----------
    used : set of Variable
        Thread indices that the body reads.
    """

    def __init__(self, inspector: Inspector, spare: set[Variable]) -> None:
        self.inspector, kernel = inspector, inspector.facts.kernel
        self.kernel = kernel
        self.spare = spare
        self.is_team = isinstance(kernel.body, Teams)
        span = self.span = kernel.body.span
        rows = Dimension(zero(I64, span), Const(len(inspector.checks), I64, span), str(len(inspector.checks)))
        columns = Dimension(zero(I64, span), Const(FAULT_COLUMNS, I64, span), str(FAULT_COLUMNS))
        self.faults = Array("kp.faults", Borrow.ATOMIC, I64, (rows, columns), span)  # no name of Python's has a dot
        self.shadows = {raced: self._shadow(raced, race) for raced, race in inspector._races.items()}
        names = {p.name for p in (*kernel.parameters, *kernel.extents)}
        self.second = self._variable(_fresh("second_pass", names), I32, VariableKind.SCALAR)
        self.thread = self._variable("thread", I64, VariableKind.LOCAL)
        self.two_passes = any(race.probes for raced, race in inspector._races.items() if not self._in_phases(raced))
        self.number = self._variable("number", I64, VariableKind.LOCAL)  # of the thread, through the team's phases
        self.epoch = self._variable("epoch", I64, VariableKind.LOCAL)  # the number before the first of the phase
        self.ends = self._variable("ends", BOOL, VariableKind.LOCAL)
        self.slicer = Slicer(self._tests, Read(self.ends, span), self._walks)
        counters = [Assign(v, zero(I64, span), span) for v in (self.number, self.epoch)]
        body = self.slicer.sliced((*counters, *kernel.body.body))
        self.indices = [v for v in kernel.body.indices if v not in spare]
        start = (Assign(self.thread, self._number(), span), Assign(self.ends, Const(False, BOOL, span), span))
        self.body = pruned((*start, *body))
        self.used = read_in(expressions(self.body)) & set(kernel.body.indices)

    def _variable(self, name: str, type_: Scalar, kind: VariableKind) -> Variable:
        return Variable(name, type_, kind, self.span)

    def _in_phases(self, raced: _Raced) -> bool:
        """Whether the threads of each phase are compared, one phase of a team after the other."""
        return self.is_team and not raced[1]

    def _shadow(self, raced: _Raced, race: _Race) -> tuple[Array, tuple[int, ...]]:
        array, of_teams = raced
        kept = tuple(d for d in range(len(array.dims)) if race.own.get(d) not in self.spare or d not in race.own)
        dims = tuple(array.dims[d] for d in kept)
        name, type_ = f"kp.{array.name}{'.teams' if of_teams else ''}", I64 if self._in_phases(raced) else I32
        return Array(name, Borrow.ATOMIC, type_, dims, array.span), kept

    def _number(self) -> Expr:
        """Return the number of a thread, from 1: row-major among the indices kept."""
        number: Expr = zero(I64, self.span)
        for variable, bounds in zip(self.kernel.body.indices, self.kernel.body.ranges, strict=True):
            if variable in self.spare:
                continue
            size = self._i64(ops.SUB, bounds.upper, bounds.lower)
            place = self._i64(ops.SUB, Read(variable, self.span), bounds.lower)
            number = self._i64(ops.ADD, self._i64(ops.MUL, number, size), place)
        return self._i64(ops.ADD, number, Const(1, I64, self.span))

    def _i64(self, operation: ops.Operation, left: Expr, right: Expr) -> Expr:
        return Binary(operation, left, right, I64, self.span)

    def inspection(self) -> Inspection:
        """Return the kernel, typed, with what its rows of faults mean."""
        kernel = self.kernel
        loaded = {e.array for x in expressions(self.body) for e in walk(x) if isinstance(e, Load)}
        lists = tuple(a for a in kernel.arrays if a in loaded)
        memory = (*lists, self.faults, *(shadow for shadow, _ in self.shadows.values()))
        passes = (self.second,) if self.two_passes else ()
        ranges = tuple(r for v, r in zip(kernel.body.indices, kernel.body.ranges, strict=True) if v not in self.spare)
        parallel = Parallel(tuple(self.indices), ranges, self.body, self.span)
        dims = [d for a in memory for d in a.dims]
        bounds = [*(e for r in ranges for e in (r.lower, r.upper)), *(e for d in dims for e in (d.lower, d.upper))]
        used = read_in([*bounds, *expressions(self.body)])
        own = {a.lengths for a in lists} | loaded
        used |= {v for lengths in own if isinstance(lengths, Lengths) for v in lengths.extents}
        scalars = (*(v for v in kernel.scalars if v in used), *passes)
        made = Kernel(
            f"inspection of {kernel.name}", (*memory, *scalars), tuple(v for v in kernel.extents if v in used), (),
            parallel, kernel.source, kernel.span,
        )  # fmt: skip
        # Nothing in it is left to prove: every load is behind a test of its own, all else is atomic or local.
        proved = Proved(made, (), (), frozenset(a.name for a in lists), frozenset())
        second = self.second.name if self.two_passes else ""
        checks = tuple(
            replace(c, dimensions=tuple(d for d in c.dimensions if self._shows(row, d)))
            for row, c in enumerate(self.inspector.checks)
        )
        return Inspection(proved, tuple(a.name for a in lists), checks, second)

    def _walks(self, phase: Phase) -> Sequence[tuple[tuple[Statement, ...], tuple[Statement, ...]]]:
        """Return the walks over a phase's threads: to leave marks, and to look at them once all are left."""
        number, epoch, span = Read(self.number, phase.span), Read(self.epoch, phase.span), phase.span
        each = Assign(self.number, self._i64(ops.ADD, number, Const(1, I64, span)), span)
        first, second = Assign(self.epoch, number, span), Assign(self.number, epoch, span)
        races = self.inspector._races.items()
        probed = any(phase.number in race.probed for raced, race in races if self._in_phases(raced))
        return [((first,), (each,)), ((second,), (each,))][: 1 + probed]

    # -- tests --------------------------------------------------------------------------------------------------------

    def _tests(self, key: AccessKey, index: Index) -> Sequence[Statement]:
        """Return the tests of one access in the present walk: those of the first pass, and those of the second."""
        array, span, _ = key
        once: list[Statement] = []
        again: list[Statement] = []
        if (row := self.inspector._bounds.get(key)) is not None and not self.slicer.walk:
            check = self.inspector.checks[row]
            if array is None:
                index = [exact(i)[0] for i in index if i is not None]
            outside = Unary(ops.NOT, self._inside(check.array, index, check.dimensions, span), BOOL, span)
            ends = Assign(self.ends, Const(True, BOOL, span), span)
            once.append(If(outside, (*self._fault(row, zero(I64, span), index, span), ends), (), span))
        for raced, race in self.inspector._races.items():
            in_phases = self._in_phases(raced)
            if raced[0] is array and key in race.marks and not self.slicer.walk:
                once.append(self._meet(raced, race.marks[key], index, "exchange", span))
            if raced[0] is array and key in race.probes and self.slicer.walk == in_phases:
                look = self._meet(raced, race.probes[key], index, "add", span)
                (once if in_phases else again).append(look)
        if not self.two_passes:
            return once
        is_first = Binary(ops.EQ, Read(self.second, span), zero(I32, span), BOOL, span)
        return [If(is_first, tuple(once), tuple(again), span)]

    def _inside(self, array: Indexed, index: Index, dimensions: Sequence[int], span: Span) -> Expr:
        tests = [t for d in dimensions for t in within(array, d, index)]
        return every(tests, span)

    def _meet(self, raced: _Raced, row: int, index: Index, operation: str, span: Span) -> Statement:
        """Leave a mark in the shadow, or look at it; a fault if another thread's is there."""
        shadow, kept = self.shadows[raced]
        in_phases = self._in_phases(raced)
        place = tuple(i for d in kept if (i := index[d]) is not None)
        own: Expr = Read(self.number, span) if in_phases else Cast(Read(self.thread, span), I32, span)
        mark = own if operation == "exchange" else zero(own.type, span)
        met = self._variable("met", own.type, VariableKind.LOCAL)
        update = AtomicUpdate(ATOMICS[operation], shadow, place, (mark,), span, span)
        other: Expr = Cast(Read(met, span), I64, span)
        someone = Binary(ops.NE, Read(met, span), zero(I32, span), BOOL, span)
        if in_phases:  # what the shadow holds of earlier phases is below
            other = self._i64(ops.SUB, Read(met, span), Read(self.epoch, span))
            someone = Binary(ops.GT, Read(met, span), Read(self.epoch, span), BOOL, span)
        stranger = Binary(ops.NE, Read(met, span), own, BOOL, span)
        fault = If(every((someone, stranger), span), self._fault(row, other, index, span), (), span)
        return If(self._inside(raced[0], index, kept, span), (Assign(met, update, span), fault), (), span)

    def _fault(self, row: int, other: Expr, index: Index, span: Span) -> tuple[Statement, ...]:
        def cell(column: int, operation: str, *arguments: Expr) -> AtomicUpdate:
            place = (Const(row, I64, span), Const(column, I64, span))
            return AtomicUpdate(ATOMICS[operation], self.faults, place, arguments, span, span)

        claim = cell(0, "compare_exchange", zero(I64, span), Read(self.thread, span))
        details = [cell(1, "exchange", other)]
        details += [cell(2 + d, "exchange", i) for d, i in enumerate(index) if i is not None and self._shows(row, d)]
        if self.is_team:
            in_phase = self._i64(ops.SUB, Read(self.number, span), Read(self.epoch, span))
            details.append(cell(FAULT_COLUMNS - 1, "exchange", in_phase))
        is_first = Binary(ops.EQ, claim, zero(I64, span), BOOL, span)
        return (If(is_first, tuple(Drop(d, span) for d in details), (), span),)

    def _shows(self, row: int, dimension: int) -> bool:
        """Whether a row of faults holds the index in a dimension: not one that is a spare thread index."""
        check = self.inspector.checks[row]
        of_teams = check.obligation == "teams"
        race = self.inspector._races.get((check.array, of_teams)) if isinstance(check.array, Array) else None
        dropped = race is not None and race.own.get(dimension) in self.spare and dimension in race.own
        return dimension in check.dimensions and not dropped


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name
