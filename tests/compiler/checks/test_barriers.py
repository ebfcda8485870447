"""Which barriers are needed, and which arrays earn `noalias`: what threads of a team hand to each other."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from kparity.compiler.checks import sets
from kparity.compiler.checks.barriers import Flow
from kparity.compiler.checks.prove import prove
from kparity.compiler.ir.nodes import Break, Const, Continue, For, If, Phase, Statement, Variable, VariableKind, While
from kparity.compiler.ir.source import Span
from kparity.compiler.ir.types import BOOL, I64

from .kernels import codes, proved, typed
from .oracle import Run

MAT_MAT_SHARED = """
    def mm(c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
        for by, bx in teams(ceildiv(n, 16), ceildiv(n, 16)):
            ta, tb = shared(f64, 16, 16), shared(f64, 16, 16)
            acc = private(f64, threads=(16, 16), fill=0.0)
            for t in range(ceildiv(n, 16)):
                for y, x in threads(16, 16):
                    ta[y, x] = a[by*16 + y, t*16 + x] if by*16 + y < n and t*16 + x < n else 0.0
                    tb[y, x] = b[t*16 + y, bx*16 + x] if t*16 + y < n and bx*16 + x < n else 0.0
                for y, x in threads(16, 16):
                    for k in range(16):
                        acc[y, x] += ta[y, k] * tb[k, x]
            for y, x in threads(16, 16):
                if by*16 + y < n and bx*16 + x < n:
                    c[by*16 + y, bx*16 + x] = acc[y, x]
"""

MASS3DPA = """
    def mass(y: Mut[f64, "n", 4, 4, 4], x: Ref[f64, "n", 4, 4, 4], basis: Ref[f64, 5, 4], d: Ref[f64, "n", 5, 5, 5]):
        for e in teams(n):
            m0, m1, b = shared(f64, 125), shared(f64, 125), shared(f64, 5, 4)
            X, DQQ, QQD = reshape(m0, 4, 4, 4), reshape(m0, 4, 5, 5), reshape(m0, 5, 5, 4)
            DDQ, QQQ, QDD = reshape(m1, 4, 4, 5), reshape(m1, 5, 5, 5), reshape(m1, 5, 4, 4)
            for dy, dx in threads(4, 4):
                for dz in range(4):
                    X[dz, dy, dx] = x[e, dz, dy, dx]
            for q, dx in threads(5, 4):
                b[q, dx] = basis[q, dx]
            for dy, qx in threads(4, 5):
                for dz in range(4):
                    u = 0.0
                    for dx in range(4):
                        u += X[dz, dy, dx] * b[qx, dx]
                    DDQ[dz, dy, qx] = u
            for qy, qx in threads(5, 5):
                for dz in range(4):
                    u = 0.0
                    for dy in range(4):
                        u += DDQ[dz, dy, qx] * b[qy, dy]
                    DQQ[dz, qy, qx] = u
            for qy, qx in threads(5, 5):
                for qz in range(5):
                    u = 0.0
                    for dz in range(4):
                        u += DQQ[dz, qy, qx] * b[qz, dz]
                    QQQ[qz, qy, qx] = u * d[e, qz, qy, qx]
            for qy, dx in threads(5, 4):
                for qz in range(5):
                    u = 0.0
                    for qx in range(5):
                        u += QQQ[qz, qy, qx] * b[qx, dx]
                    QQD[qz, qy, dx] = u
            for dy, dx in threads(4, 4):
                for qz in range(5):
                    u = 0.0
                    for qy in range(5):
                        u += QQD[qz, qy, dx] * b[qy, dy]
                    QDD[qz, dy, dx] = u
            for dy, dx in threads(4, 4):
                for dz in range(4):
                    u = 0.0
                    for qz in range(5):
                        u += QDD[qz, dy, dx] * b[qz, dz]
                    y[e, dz, dy, dx] += u
"""

TREE_REDUCE = """
    def tree(y: Out[f64, "g"], x: Ref[f64, "g", "w"]):
        for b in teams(g):
            s = shared(f64, w)
            for t in threads(w):
                s[t] = x[b, t]
            h = w // 2
            for step in range(30):
                for t in threads(w):
                    if t < h:
                        s[t] += s[t + h]
                h //= 2
            for t in threads(1):
                y[b] = s[0]
"""


def kept(text: str) -> list[int]:
    return sorted(proved(text).barriers)


def test_two_barriers_a_tile_and_none_behind_the_loop() -> None:
    assert kept(MAT_MAT_SHARED) == [0, 1]


def test_phases_that_load_and_phases_on_own_elements_need_none() -> None:
    """Of the seven that eight phases imply, those between the two loads and between the last two phases go."""
    assert kept(MASS3DPA) == [1, 2, 3, 4, 5]


def test_a_tree_needs_one_a_step() -> None:
    assert kept(TREE_REDUCE) == [0, 1]


def test_the_back_edge_of_a_loop_counts() -> None:
    text = """
        def k(y: Mut[f64, "n"], x: Ref[f64, "n", 8]):
            for b in teams(n):
                s = shared(f64, 8)
                for k in range(4):
                    for t in threads(8):
                        s[t] = x[b, t]
                    for t in threads(8):
                        if t == k:
                            y[b] += s[(t + 1) % 8]
    """
    assert kept(text) == [0, 1]
    assert kept(text.replace("range(4)", "range(1)")) == [0], "the loop does not come back"
    assert kept(text.replace("(t + 1) % 8", "t")) == [1], "y is handed from one thread to the next"
    assert kept(text.replace("y[b] += s[(t + 1) % 8]", "s[t] = 0.0")) == [], "own elements"


def test_what_alternates_needs_one_a_step() -> None:
    text = """
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for b in teams(n):
                s = shared(f64, 2, 8, fill=0.0)
                for k in range(6):
                    for t in threads(8):
                        s[(k + 1) % 2, t] = s[k % 2, (t + 3) % 8] + x[b]
                for t in threads(1):
                    y[b] = s[0, 0]
    """
    assert kept(text) == [0]


def test_phases_of_different_shape_share_no_thread() -> None:
    text = """
        def k(y: Mut[f64, "n", 8], x: Ref[f64, "n", 8]):
            for b in teams(n):
                s = shared(f64, 8)
                for t in threads(8):
                    s[t] = x[b, t]
                for t in threads(8):
                    y[b, t] = s[t]
    """
    assert kept(text) == []
    first, second = text.rsplit("threads(8)", 1)
    assert kept(f"{first}threads(7){second}") == [0]


def test_a_shape_that_a_loop_changes_names_other_threads_in_each_iteration() -> None:
    text = """
        def k(y: Mut[f64, "n", 64], x: Ref[f64, "n", 64]):
            for b in teams(n):
                for k in range(8):
                    for t in threads((k, k + 8)):
                        y[b, t] += x[b, t]
    """
    assert kept(text) == [0]
    assert kept(text.replace("(k, k + 8)", "(1, 9)")) == []


def test_a_condition_leaves_both_ways_open() -> None:
    text = """
        def k(y: Mut[f64, "n"], x: Ref[f64, "n", 8], m: i64):
            for b in teams(n):
                s = shared(f64, 8)
                for t in threads(8):
                    s[t] = x[b, t]
                if b < m:
                    for t in threads(8):
                        s[t] *= 2.0
                for t in threads(1):
                    y[b] = s[7]
    """
    assert kept(text) == [0, 1], "0 where the condition does not hold"


def test_atomic_operations_are_ordered_too() -> None:
    text = """
        def k(y: Mut[i64, "n", 4], x: Ref[f64, "n", 8]):
            for b in teams(n):
                c = shared(i64, 4, atomic=True, fill=0)
                for t in threads(8):
                    if x[b, t] > 0.0:
                        c[t % 4] += 1
                for t in threads(4):
                    y[b, t] = c[t].exchange(0)
    """
    assert kept(text) == [0]


def test_a_barrier_that_only_a_kept_one_makes_superfluous_goes() -> None:
    text = """
        def k(y: Mut[f64, "n"], x: Ref[f64, "n", 8]):
            for b in teams(n):
                s, r = shared(f64, 8), shared(f64, 8)
                for t in threads(8):
                    s[t] = x[b, t]
                for t in threads(8):
                    r[t] = x[b, 7 - t]
                for t in threads(8):
                    r[t] += s[7 - t]
                for t in threads(8):
                    s[t] = r[t]
                for t in threads(1):
                    y[b] = s[3]
    """
    assert kept(text) == [1, 2, 3]


def test_what_the_solver_gives_up_on_keeps_its_barrier(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = typed(MAT_MAT_SHARED)
    from kparity.compiler.checks import barriers
    from kparity.compiler.checks.meetings import Meetings

    def give_up(self: object, *_: object) -> bool:
        raise sets.OutOfBudget

    monkeypatch.setattr(barriers, "Meetings", type("GivesUp", (Meetings,), {"none": give_up}))
    result = prove(kernel)
    assert result.barriers == {0, 1, 2} - {2}, "the last phase is followed by none"
    assert "c" not in result.unaliased


# -- the phases that may follow each other ---------------------------------------------------------------------------

HERE = Span(1, 0, 1, 1)
YES = Const(True, BOOL, HERE)


def phase(number: int) -> Phase:
    return Phase(number, (), (), (), HERE)


def loop(*body: Statement) -> For:
    index = Variable("k", I64, VariableKind.LOOP, HERE)
    return For(index, Const(0, I64, HERE), Const(9, I64, HERE), 1, body, HERE)


def when(then: Sequence[Statement], otherwise: Sequence[Statement] = ()) -> If:
    return If(YES, tuple(then), tuple(otherwise), HERE)


def unparted(*body: Statement, kept: Sequence[int] = ()) -> set[tuple[int, int, int | None]]:
    flow = Flow()
    flow.block(body, frozenset((-1,)), 1)
    return set(flow.unparted(set(kept)))


def test_phases_follow_in_the_order_of_the_text() -> None:
    assert unparted(phase(0), phase(1), phase(2)) == {(0, 1, None), (0, 2, None), (1, 2, None)}
    assert unparted(phase(0), phase(1), phase(2), kept=[1]) == {(0, 1, None)}


def test_a_loop_comes_back_and_ends() -> None:
    assert unparted(loop(phase(0)), phase(1)) == {(0, 0, 1), (0, 1, 1)}
    assert unparted(loop(phase(0)), phase(1), kept=[0]) == set()
    inner = unparted(loop(loop(phase(0)), phase(1)), kept=[1])
    assert inner == {(0, 0, 2), (0, 1, 2)}, "the outer loop comes back behind a barrier only"


def test_a_loop_may_run_no_times_and_a_condition_may_not_hold() -> None:
    assert (0, 2, None) in unparted(phase(0), loop(phase(1)), phase(2), kept=[1])
    assert (0, 2, None) in unparted(phase(0), when([phase(1)]), phase(2), kept=[1])
    assert (0, 3, None) not in unparted(phase(0), when([phase(1)], [phase(2)]), phase(3), kept=[1, 2])


def test_a_break_leaves_and_a_continue_comes_back_from_where_it_stands() -> None:
    left = unparted(While(YES, (phase(0), when([Break(HERE)]), phase(1)), HERE), phase(2), kept=[1])
    assert {(0, 1, None), (0, 2, None)} == left
    back = unparted(While(YES, (phase(0), when([Continue(HERE)]), phase(1)), HERE), phase(2), kept=[1])
    assert {(0, 0, 1), (0, 1, None), (0, 1, 1), (0, 2, 1)} == back


# -- noalias ----------------------------------------------------------------------------------------------------------

SCRATCH = """
    def k(y: Mut[f64, "n", 8], w: Mut[f64, "n", 8], x: Ref[f64, "n", 8]):
        for b in teams(n):
            for t in threads(8):
                w[b, t] = x[b, t]
            for t in threads(8):
                y[b, t] = w[b, OTHER]
"""


def test_an_array_that_threads_hand_over_a_barrier_earns_nothing() -> None:
    assert proved(SCRATCH.replace("OTHER", "7 - t")).unaliased == {"x", "y"}
    assert proved(SCRATCH.replace("OTHER", "t")).unaliased == {"x", "y", "w"}


def test_nor_does_one_that_is_handed_from_iteration_to_iteration() -> None:
    text = """
        def k(y: Mut[f64, "n", 16], x: Ref[f64, "n"]):
            for b in teams(n):
                for k in range(8):
                    for t in threads(8):
                        y[b, INDEX] += x[b]
    """
    assert proved(text.replace("INDEX", "t + k")).unaliased == {"x"}
    assert proved(text.replace("INDEX", "(t + k) % 8")).unaliased == {"x"}
    assert proved(text.replace("INDEX", "2*t + k % 2")).unaliased == {"x", "y"}


def test_nor_one_that_phases_of_two_shapes_share() -> None:
    text = SCRATCH.replace("OTHER", "t").replace("threads(8):\n            y", "threads((0, 8)):\n            y")
    assert proved(text).unaliased == {"x", "y", "w"}, "equal bounds, however written"
    other = """
        def k(y: Mut[f64, "n", 8], x: Ref[f64, "n", 8]):
            for b in teams(n):
                for t in threads(8):
                    y[b, t] = x[b, t]
                for t in threads(4):
                    y[b, t] *= 2.0
    """
    assert proved(other).unaliased == {"x"}


def test_atomic_arrays_earn_nothing() -> None:
    text = """
        def k(c: Atomic[i64, 4], d: Atomic[i64, 4], x: Ref[f64, "n", 8]):
            for b in teams(n):
                for t in threads(8):
                    c[t % 4] += 1
                    d[t % 4] += 1
    """
    assert proved(text).unaliased == {"x"}


def test_what_guards_exclude_does_not_count() -> None:
    text = """
        def k(y: Mut[f64, "n", "m"], x: Ref[f64, "n"], s: i64):
            for b in teams(n):
                for t in threads(8):
                    y[b, t] = x[b]
                for t in threads(8):
                    y[b, t + s] += x[b]
    """
    assert proved(text).unaliased == {"x"}
    assert proved(text.replace('"m"', "8")).unaliased == {"x", "y"}, "the guard leaves s = 0 only"


def test_a_hole_in_these_proofs_is_one_that_the_oracle_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads of two shapes taken for the same: the barrier between them goes, and `noalias` is promised."""
    kernel = typed("""
        def k(y: Mut[f64, "n", 8], x: Ref[f64, "n", 8]):
            for b in teams(n):
                for t in threads(8):
                    y[b, t] = x[b, t]
                for t in threads((1, 8)):
                    y[b, t] *= 2.0
    """)
    from kparity.compiler.checks import barriers

    def run() -> tuple[set[str], set[str]]:
        result = prove(kernel)
        launch = Run(kernel, {"n": 2}, random.Random(0), result.barriers)
        return launch.launch(), launch.aliased() & result.unaliased

    assert run() == (set(), set())
    monkeypatch.setattr(barriers, "same_threads", lambda *_: True)
    assert run() == ({"race"}, {"y"})


@pytest.mark.parametrize("text", [MAT_MAT_SHARED.replace("16", "2"), MASS3DPA, TREE_REDUCE], ids=["mm", "mass", "tree"])
def test_the_oracle_finds_these_kernels_clean(text: str) -> None:
    kernel = typed(text)
    assert codes(text) == []
    sizes = {v.name: {"n": 3, "g": 2, "w": 6}[v.name] for v in kernel.extents}
    assert Run(kernel, sizes, random.Random(0)).launch() == set()
