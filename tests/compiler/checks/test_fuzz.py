"""A few random kernels of every kind: the checker's verdict against the oracle's runs. `fuzz` says how to run many."""

from __future__ import annotations

import pytest

from .constructs import CONSTRUCTS
from .fuzz import Tally, compare, fuzz, smallest
from .generate import KINDS, text_of


@pytest.mark.parametrize(("kind", "kernels"), [("1", 40), ("2", 20), ("3", 12), ("teams", 30), ("products", 15)])
def test_verdicts_agree_with_the_oracle(kind: str, kernels: int) -> None:
    _judge(fuzz(range(kernels), kind), 0.3 if kind == "products" else 0.1)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_verdicts_agree_with_the_oracle(kind: str) -> None:
    _judge(fuzz(range(1000, 1400), kind), 0.15 if kind == "products" else 0.02)


@pytest.mark.long
def test_kernels_of_any_kind_cover_the_language() -> None:
    tally = fuzz(range(400))
    assert 0.3 < tally.faulty / tally.kernels < 0.7
    rare = {c: n for c in CONSTRUCTS if (n := tally.constructs[c]) < 0.1 * tally.kernels}
    assert not rare, f"of {tally.kernels} kernels: {rare}"


def _judge(tally: Tally, most_in_vain: float) -> None:
    """Holes are raised; here, that the kernels were worth it, and that little is refused in vain."""
    assert min(tally.accepted, tally.refused.total()) >= tally.kernels // 10, f"the generator is one-sided:\n{tally}"
    assert tally.refused_clean <= most_in_vain * tally.kernels, f"the checker refuses too much:\n{tally}"
    assert not tally.inexact, f"a guard refuses launches without a fault:\n{tally}"


# Kernels that the fuzzer found, at their shortest: accepted once, though at fault.
FOUND = {
    "a guard on a quotient by a multiple": """
        def k(y: Mut[f64, "size"], n: i64, m: i64, s: i64):
            require((n - 1) * m + s <= size)
            for i, j in parallel(n, m - 1):
                if i < s:
                    y[2*(i*m + j) + 1] += 1.0
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
