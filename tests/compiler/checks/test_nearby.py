"""The cheap proof: what stands near a condition, and never more than the whole path says."""

from __future__ import annotations

import pytest

from kparity.compiler.checks.gather import gather
from kparity.compiler.checks.nearby import excludes
from kparity.compiler.checks.sets import Solver
from kparity.compiler.checks.terms import Condition, compare, number, some

from .kernels import typed

KEPT = """
    def k(y: Mut[f64, "n"], x: Ref[f64, "n"], h: i64):
        for i in parallel(n):
            kept = 0
            s = local(f64, 8, fill=0.0)
            for j in range(min(h, 8)):
                if x[i] > 0.0 and kept < 8:
                    s[kept] = x[i]
                    kept += 1
            y[i] = s[0]
"""


def asked(text: str, access: str) -> tuple[Solver, tuple[Condition, ...], Condition]:
    """The path of an access, and that its index is no element of eight."""
    facts = gather(typed(text))
    found = next(a for a in facts.accesses if a.text == access)
    (index,) = found.index
    return Solver(facts), found.place.path, some(compare("<", index, number(0)), compare(">=", index, number(8)))


def test_what_bounds_an_index_is_near_it() -> None:
    solver, path, outside = asked(KEPT, "s[kept]")
    assert excludes(solver, path, outside)


@pytest.mark.parametrize("changed", [KEPT.replace("kept < 8", "kept < 9"), KEPT.replace(" and kept < 8", "")])
def test_a_condition_that_does_not_bound_it_proves_nothing(changed: str) -> None:
    solver, path, outside = asked(changed.replace("min(h, 8)", "h"), "s[kept]")
    assert not excludes(solver, path, outside)


@pytest.mark.parametrize(("index", "is_near"), [("c", True), ("d", False)])
def test_a_bound_more_than_two_steps_away_is_left_to_the_whole_proof(index: str, is_near: bool) -> None:
    facts = gather(
        typed(f"""
        def k(y: Mut[f64, 8, "n"]):
            for i in parallel(n):
                for a in range(8):
                    for b in range(a, 8):
                        for c in range(b, 8):
                            for d in range(c, 8):
                                y[{index}, i] = 0.0
    """)
    )
    (access,) = facts.accesses
    solver, path, negative = Solver(facts), access.place.path, compare("<", access.index[0], number(0))
    assert excludes(solver, path, negative) is is_near
    whole = solver.frame([*path, negative])
    assert whole.domain(path).intersect(whole.holds(negative)).is_empty()
