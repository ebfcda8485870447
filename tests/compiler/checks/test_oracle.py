"""The oracle finds each kind of fault, and would find each kind of hole in the checks."""

from __future__ import annotations

import random
from collections.abc import Callable

import islpy as isl
import pytest

from kparity.compiler.checks import coverage, initialisation, prove, races, sets
from kparity.compiler.checks.meetings import Meetings
from kparity.compiler.checks.terms import Choice
from kparity.compiler.checks.values import Unknowns

from .kernels import typed
from .oracle import Run, wrap
from .team_twins import TEAM_TWINS
from .twins import TWINS

ALL = TWINS + TEAM_TWINS


def faults(text: str, **sizes: int) -> set[str]:
    found: set[str] = set()
    for seed in range(5):
        found |= Run(typed(text), sizes, random.Random(seed)).launch()
    return found


def kernel(parameters: str, *lines: str) -> str:
    return "\n".join([f"def k({parameters}):", "    for i in parallel(n):", *("        " + line for line in lines)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (kernel('y: Mut[f64, "n"]', "y[i] = 1.0"), set()),
        (kernel('y: Mut[f64, "n"]', "y[i + 1] = 1.0"), {"bounds"}),
        (kernel('y: Mut[f64, "n"]', "y[0] = 1.0"), {"race"}),
        (kernel('y: Mut[f64, "n"]', "y[i] = y[n - 1 - i]"), {"race"}),
        (kernel('y: Out[f64, "n"]', "y[i] += 1.0"), {"uninitialised"}),
        (kernel('y: Out[f64, "n"]', "if i > 0:", "    y[i] = 1.0"), {"uncovered"}),
        (kernel('y: Mut[i64, "n"]', "y[i] = 4 // i"), {"divisor"}),
        (kernel('y: Mut[f64, "n"], x: Ref[f64, "n"]', "y[i] = x[i + 1] if i + 1 < n else 0.0"), set()),
    ],
)
def test_each_kind_of_fault(text: str, expected: set[str]) -> None:
    assert faults(text, n=4) == expected


def test_machine_integers_wrap() -> None:
    from kparity.compiler.ir.types import I32, I64, U32

    assert wrap(2**31, I32) == -(2**31) and wrap(-1, U32) == 2**32 - 1 and wrap(2**63, I64) == -(2**63)


def _group_always_free(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Meetings, "none", lambda *_: True)


def _teams_never_meet(patch: pytest.MonkeyPatch) -> None:
    scopes = races._scopes
    patch.setattr(races, "_scopes", lambda *_: [s for s in scopes(*_) if s.region is not None])


def _threads_of_a_phase_never_meet(patch: pytest.MonkeyPatch) -> None:
    scopes = races._scopes
    patch.setattr(races, "_scopes", lambda *_: [s for s in scopes(*_) if s.region is None])


def _views_are_arrays_of_their_own(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(races, "memory_of", lambda storage: storage)


def _later_writes_initialise(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(initialisation, "_earlier", lambda write, read, iterator: write.universe)


def _own_elements_always(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(races, "own_elements", lambda *_: True)


def _any_write_initialises(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(initialisation, "_covered", lambda w, r, d, frame, f, s: frame.universe)


def _data_dependent_writes_cover(patch: pytest.MonkeyPatch) -> None:
    def written(writes: list, iterators: tuple, solver: sets.Solver) -> isl.Set:  # type: ignore[type-arg]
        frame = solver.frame([t for w in writes for t in (*w.place.path, *w.index)], iterators)
        found = [coverage._elements(w, frame, solver).project_out(sets.DIMENSION, 0, frame.dims) for w in writes]
        return found[0].union(found[-1])

    patch.setattr(coverage, "_certainly_written", written)


def _division_truncates(patch: pytest.MonkeyPatch) -> None:
    floors = sets.Frame._atom

    def truncates(self: sets.Frame, atom: object) -> isl.PwAff:
        if isinstance(atom, Choice) or atom.function != "floordiv":  # type: ignore[attr-defined]
            return floors(self, atom)  # type: ignore[arg-type]
        divisor = isl.PwAff.val_on_domain(self.universe, self.solver.number(atom.right.constant))  # type: ignore[attr-defined]
        return self.term(atom.left).tdiv_q(divisor)  # type: ignore[attr-defined]

    patch.setattr(sets.Frame, "_atom", truncates)


def _nothing_is_observed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Unknowns, "observe", lambda self, value, *_, **__: value)


def _divisors_are_positive(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(prove, "check_divisors", lambda *_: ())


@pytest.mark.parametrize(
    ("hole", "name", "seen"),
    [
        (_group_always_free, "neighbour in place", "race"),
        (_group_always_free, "under data-dependent conditions of two threads", "race"),
        (_group_always_free, "neighbour in the same phase", "race"),
        (_teams_never_meet, "number within the team used for all", "race"),
        (_threads_of_a_phase_never_meet, "counter reset while others read it", "race"),
        (_views_are_arrays_of_their_own, "two shapes of one memory in a phase", "race"),
        (_any_write_initialises, "halo cells that nobody loads", "uninitialised"),
        (_later_writes_initialise, "ping-pong, the wrong side at the end", "uninitialised"),
        (_own_elements_always, "one element written by all", "race"),
        (_any_write_initialises, "read from an iteration that has not been yet", "uninitialised"),
        (_data_dependent_writes_cover, "written on one way only", "uncovered"),
        (_division_truncates, "floor division of a negative number", "bounds"),
        (_nothing_is_observed, "64-bit sum wraps before it is compared", "bounds"),
        (_divisors_are_positive, "divisor zero at the first thread", "divisor"),
    ],
)
def test_a_hole_in_the_checks_lets_a_fault_through_that_the_oracle_sees(
    hole: Callable[[pytest.MonkeyPatch], None], name: str, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (twin,) = (t for t in ALL if t.name == name)
    faulty = typed(twin.unsafe)
    hole(monkeypatch)
    prove.prove(faulty)  # accepted: the hole is one
    found: set[str] = set()
    for seed in range(10):
        sizes = {v.name: 5 for v in (*faulty.extents, *faulty.scalars)}
        found |= Run(faulty, sizes, random.Random(seed)).launch()
    assert seen in found
