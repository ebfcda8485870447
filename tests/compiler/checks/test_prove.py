"""The proofs as a whole: evidence, guards, order of faults, budget."""

from __future__ import annotations

import itertools
import statistics
import time

import pytest

from kparity.compiler import CompileError
from kparity.compiler.checks import nonlinear, overflow, sets
from kparity.compiler.checks.prove import prove
from kparity.compiler.checks.proved import Tier
from kparity.compiler.ir.nodes import Kernel

from .kernels import codes, proved, typed
from .verdicts import holds

VOL3D = """
    def vol3d(vol: Mut[f64, "nn"], x: Ref[f64, "nn"], y: Ref[f64, "nn"], z: Ref[f64, "nn"],
              jp: i64, kp: i64, fpz: i64, lpz: i64):
        for i in parallel((fpz, lpz + 1)):
            a = x[i+1+jp+kp] - x[i] + x[i+jp] - x[i+1+kp] + x[i+1+jp] + x[i+kp] + x[i+1] + x[i+jp+kp]
            b = y[i+1+jp+kp] - y[i] + y[i+jp] - y[i+1+kp] + y[i+1+jp] + y[i+kp] + y[i+1] + y[i+jp+kp]
            c = z[i+1+jp+kp] - z[i] + z[i+jp] - z[i+1+kp] + z[i+1+jp] + z[i+kp] + z[i+1] + z[i+jp+kp]
            vol[i] = a * b * c
"""

DAXPY = """
    def daxpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] += a * x[i]
"""


def test_daxpy_is_static() -> None:
    result = proved(DAXPY)
    assert [(e.obligation, e.access, e.tier) for e in result.evidence] == [
        ("bounds", "y[i]", Tier.STATIC),
        ("bounds", "x[i]", Tier.STATIC),
        ("bounds", "y[i]", Tier.STATIC),
        ("race", "y[i] / y[i]", Tier.STATIC),
    ]
    assert result.guards == () and result.unaliased == {"x", "y"} and result.non_negative == frozenset()


def test_vol3d_has_guards_in_the_users_words() -> None:
    result = proved(VOL3D)
    texts = [g.text for g in result.guards]
    assert "x[i+1+jp+kp]: largest index jp + kp + lpz + 1 must be < nn" in texts
    assert "x[i]: smallest index fpz must be >= 0" in texts
    assert all(e.tier is Tier.GUARD for e in result.evidence if e.obligation == "bounds")
    assert all(e.tier is Tier.STATIC for e in result.evidence if e.obligation == "race")


def test_vol3d_guards_are_exact() -> None:
    """They hold exactly for the sizes at which every index of every thread is inside."""
    guards = proved(VOL3D).guards
    for nn, jp, kp, fpz, lpz in itertools.product((0, 3, 6), (-1, 0, 2), (-2, 1), (-1, 0, 2), (-1, 1, 3)):
        sizes = {"nn": nn, "jp": jp, "kp": kp, "fpz": fpz, "lpz": lpz}
        offsets = [a + b * jp + c * kp for a, b, c in itertools.product((0, 1), repeat=3)]
        inside = all(0 <= i + o < nn for i in range(fpz, lpz + 1) for o in offsets)
        assert all(holds(g, sizes) for g in guards) == inside, sizes


@pytest.mark.parametrize(("text", "milliseconds"), [(DAXPY, 10), (VOL3D, 150)], ids=["daxpy", "vol3d"])
def test_cost(text: str, milliseconds: float) -> None:
    """A budget of the design; processor time, so that a busy machine does not decide."""
    kernel = typed(text)
    samples = []
    for _ in range(5):
        start = time.process_time()
        prove(kernel)
        samples.append(time.process_time() - start)
    assert statistics.median(samples) * 1e3 < milliseconds


def test_all_faults_come_together_in_source_order() -> None:
    found = codes("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"], z: Out[f64, "n"], w: Mut[i64, "n"]):
            for i in parallel(n):
                y[0] = x[i + 1]
                w[i] = i // (i - 1)
                z[i] += 1.0
    """)
    assert found == [("KP0401", "y[0]"), ("KP0301", "x[i + 1]"), ("KP0602", "i - 1"), ("KP0502", "z[i]")]


def test_one_cause_is_reported_once() -> None:
    found = codes("""
        def k(y: Mut[f64, "n"], q: Mut[i32, "n"]):
            for i in parallel(n):
                k = q[i]
                y[k] += 1.0
    """)
    assert found == [("KP0302", "y[k]")], "no race on top, no second report of the same element"


def test_two_independent_races_are_two_faults() -> None:
    found = codes("""
        def k(y: Mut[f64, "n + 2"], x: Ref[f64, "n"]):
            for i in parallel(n):
                y[0] = 1.0
                y[1] = 2.0
    """)
    assert found == [("KP0401", "y[0]"), ("KP0401", "y[1]")]


def test_a_require_is_assumed() -> None:
    text = """
        def k(y: Mut[f64, "n"], x: Ref[f64, "m"], s: i64):
            require(s >= 0)
            require(n + s <= m)
            for i in parallel(n):
                y[i] = x[i + s]
    """
    assert proved(text).guards == ()


def test_a_require_that_bounds_the_launch_is_taken_at_its_word() -> None:
    """The author has said that there are no large launches, so a guard need not leave any."""
    text = """
        def k(y: Mut[f64, "n"], x: Ref[f64, 64], s: i64):
            require(n <= 32)
            for i in parallel(n):
                y[i] = x[i + s]
    """
    assert len(proved(text).guards) == 2


def test_beyond_the_budget_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = typed("""
        def k(y: Mut[f64, "n"]):
            for i in parallel(n // 2):
                y[i] = y[i + n // 2]
    """)
    prove(kernel)
    monkeypatch.setattr(sets, "_OPERATIONS", 20)
    assert unfinished(kernel) == [("KP0302", "y[i]"), ("KP0302", "y[i + n // 2]")]


SPENT = "the proof was not finished: it needs more steps than the checker allows"


def unfinished(kernel: Kernel) -> list[tuple[str, str]]:
    """Code and place of each fault; every one says that a proof ran out of steps, and how to shorten it."""
    with pytest.raises(CompileError) as caught:
        prove(kernel)
    for fault in caught.value.diagnostics:
        assert SPENT in fault.notes and any("stated with `require(...)`" in h for h in fault.helps), fault.message
    return [(d.code, d.source.line(d.span.line)[d.span.column : d.span.end_column]) for d in caught.value.diagnostics]


SQUARE = """
    def k(y: Mut[f64, "n"], x: Ref[f64, "size"]):
        require(n * n <= size)
        for i in parallel(n):
            y[i] = x[i * i]
"""
VALUE = """
    def k(y: Mut[f64, "n"], h: i32):
        require(h >= 0)
        require(h <= 1000)
        for i in parallel(n):
            if i < h:
                a = i32(i)
                if a * a * a > 7:
                    y[i] = 1.0
"""


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (SQUARE, [("KP0302", "x[i * i]")]),
        (VALUE, [("KP0601", "a * a * a")]),
    ],
)
def test_beyond_the_budget_of_the_other_solver_is_refused(
    text: str, places: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = typed(text)
    prove(kernel)
    monkeypatch.setattr(nonlinear, "OPERATIONS", 1)
    monkeypatch.setattr(overflow, "OVERFLOW_OPERATIONS", 1)
    assert unfinished(kernel) == places


def test_a_race_that_the_other_solver_does_not_decide_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = typed("""
        def k(y: Mut[f64, "n"], m: i64):
            require(n > 0)
            require(0 < m)
            require(m < 1000)
            for i in parallel(100):
                y[(i * m) % n] = 1.0
    """)
    with pytest.raises(CompileError, match="KP0401"):
        prove(kernel)
    monkeypatch.setattr(nonlinear, "OPERATIONS", 1)
    assert unfinished(kernel) == [("KP0402", "y[(i * m) % n]")]


def test_plain_division_only_where_nothing_is_negative() -> None:
    result = proved("""
        def k(y: Mut[i64, "n"], x: Ref[i64, "n"], u: Ref[u32, "n"], s: i64):
            for i in parallel(n):
                y[i] = i // 2 + (i - 1) % 3 + x[i] // 2 + max(x[i], 0) // 3 + i64(u[i] % 7) + (i + s) // 5
    """)
    source = result.kernel.source
    plain = {source.line(s.line)[s.column : s.end_column] for s in result.non_negative}
    assert plain == {"i // 2", "max(x[i], 0) // 3", "u[i] % 7"}


def test_a_guard_makes_a_dividend_non_negative() -> None:
    result = proved("""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"], s: i64):
            for i in parallel((s, n)):
                y[i] = x[i // 2]
    """)
    assert len(result.guards) >= 1 and len(result.non_negative) == 1


def test_the_guard_of_a_wrapping_bound_follows_from_the_access() -> None:
    """`lpz + 1` cannot wrap where `lpz` is below an extent."""
    result = proved("""
        def k(y: Mut[f64, "n"], lpz: i64):
            for i in parallel((0, lpz + 1)):
                y[i] = 1.0
    """)
    assert [g.text for g in result.guards] == ["y[i]: largest index lpz must be < n"]
    details = [e.detail for e in result.evidence if e.obligation == "overflow"]
    assert details == ["follows from the guards of other accesses"]


def test_a_wrapping_bound_alone_gets_a_guard() -> None:
    result = proved("""
        def k(x: Ref[f64, "n"], total: Sum[i64], s: i64):
            for i in parallel((s, s + 4)):
                total += i
    """)
    (guard,) = result.guards
    assert guard.text == "s + 4: largest value s + 4 must be <= 9223372036854775807"
    assert holds(guard, {"n": 0, "s": 2**63 - 5}) and not holds(guard, {"n": 0, "s": 2**63 - 4})


def test_an_unknown_without_a_lower_end_is_no_crash() -> None:
    found = codes("""
        def k(x: Out[f64, "n"], y: Mut[f64, "n"], s: i64):
            for i in parallel(n - s):
                x[i] = 1.0
                y[i] = x[(i + 1) % n] if i != s else 0.0
    """)
    assert ("KP0502", "x[(i + 1) % n]") in found


def test_race_guard() -> None:
    """In place with an offset: free of races only if the halves do not overlap."""
    result = proved("""
        def k(y: Mut[f64, "n + m"], n: i64, m: i64):
            for i in parallel(n):
                y[i] = y[i + m]
    """)
    race = [e for e in result.evidence if e.obligation == "race" and e.tier is Tier.GUARD]
    assert len(race) == 1
    for n, m in itertools.product(range(5), range(-3, 7)):
        if n + m < 0:
            continue
        inside = all(0 <= i + m < n + m for i in range(n)) and all(0 <= i < n + m for i in range(n))
        apart = not {(i, j) for i in range(n) for j in range(n) if i != j and i == j + m}
        assert all(holds(g, {"n": n, "m": m}) for g in result.guards) == (inside and apart), (n, m)


def test_atomic_arrays_never_earn_noalias_and_owe_no_race() -> None:
    result = prove(
        typed("""
        def k(a: Atomic[f64, 8], y: Mut[f64, "n"]):
            for i in parallel(n):
                a[i % 8] += y[i]
                y[i] = a[0].exchange(0.0)
    """)
    )
    assert result.unaliased == {"y"}
    assert [(e.obligation, e.access) for e in result.evidence] == [
        ("bounds", "a[i % 8]"), ("bounds", "y[i]"), ("bounds", "a[0]"), ("bounds", "y[i]"), ("race", "y[i] / y[i]"),
    ]  # fmt: skip


def test_a_team_kernel_of_many_accesses_is_cheap() -> None:
    """Groups of accesses are compared at once, and a read looks at the nearest writes first."""
    lines = ['def k(y: Mut[f64, "n", 8, 8], x: Ref[f64, "n", 8, 8]):', "    for e in teams(n):"]
    lines += ["        s, r = shared(f64, 8, 8), shared(f64, 8, 8)", "        for b, c in threads(8, 8):"]
    lines += ["            s[b, c] = x[e, b, c]"]
    for step in range(12):
        source, target = ("s", "r") if step % 2 == 0 else ("r", "s")
        sums = [f"{source}[(b + {k}) % 8, (c + {k * k}) % 8]" for k in range(14)]
        lines += ["        for b, c in threads(8, 8):", f"            {target}[b, c] = {' + '.join(sums)}"]
    lines += ["        for b, c in threads(8, 8):", "            y[e, b, c] += s[b, c]"]
    kernel = typed("\n".join(lines))
    seconds = []
    for _ in range(3):  # a busy machine only ever adds to them
        start = time.process_time()
        result = prove(kernel)
        seconds.append(time.process_time() - start)
    assert min(seconds) < 1.0
    assert sum(e.obligation == "bounds" for e in result.evidence) > 180
    assert result.barriers == set(range(12)) and result.unaliased == {"x", "y"}


@pytest.mark.parametrize(
    ("type_", "guards"), [("u32", []), ("u64", []), ("i32", ["abs(s): largest value -s must be <= 2147483647"])]
)
def test_only_a_signed_value_is_negated_by_abs(type_: str, guards: list[str]) -> None:
    """No negative counterpart of an unsigned value is ever made; the smallest signed one has no positive."""
    found = proved(f"""
        def k(y: Mut[i64, "n"], s: {type_}):
            for i in parallel(n):
                if abs(s) < 3:
                    y[i] = 1
        """).guards
    assert [g.text for g in found] == guards


def test_the_entries_of_a_short_table_are_known() -> None:
    """Each on its own: a permutation keeps threads apart. Where a test fails, the entry is 0."""
    text = """
        ORDER = (2, 0, 3, 1)
        @kernel
        def k(y: Mut[f64, "m", 4], x: Ref[f64, 4]):
            for b in teams(m):
                a = shared(f64, 4)
                for t in threads(4):
                    a[ORDER[t]] = x[t]
                for t in threads(4):
                    {}
    """
    result = proved(text.format("y[b, t] = a[ORDER[3 - t]]"))
    assert result.guards == () and all(e.tier is Tier.STATIC for e in result.evidence)
    assert ("KP0301", "a[ORDER[t] + 1]") in codes(text.format("y[b, t] = a[ORDER[t] + 1]"))
    assert codes(text.replace("2, 0", "0, 0").format("y[b, t] = 1.0"))[0] == ("KP0401", "a[ORDER[t]]")
    tested = proved("""
        ORDER = (1, 2, 3, 3)
        @kernel
        def k(y: Mut[f64, 4]):
            for i in parallel(1):
                with checked():
                    y[ORDER[i + 4] - 1] = 1.0
    """)
    assert len(tested.tested) == 2, "y[-1], where the table has no entry"
