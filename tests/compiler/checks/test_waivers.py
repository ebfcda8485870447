"""Tiers 4 and 5: what stands in `checked` and `unsafe` blocks, and only that, needs no proof."""

from __future__ import annotations

from kparity.compiler.checks.proved import Tier

from .kernels import codes, proved


def test_a_race_on_the_authors_word_costs_noalias() -> None:
    result = proved("""
        def k(y: Mut[f64, "n"], z: Mut[f64, "n"], q: Mut[i64, "n"]):
            for i in parallel(n):
                z[i] = 1.0
                with unsafe("q is a permutation"):
                    y[q[i]] = 1.0
    """)
    assert result.unaliased == {"z", "q"}
    waived = {(e.obligation, e.access, e.detail) for e in result.evidence if e.tier is Tier.UNSAFE}
    assert waived == {
        ("bounds", "y[q[i]]", "q is a permutation"), ("race", "y[q[i]] / y[q[i]]", "q is a permutation"),
    }  # fmt: skip


def test_what_is_proved_in_an_unsafe_block_stays_proved() -> None:
    result = proved("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "m"]):
            for i in parallel(n):
                with unsafe("m is n"):
                    y[i] = x[i]
    """)
    tiers = {(e.obligation, e.access): e.tier for e in result.evidence}
    assert tiers["bounds", "y[i]"] is Tier.STATIC and tiers["bounds", "x[i]"] is Tier.UNSAFE
    assert result.guards == (), "no guard refuses a launch for what the author answers for"
    assert result.unaliased == {"x", "y"}


def test_the_same_value_outside_of_the_block_is_still_an_obligation() -> None:
    found = codes("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"], t: i32):
            for i in parallel(n):
                with unsafe("t is small"):
                    if i32(i) * t > 100:
                        y[i] = 1.0
                if i32(i) * t > 100:
                    y[i] = 2.0
    """)
    assert found == [("KP0601", "i32(i) * t")]


def test_a_tested_write_covers_nothing() -> None:
    text = """
        def k(y: Out[f64, 1], q: Mut[i64, 1]):
            for i in parallel(1):
                with checked():
                    y[{}] = 1.0
    """
    assert codes(text.format("i")) == []
    assert codes(text.format("q[i]")) == [("KP0503", "y: Out[f64, 1]")]


def test_a_guard_that_data_may_not_need_is_a_test_instead() -> None:
    result = proved("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "m"], c: Ref[f64, "n"], s: i64):
            for i in parallel(n):
                with checked():
                    y[i] = x[i + s] if c[i] > 0.0 else 0.0
    """)
    assert result.guards == () and len(result.tested) == 1
