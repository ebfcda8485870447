"""A few random kernels of every kind: the checker's verdict against the oracle's runs. `fuzz` says how to run many."""

from __future__ import annotations

import os
import random
from multiprocessing.connection import Connection

import pytest

from . import fuzz as fuzzer
from .fuzz import campaign, fuzz, judge, smallest
from .generate import KINDS, text_of
from .kernels import typed
from .oracle import Run
from .verdicts import FAULTY, MOST_IN_VAIN, Tally, compare


@pytest.mark.parametrize(("kind", "kernels"), [("1", 40), ("2", 20), ("3", 12), ("teams", 30), ("products", 15)])
def test_verdicts_agree_with_the_oracle(kind: str, kernels: int) -> None:
    _judge(fuzz(range(kernels), kind), 0.1)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_verdicts_agree_with_the_oracle(kind: str) -> None:
    _judge(fuzz(range(1000, 1400), kind), 0.02)


@pytest.mark.long
def test_kernels_of_any_kind_cover_the_language() -> None:
    tally = campaign(range(2000, 3000), "", processes=2, minutes=60)
    assert FAULTY[0] < tally.faulty / tally.kernels < FAULTY[1], str(tally)
    assert not tally.rare and not tally.untyped, str(tally)
    assert not tally.holes and not tally.crashes, str(tally)
    assert tally.refused_in_vain <= MOST_IN_VAIN * tally.clean, str(tally)


def _judge(tally: Tally, most_in_vain: float) -> None:
    """Holes are raised; here, that the kernels were worth it, and that little is refused in vain."""
    assert min(tally.accepted, tally.refused.total()) >= tally.kernels // 10, f"the generator is one-sided:\n{tally}"
    assert tally.refused_in_vain <= most_in_vain * tally.kernels, f"the checker refuses too much:\n{tally}"
    assert not tally.untyped, f"the generator makes what is no kernel:\n{tally}"
    assert not tally.inexact, f"a guard refuses launches without a fault:\n{tally}"


# Kernels that the fuzzer found, at their shortest: accepted once, though at fault, or too much for the compiler.
FOUND = {
    "a guard on a quotient by a multiple": """
        def k(y: Mut[f64, "size"], n: i64, m: i64, s: i64):
            require((n - 1) * m + s <= size)
            for i, j in parallel(n, m - 1):
                if i < s:
                    y[2*(i*m + j) + 1] += 1.0
    """,
    "a loop that may not run at all, though a counter moves in some of its iterations": """
        def k(x: Mut[f64, "n"], d: Ref[f64, "n"], s: i64):
            for i in parallel(n):
                if s >= n:
                    v = s + 0
                    while v + 1 < n:
                        if i % 2 == 0:
                            v += 2
                    x[i] = d[v]
    """,
    "the same, where a test on the device was left out": """
        def k(x: Mut[f64, "n"], d: Ref[f64, "n"], q: Ref[i32, "n"]):
            for i in parallel(n):
                if q[i] >= n:
                    v = i64(q[i]) + 0
                    while v + 1 < n:
                        if i % 2 == 0:
                            v += 2
                    with checked():
                        x[i] = d[v]
    """,
    "an example that isl's minimum misses": """
        def k(q: Ref[i32, "m + 1"], n: i64):
            require(n == 4 * m)
            for b in teams(m):
                a = shared(f64, 4)
                for i in range(min(q[b], 2)):
                    for t in threads(4):
                        if b * 4 + t + 1 < n:
                            a[min(max(q[b], 0), m - 1)] = 2.0
    """,
}


@pytest.mark.parametrize("text", FOUND.values(), ids=FOUND)
def test_what_was_found_once_stays_closed(text: str) -> None:
    for number in range(8):
        compare(text, number, Tally())


def test_a_number_names_a_kernel() -> None:
    assert [text_of(n) for n in range(20)] == [text_of(n) for n in range(20)]
    assert len({text_of(n) for n in range(200)}) > 195


def test_the_smallest_kernel_keeps_what_it_shows() -> None:
    text = "def k():\n    for i in a:\n        x\n        if b:\n            y\n        z"
    assert smallest(text, lambda shorter: "if b" in shorter) == "def k():\n    for i in a:\n        if b:"


def test_a_campaign_outlives_a_kernel_that_ends_its_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = range(1, 5)
    whole = campaign(numbers, "1", processes=2, minutes=10)
    assert whole.kernels == 4 and not whole.crashes
    assert str(whole) == str(campaign(numbers, "1", processes=1, minutes=10)), "the same on any number of processes"
    monkeypatch.setattr(fuzzer, "_work", _dies_at_three)
    tally = campaign(numbers, "1", processes=1, minutes=10)
    assert tally.kernels == 3 and list(tally.crashes.items()) == [("the process died, exit code 9", [3])]
    assert text_of(3, "1") in capsys.readouterr().out


def _dies_at_three(numbers: list[int], kind: str, sender: Connection) -> None:
    for number in numbers:
        if number == 3:
            os._exit(9)
        sender.send(judge(number, kind))


def test_a_crash_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzer, "compare", lambda *_: 1 // 0)
    tally, shown = judge(5, "1")
    assert [*tally.crashes.values()] == [[5]] and text_of(5, "1") in shown and "ZeroDivisionError" in shown


def test_what_the_author_vouches_for_is_no_fault_of_the_kernel() -> None:
    text = "def k(y: Mut[f64, 4]):\n    for i in parallel(4):\n        with {}:\n            y[i + 1] = 1.0"
    trusted = Run(typed(text.format('unsafe("so")')), {}, random.Random(0))
    assert trusted.launch() == set() and trusted.is_void
    tested = Run(typed(text.format("checked()")), {}, random.Random(0))
    assert tested.launch() == set() and not tested.is_void
    assert {s.line for s in tested.escaped} == {5}
