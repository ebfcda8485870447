"""Team kernels on every target: phases, memory of a team, barriers; against the interpreter, without any of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kparity.compiler import CompileError, Kernel
from kparity.compiler.checks.proved import Proved
from kparity.compiler.ir.walk import phases
from kparity.compiler.targets import cpu

from ..conftest import execute
from ..interpreter import interpret
from ..sources import kernel
from ..team_kernels import CASES, assert_computed
from .emulation import Emulator

Agree = Callable[..., dict[str, Any]]


def assumed(one: Kernel) -> Kernel:
    """The kernel, as if it were proved where the checks do not know enough: every barrier kept, nothing earned."""
    try:
        assert one.proved
    except CompileError:
        kept = frozenset(p.number for p in phases(one.typed.body.body))
        one.__dict__["proved"] = Proved(one.typed, (), (), frozenset(), frozenset(), kept)
    return one


@pytest.fixture(params=["cpu1", "cpu", pytest.param("cuda", marks=pytest.mark.cuda), "_narrow", ""])
def agree(request: pytest.FixtureRequest) -> Agree:
    """Run on a target, or in one version on the emulated GPU, and in the interpreter; every bit must agree."""

    def compare(one: Kernel, **arguments: Any) -> dict[str, Any]:
        if request.param in ("_narrow", ""):
            gpu: Emulator = request.getfixturevalue("gpu")
            gpu.only = request.param
            found = gpu.run(one, arguments)
        else:
            found = execute(one, request.param, arguments)
        for name, wanted in interpret(one, arguments).items():
            if isinstance(wanted, np.ndarray):
                np.testing.assert_array_equal(found[name], wanted, err_msg=name)
        return found

    return compare


def whole(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Small whole numbers, so that sums are exact in any order."""
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(float)


PRODUCT = """
    def product(c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
        for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
            ta, tb = shared(f64, T, T), shared(f64, T, T)
            acc = private(f64, threads=(T, T), fill=0.0)
            for t in range(ceildiv(n, T)):
                for y, x in threads(T, T):
                    ta[y, x] = a[by * T + y, t * T + x] if by * T + y < n and t * T + x < n else 0.0
                    tb[y, x] = b[t * T + y, bx * T + x] if t * T + y < n and bx * T + x < n else 0.0
                for y, x in threads(T, T):
                    for k in range(T):
                        acc[y, x] += ta[y, k] * tb[k, x]
            for y, x in threads(T, T):
                if by * T + y < n and bx * T + x < n:
                    c[by * T + y, bx * T + x] = acc[y, x]
    """
TILED = {side: kernel(PRODUCT, T=side) for side in (4, 6)}  # half a warp; a warp and 4 threads


@pytest.mark.parametrize(("side", "n"), [(4, 0), (4, 1), (4, 13), (6, 13)])
def test_tiles(side: int, n: int, agree: Agree) -> None:
    found = agree(TILED[side], c=np.full((n, n), np.nan), a=whole(n, n), b=whole(n, n, seed=1))
    assert np.array_equal(found["c"], whole(n, n) @ whole(n, n, seed=1))


TURNS = kernel(
    """
    def turns(y: Out[f64, "m", S, S], x: Ref[f64, "m", S, S]):
        for b in teams(m):
            mine = private(f64, 2, threads=(S, S), fill=1.0)
            s = shared(f64, S, S)
            for i, j in threads(S, S):
                mine[i, j, i % 2] += x[b, i, j]
                s[i, j] = x[b, i, j] * 2.0
            for i, j in threads(S, S):
                mine[i, j, 1] += s[j, i]
            for i, j in threads(S, S):
                y[b, i, j] = mine[i, j, 0] + mine[i, j, 1] * 100.0
    """,
    S=35,
)


def test_phases_of_more_threads_than_a_block(agree: Agree) -> None:
    agree(TURNS, y=np.zeros((2, 35, 35)), x=whole(2, 35, 35))


REVERSED = kernel("""
    def reverse(y: Out[f64, "m", "n"], x: Ref[f64, "m", "n"]):
        for b in teams(m):
            s = shared(f64, n)
            for t in threads(n):
                s[t] = x[b, t]
            for t in threads(n):
                y[b, t] = s[n - 1 - t]
    """)


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 1000, 7000])
def test_sizes_that_are_known_at_the_launch(n: int, agree: Agree) -> None:
    agree(REVERSED, y=np.zeros((3, n)), x=whole(3, n))


PRIVATE = kernel("""
    def shifted(y: Out[f64, "m", "n"], x: Ref[f64, "m", "n"]):
        for b in teams(m):
            mine = private(f64, 2, threads=(n,))
            s = shared(f64, n)
            for t in threads(n):
                mine[t, 0] = x[b, t]
                mine[t, 1] = 2.0 * x[b, t]
                s[t] = mine[t, 0] + 1.0
            for t in threads(3):
                if t < n:
                    s[t] = s[t] * 3.0
            for t in threads(n):
                y[b, t] = mine[t, 1] - mine[t, 0] + s[(t + 1) % n]
    """)


@pytest.mark.parametrize("n", [1, 31, 33, 300, 1024])
def test_private_memory_of_a_size_known_at_the_launch(n: int, agree: Agree) -> None:
    agree(PRIVATE, y=np.zeros((2, n)), x=whole(2, n))


LEVELS = kernel("""
    def levels(y: Mut[f64, "k", "n"], start: Ref[i32, "p"]):
        for b in teams(k):
            for level in range(p - 1):
                first, last = max(i64(start[level]), 0), min(i64(start[level + 1]), n)
                for t in threads((first, last)):
                    y[b, t] = f64(t + level) + (y[b, first - 1] if first > 0 else 0.5)
    """)


@pytest.mark.parametrize("widths", [[1, 0, 3, 300, 2], [700], [0]])
def test_bounds_that_are_loaded(widths: list[int], agree: Agree) -> None:
    start = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    agree(LEVELS, y=np.zeros((5, start[-1])), start=start)


SHAPES = kernel(
    """
    def shapes(y: Mut[f32, "l..h", "m", D, 25], l: i64, h: i64, s: i64):
        for i, j in teams((l, h), m):
            a = shared(f32, D * D * D)
            cube, rows = reshape(a, D, D, D), reshape(a, D, D * D)
            factor = f32(i) + f32(j) * 2.0
            for z, y_, x in threads(D, D, D):
                cube[z, y_, x] = y[i, j, z, y_ * D + x] * factor
            for r in threads(D):
                for c in range(D * D - 1):
                    rows[r, c + 1] = rows[r, c + 1] + rows[r, c]
            if s > 2:
                for z, x in threads((1, D), D):
                    a[z * D + x] = a[z * D + x] + 1.0
            else:
                for t in threads(1):
                    a[0] = 5.0
            for z, y_, x in threads(D, D, (1, D)):
                y[i, j, z, y_ * D + x] = cube[x, y_, z] + f32(z)
    """,
    D=5,
)


@pytest.mark.parametrize(("lower", "upper", "s"), [(-2, 3, 1), (4, 5, 3), (3, 3, 3)])
def test_shapes_and_views(lower: int, upper: int, s: int, agree: Agree) -> None:
    agree(SHAPES, y=whole(upper - lower, 3, 5, 25).astype(np.float32), l=lower, h=upper, s=s)


HISTOGRAM = kernel(
    """
    def histogram(counts: Atomic[i64, B], most: Max[i32], total: Sum[f64], x: Ref[i32, "n"]):
        for b in teams(ceildiv(n, 100)):
            mine = shared(i32, B, atomic=True, fill=0)
            seen = private(i32, threads=(50,), fill=7)
            for t in threads(50):
                for i in range(b * 100 + t, min(n, b * 100 + 100), 50):
                    seen[t] = mine[min(max(x[i], 0), B - 1)].add(1)
                    total += f64(x[i])
            for t in threads(B):
                counts[t] += i64(mine[t].add(0))
                most.update(mine[t].add(0))
    """,
    B=12,
)


@pytest.mark.parametrize("n", [0, 1, 99, 4321])
def test_atomics_and_reducers(n: int, agree: Agree) -> None:
    x = np.random.default_rng(n).integers(0, 12, n).astype(np.int32)
    agree(HISTOGRAM, counts=np.zeros(12, np.int64), most=np.full(1, -5, np.int32), total=np.ones(1), x=x)


PLANES = kernel("""
    def planes(y: Out[i64, "a", "b", "c"], x: Ref[i64, "a"]):
        for i, j, k in teams(a, b, c):
            s = shared(i64, 64, fill=-3)
            step = x[i] + j
            for t in threads((2, 40)):
                s[t] += step * t
            for t in threads(1):
                y[i, j, k] = s[0] + s[39] + s[(k + 7) % 64]
    """)


def test_three_dimensions_of_teams(agree: Agree) -> None:
    agree(PLANES, y=np.zeros((3, 2, 5), np.int64), x=np.arange(3) - 1)


LARGE = kernel("""
    def large(y: Out[f64, "n", 7000], x: Ref[f64, "n", 7000]):
        for b in teams(n):
            s = shared(f64, 7000)
            r = shared(i32, 100, fill=1)
            for t in threads(7000):
                s[t] = x[b, t]
            for t in threads(7000):
                y[b, t] = s[6999 - t] + f64(r[t % 100])
    """)


def test_more_shared_memory_than_is_static(agree: Agree) -> None:
    agree(LARGE, y=np.zeros((2, 7000)), x=whole(2, 7000))


@pytest.mark.parametrize("name", CASES)
def test_kernels_with_a_meaning(name: str, agree: Agree) -> None:
    case = CASES[name]
    assert_computed(case, agree(assumed(case.kernel()), **case.arguments()))


EXCHANGE = """
    def exchange(u: Mut[f64, 1], seen: Out[f64, 2, 64], who: i64):
        for b in teams(1):
            for t in threads(64):
                seen[0, t] = u[0]
            for t in threads(64):
                if t == who:
                    u[0] = 3.0
            for t in threads(64):
                seen[1, t] = u[0]
    """
EXCHANGED = kernel(EXCHANGE)


@pytest.mark.parametrize("who", [0, 63, 64])
def test_every_thread_sees_what_one_has_written(who: int, agree: Agree) -> None:
    found = agree(EXCHANGED, u=np.ones(1), seen=np.zeros((2, 64)), who=who)
    assert set(found["seen"][0]) == {1.0} and set(found["seen"][1]) == {1.0 if who == 64 else 3.0}


NEIGHBOURS = """
    def neighbours(u: Mut[f64, "m", 64], v: Mut[f64, "m", 64], y: Out[f64, "m", 64], k: i64):
        for b in teams(m):
            for step in range(k):
                for t in threads(64):
                    u[b, t] = v[b, t] + v[b, (t + 1) % 64]
                for t in threads(64):
                    v[b, t] = u[b, (t + 3) % 64]
                    y[b, t] = v[b, t] * 2.0
    """
HANDED_ON = kernel(NEIGHBOURS)


def test_arrays_that_threads_hand_to_each_other(agree: Agree) -> None:
    agree(HANDED_ON, u=np.zeros((3, 64)), v=whole(3, 64), y=np.zeros((3, 64)), k=4)


TESTS = kernel(
    """
    def tests(y: Out[i64, "m", 32], n: i64, w: i64):
        for b in teams(m):
            for t in threads(32):
                place = b * 32 + t
                late = n - place
                r = 0
                if late > 0:
                    r = 1
                    if 2 * place - 7 >= w:
                        r = 2
                r += 10 if w > 0 and t < n // w else 20
                r += 100 if place < 40 or t <= w else 200
                for k in range(t):
                    if k + place < n:
                        r += 1000
                place = place + 1
                if place < n and r > 5:
                    r = -r
                y[b, t] = r
    """
)


@pytest.mark.parametrize(("n", "w"), [(0, 0), (70, 3), (96, -7), (1000, 1), (1000, 500)])
def test_tests_that_hold_for_a_whole_phase_or_for_some_threads(n: int, w: int, agree: Agree) -> None:
    agree(TESTS, y=np.zeros((3, 32), np.int64), n=n, w=w)


def test_a_phase_stands_twice_only_for_what_a_corner_decides() -> None:
    one = kernel("""
        def k(y: Out[f64, "m", 8], x: Ref[f64, 8], n: i64):
            for b in teams(m):
                for t in threads(8):
                    y[b, t] = x[t] if {condition} else 0.0
        """.replace("{condition}", "b * 8 + t < n"))  # fmt: skip
    other = kernel("""
        def k(y: Out[f64, "m", 8], x: Ref[f64, 8], n: i64):
            for b in teams(m):
                for t in threads(8):
                    y[b, t] = x[t] if x[t] < 0.0 else 0.0
        """)
    texts = [cpu.emit_module([("k", k.proved)], threads=False).text() for k in (one, other)]
    assert ["whole." in text for text in texts] == [True, False]
