"""Each faulty kernel is refused with its codes, each repaired twin accepted; the oracle agrees with both."""

from __future__ import annotations

import random

import pytest

from kparity.compiler import CompileError
from kparity.compiler.checks.prove import prove

from .inspecting import faults_found
from .kernels import codes, typed
from .oracle import Run
from .product_twins import PRODUCTS
from .sequential_twins import SEQUENTIAL
from .team_twins import TEAM_TWINS
from .twins import TWINS as PARALLEL
from .twins import Twin
from .verdicts import holds, launches

TWINS = [*PARALLEL, *SEQUENTIAL, *PRODUCTS]
ALL = TWINS + TEAM_TWINS
by_name = pytest.mark.parametrize("twin", ALL, ids=[t.name for t in ALL])


def test_there_are_enough() -> None:
    assert len(TWINS) >= 40 and len(TEAM_TWINS) >= 25
    assert len({t.name for t in ALL}) == len(ALL)


@by_name
def test_the_faulty_one_is_refused(twin: Twin) -> None:
    assert codes(twin.unsafe) == list(twin.expected)


@by_name
def test_the_repaired_one_is_accepted(twin: Twin) -> None:
    assert codes(twin.safe) == []
    assert len(prove(typed(twin.safe)).guards) == twin.guards


@by_name
def test_the_oracle_sees_the_fault(twin: Twin) -> None:
    kernel = typed(twin.unsafe)
    found: set[str] = set()
    for seed in range(6):
        for sizes in launches(kernel, seed):
            found |= Run(kernel, sizes, random.Random(seed)).launch()
    assert bool(found) != bool(twin.unseen)


@by_name
def test_the_oracle_finds_no_fault_in_the_repaired_one(twin: Twin) -> None:
    kernel = typed(twin.safe)
    result = prove(kernel)
    allowed = 0
    for seed in range(3):
        for sizes in launches(kernel, seed):
            run = Run(kernel, sizes, random.Random(seed)).prepare()
            if all(holds(g, sizes) for g in result.guards) and not faults_found(result, run):
                allowed += 1
                assert run.launch() == set(), sizes
                assert not run.negative_divisions & result.non_negative
    assert allowed, "no launch of the sample passes the guards: the test says nothing"


@by_name
def test_diagnostics_are_complete(twin: Twin) -> None:
    """Every diagnostic names a place and what to write instead; races and bounds come with a witness."""
    with pytest.raises(CompileError) as caught:
        prove(typed(twin.unsafe))
    for diagnostic in caught.value.diagnostics:
        assert sum(label.primary for label in diagnostic.labels) == 1
        assert (diagnostic.helps and diagnostic.notes) or diagnostic.code == "KP0301"
        assert not diagnostic.message.endswith(".") and "\n" not in diagnostic.message
        if diagnostic.code in ("KP0301", "KP0401"):
            assert "thread" in diagnostic.witness
