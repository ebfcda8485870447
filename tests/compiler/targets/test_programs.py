"""Host programs on every target: loops, conditions, the number of the repetition, swaps, `fill` and `get`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kparity.compiler import LaunchError, compile_program

from ..conftest import execute
from ..interpreter import interpret
from ..sources import program

KERNELS = """
@kernel
def scale(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64, k: i64):
    for i in parallel(n):
        y[i] = a * x[i] + k

@kernel
def pick(y: Mut[f64, "n"], table: Ref[f64, "m"], t: i64):
    for i in parallel(n):
        y[i] += table[t]

@kernel
def begin(y: Mut[f64, "n"], count: i64):
    for i in parallel(count):
        y[i] += 1.0

@kernel
def init(y: Out[f64, "n"]):
    for i in parallel(n):
        y[i] = 2.0

@kernel
def add(x: Ref[f64, "n"], total: Sum[f64]):
    for i in parallel(n):
        total += x[i]

@kernel
def divide(x: Mut[f64, "n"], total: Ref[f64, 1]):
    for i in parallel(n):
        x[i] = x[i] / total[0]

@kernel
def extremes(x: Ref[f64, "n"], low: MinLoc[f64], high: Max[i64]):
    for i in parallel(n):
        low.update(x[i], i)
        high.update(i64(x[i]))

@kernel
def count(c: Atomic[i64, 1], x: Ref[f64, "n"]):
    for i in parallel(n):
        if x[i] > 0.0:
            c[0] += 1
"""
Repeat = Callable[..., dict[str, Any]]


def written(text: str) -> Any:
    return program(f"{KERNELS}\n@program\n{text}")


@pytest.fixture(
    params=[
        "cpu1",
        "cpu",
        pytest.param("cuda", marks=pytest.mark.cuda),
        pytest.param("emulated", marks=pytest.mark.toolchain),
    ]
)
def repeat(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Repeat:
    """`repeat(program, repetitions, a=array, ...)`: runs it, and compares every bit with the interpreter."""
    target = request.param
    gpu = request.getfixturevalue("gpu") if target == "emulated" else None

    def run(one: Any, repetitions: int = 1, **arguments: Any) -> dict[str, Any]:
        wanted = arguments
        for r in range(repetitions):
            wanted = interpret(one, wanted, r)
        found = gpu.run(one, arguments, repetitions) if gpu else execute(one, target, arguments, repetitions)
        for name, value in wanted.items():
            if isinstance(value, np.ndarray):
                for part in value.dtype.names or [...]:
                    np.testing.assert_array_equal(found[name][part], value[part], err_msg=f"{name} on {target}")
        return found

    return run


def test_a_loop_passes_its_index(repeat: Repeat) -> None:
    one = written("""def p(y: Mut[f64, "n"], x: Ref[f64, "n"], m: i64):
    for k in range(1, m, 2):
        for l in range(3, k, -1):
            scale(y, x, 0.5 * k, k * 10 + l)
        begin(y, min(k, n))
    """)
    for m in (-1, 0, 1, 2, 9):
        repeat(one, y=np.ones(70), x=np.arange(70.0), m=m)


def test_conditions(repeat: Repeat) -> None:
    one = written("""def p(y: Mut[f64, "n"], x: Ref[f64, "n"], m: i64, a: f64):
    for k in range(4):
        if k % 2 == 0 and m > k:
            scale(y, x, a, k)
        elif a > 2.0:
            begin(y, n)
        else:
            pass
    if n > 40:
        begin(y, 40)
    """)
    for m, a, n in ((0, 1.0, 10), (3, 1.0, 41), (3, 3.0, 40), (9, 3.0, 300)):
        repeat(one, y=np.zeros(n), x=np.arange(n) * 0.5, m=m, a=a)


TABLE = """def p(y: Mut[f64, "n"], table: Ref[f64, "m"], s: i64):
    pick(y, table, {})
    """


@pytest.mark.parametrize(
    "number", ["repetition() % 5", "(3 * repetition() + s) % 5", "repetition() // 2", "repetition()"]
)
def test_the_number_of_the_repetition(number: str, repeat: Repeat) -> None:
    repeat(written(TABLE.format(number)), 9, y=np.zeros(33), table=np.arange(1.0, 10.0) ** 2, s=1)


@pytest.mark.parametrize(("number", "period"), [
    ("s", 1), ("repetition() % 6", 6), ("repetition() % 6 + repetition() % 4", 12), ("(2 * repetition() - s) % 7", 7),
    ("repetition()", 0), ("repetition() // 2 % 3", 0), ("repetition() % 9 % 6", 9), ("repetition() % 100000", 0),
    ("(i64(i32(repetition())) * 3) % 4", 0), ("s % repetition()", 0), ("3 - s % 2", 1),
])  # fmt: skip
def test_the_period_of_a_program(number: str, period: int) -> None:
    assert compile_program(written(TABLE.format(number)), "cpu1").executable.plan.period == period  # type: ignore[attr-defined]


def test_repetitions_go_on_from_run_to_run(target: str) -> None:
    for number in ("repetition() % 4", "repetition()"):
        one = written(TABLE.format(number))
        y, table = np.zeros(3), np.arange(20.0)
        if target == "cuda":
            pytest.skip("host arrays")
        bound = compile_program(one, target).bind({"y": y, "table": table, "s": 0})
        first = 0
        for repetitions in (3, 2, 0, 1):
            bound.run(repetitions, first=first)
            first += repetitions
        bound.run(2, first=1)
        wanted = [table[r % 4 if "%" in number else r] for r in [*range(6), 1, 2]]
        assert (y == sum(wanted)).all()


def test_a_guard_is_evaluated_for_every_iteration(target: str) -> None:
    one = written("""def p(y: Mut[f64, "n"], table: Ref[f64, "m"], last: i64):
    for k in range(last):
        pick(y, table, k)
    """)
    bind = compile_program(one, "cpu1" if target == "cuda" else target).bind
    bind({"y": np.zeros(3), "table": np.zeros(4), "last": 4}).run()
    y = np.zeros(3)
    with pytest.raises(LaunchError, match=r"KP0801.*`pick`") as error:
        bind({"y": y, "table": np.ones(4), "last": 5})
    assert "t = 4" in str(error.value) and not y.any()


def test_a_guard_is_evaluated_for_every_repetition(target: str) -> None:
    bind = compile_program(written(TABLE.format("repetition()")), "cpu1" if target == "cuda" else target).bind
    y = np.zeros(3)
    bound = bind({"y": y, "table": np.ones(4), "s": 0})
    bound.run(4)
    with pytest.raises(LaunchError, match="KP0801"):
        bound.run(2, first=3)
    assert (y == 4).all(), "nothing of the refused run was launched"
    with pytest.raises(LaunchError, match="KP0801"):  # of a known period: before the first run
        compile_program(written(TABLE.format("repetition() % 5")), "cpu1").bind({"y": y, "table": np.ones(4), "s": 0})


def test_swaps(repeat: Repeat) -> None:
    one = written("""def p(a: Mut[f64, "n"], b: Mut[f64, "n"], c: Mut[f64, "n"], steps: i64):
    for k in range(steps):
        scale(b, a, 2.0, k)
        a, b = b, a
    if steps > 2:
        a, b, c = c, a, b
        a.fill(9.0)
    begin(c, n)
    """)
    for steps in range(5):
        for repetitions in (1, 2, 3):
            repeat(one, repetitions, a=np.arange(40.0), b=np.zeros(40), c=np.ones(40), steps=steps)


def test_a_repetition_begins_with_the_arrays_as_passed(repeat: Repeat) -> None:
    one = written("""def p(a: Mut[f64, "n"], b: Mut[f64, "n"]):
    a, b = b, a
    begin(a, n)
    """)
    found = repeat(one, 3, a=np.zeros(5), b=np.zeros(5))
    assert not found["a"].any() and (found["b"] == 3).all()


def test_swapped_arrays_must_not_overlap(target: str) -> None:
    one = written("""def p(a: Mut[f64, "n"], b: Mut[f64, "n"], x: Ref[f64, "n"]):
    scale(a, x, 1.0, 0)
    a, b = b, a
    """)
    memory = np.zeros(12)
    with pytest.raises(LaunchError, match=r"`b`.*`x`"):
        compile_program(one, "cpu1" if target == "cuda" else target).bind(
            {"a": memory[:5], "b": memory[6:11], "x": memory[6:11]}
        )


def test_an_array_is_filled(repeat: Repeat) -> None:
    one = program("""
        @program
        def p(a: Mut[f64, "n", "m"], b: Out[i32, "2..n"], c: Mut[u64, 3, 2, 2, 2], v: f64):
            a.fill(v + 1.0)
            b.fill(-7)
            for k in range(2):
                c.fill(u64(k) + 5)
        """)
    repeat(one, a=np.zeros((6, 50)), b=np.zeros(4, np.int32), c=np.zeros((3, 2, 2, 2), np.uint64), v=-0.25)
    repeat(one, a=np.zeros((2, 0)), b=np.zeros(0, np.int32), c=np.zeros((3, 2, 2, 2), np.uint64), v=1.0)


def test_out_is_written_before_the_launch_counts(target: str) -> None:
    one = written("""def p(y: Out[f64, "n"], m: i64):
    for k in range(m):
        init(y)
    """)
    bind = compile_program(one, "cpu1" if target == "cuda" else target).bind
    bind({"y": np.zeros(3), "m": 1})
    bind({"y": np.zeros(0), "m": 0})
    with pytest.raises(LaunchError, match=r"KP0801.*no call of `p` writes `y`"):
        bind({"y": np.zeros(3), "m": 0})


def test_a_reducer_is_read_by_a_later_kernel(repeat: Repeat) -> None:
    one = written("""def p(x: Mut[f64, "n"], total: Sum[f64]):
    total.fill(0.0)
    add(x, total)
    divide(x, total)
    total.fill(1.0)
    divide(x, total)
    total.get()
    """)
    found = repeat(one, x=np.resize([1.0, 3.0, 4.0], 512), total=np.array([7.0]))
    assert found["total"][0] == 1.0
    assert found.get("results", {"total": 1.0}) == {"total": 1.0}


def test_reducers_in_loops(repeat: Repeat) -> None:
    one = written("""def p(x: Ref[f64, "n"], total: Sum[f64], m: i64):
    total.fill(2.0)
    for k in range(m):
        add(x, total)
        if k == 1:
            total.fill(0.5)
    total.get()
    """)
    for m in (0, 1, 2, 3):
        found = repeat(one, 2, x=np.arange(600.0), total=np.array([7.0]), m=m)
        if "results" in found:
            assert found["results"] == {"total": found["total"][0]}


def test_an_array_of_one_element_comes_back(repeat: Repeat) -> None:
    one = written("""def p(c: Mut[i64, 1], z: Mut[f64, 1], x: Ref[f64, "n"]):
    c.fill(5)
    count(c, x)
    z.fill(-0.0)
    z.get()
    c.get()
    """)
    x = np.random.default_rng(3).integers(-3, 3, 700) * 1.0
    found = repeat(one, 2, c=np.zeros(1, np.int64), z=np.ones(1), x=x)
    if "results" in found:
        assert list(found["results"].items()) == [("z", 0.0), ("c", 5 + (x > 0).sum())]
        assert np.signbit(found["results"]["z"])


def test_a_loop_that_never_ends_is_refused(target: str) -> None:
    one = written("""def p(y: Mut[f64, "n"], m: i64):
    for k in range(m):
        if k < 0:
            begin(y, n)
    """)
    with pytest.raises(LaunchError, match=r"KP0801.*more than 1048576 launches"):
        compile_program(one, "cpu1" if target == "cuda" else target).bind({"y": np.zeros(3), "m": 2**60})
