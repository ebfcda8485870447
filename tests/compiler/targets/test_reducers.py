"""Every reducer: types, ties, NaN, what the buffer held, no threads, more threads than rows."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from kparity.compiler import compile_program
from kparity.compiler.ir.types import SCALARS
from kparity.compiler.runtime.engine import openmp_runtime

from ..conftest import execute
from ..interpreter import NUMPY, interpret
from ..sources import kernel, program

TYPES = ["f64", "f32", "i64", "i32", "u64", "u32"]
START = {"Sum": 5, "Prod": 3, "Min": 4, "Max": 2, "And": 7, "Or": 8, "MinLoc": 4, "MaxLoc": 2}


def located(value: str, *pairs: tuple[float, int]) -> np.ndarray[Any, Any]:
    return np.array(list(pairs), np.dtype([("value", NUMPY[value]), ("location", np.int64)], align=True))


@cache
def reducing(name: str, types: tuple[str, ...], filled: str = "") -> Any:
    """A program that reduces `x_f64` into `r_f64`, and so on for each type, after filling if a value is given."""
    location = ", i" if name.endswith("Loc") else ""
    parameters = ", ".join(f'x_{t}: Ref[{t}, "n"], r_{t}: {name}[{t}]' for t in types)
    arguments = ", ".join(f"x_{t}, r_{t}" for t in types)
    lines = ["@kernel", f"def reduce({parameters}):", "    for i in parallel(n):"]
    lines += [f"        r_{t}.update(x_{t}[i]{location})" for t in types]
    lines += ["@program", f"def repetition({parameters}):", *(f"    r_{t}.fill({filled})" for t in types if filled)]
    return program("\n".join([*lines, f"    reduce({arguments})"]))


def given(name: str, types: Sequence[str], x: Callable[[str], Any], start: Callable[[str], Any]) -> dict[str, Any]:
    """Arguments of such a program: `start` is a value, or a value and its location."""
    found: dict[str, Any] = {}
    for t in types:
        found[f"x_{t}"] = np.asarray(x(t), NUMPY[t])
        found[f"r_{t}"] = located(t, start(t)) if name.endswith("Loc") else np.array([start(t)], NUMPY[t])
    return found


def types_of(name: str) -> tuple[str, ...]:
    return tuple(t for t in TYPES if name not in ("And", "Or") or not t.startswith("f"))


def data(name: str, type_: str, n: int) -> np.ndarray[Any, Any]:
    """Values whose reductions are exact in any order, with ties."""
    rng = np.random.default_rng(n)
    if name == "Prod":
        signs = rng.choice([1, 2] if type_.startswith("u") else [1, -1], n)
        return (signs if type_ not in ("f64", "f32") else rng.choice([0.5, 2.0, -1.0], n)).astype(NUMPY[type_])
    low = 0 if type_.startswith("u") else -50
    return rng.integers(low, 50, n).astype(NUMPY[type_])


def beginning(name: str) -> Any:
    return (START[name], 17) if name.endswith("Loc") else START[name]


@pytest.mark.parametrize("name", START)
def test_reductions(name: str, agree: Any) -> None:
    types = types_of(name)
    for n in (0, 1, 2, 33, 700):
        agree(reducing(name, types), **given(name, types, lambda t, n=n: data(name, t, n), lambda t: beginning(name)))


@pytest.mark.parametrize("name", START)
def test_a_fill_replaces_what_the_buffer_held(name: str, agree: Any) -> None:
    types = types_of(name)
    for n in (0, 40):
        arguments = given(
            name, types, lambda t, n=n: data(name, t, n), lambda t: (100, 3) if name.endswith("Loc") else 100
        )
        agree(reducing(name, types, filled="6"), **arguments)


@pytest.mark.parametrize("fill", ["math.inf", "-math.inf", "1e300", "0.0"])
def test_fills_of_floats(fill: str, agree: Any) -> None:
    one = program(f"""
        import math

        @kernel
        def reduce(x: Ref[f64, "n"], r: Min[f64], s: Max[f64]):
            for i in parallel(n):
                r.update(x[i])
                s.update(x[i])

        @program
        def repetition(x: Ref[f64, "n"], r: Min[f64], s: Max[f64]):
            r.fill({fill})
            s.fill({fill})
            reduce(x, r, s)
        """)
    agree(one, x=np.array([3.0, -4.0]), r=np.zeros(1), s=np.zeros(1))


@pytest.mark.parametrize("name", ["Sum", "Prod", "Min", "Max", "MinLoc", "MaxLoc"])
def test_nan_propagates(name: str, agree: Any) -> None:
    """And the lowest index of a NaN is the location."""

    def x(type_: str) -> np.ndarray[Any, Any]:
        values = data(name, type_, 700)
        values[[3, 300, 699]] = math.nan
        return values

    floats = ("f64", "f32")
    found = agree(reducing(name, floats), **given(name, floats, x, lambda t: beginning(name)))
    for t in floats:
        if name.endswith("Loc"):
            assert math.isnan(found[f"r_{t}"]["value"][0]) and found[f"r_{t}"]["location"][0] == 3
        else:
            assert math.isnan(found[f"r_{t}"][0])


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
@pytest.mark.parametrize("place", [0, 37, 699])
def test_the_better_zero_wins_wherever_it_comes(place: int, target: str) -> None:
    """-0.0 is below 0.0, also where vectors compare as if they were one."""
    floats = ("f64", "f32")
    for name, better, other in (("Min", -0.0, 0.0), ("Max", 0.0, -0.0)):

        def x(type_: str, better: float = better, other: float = other) -> np.ndarray[Any, Any]:
            values = np.full(700, other, NUMPY[type_])
            values[place] = better
            return values

        arguments = given(name, floats, x, lambda t, other=other: other)
        found = execute(reducing(name, floats), target, arguments)
        for t in floats:
            assert found[f"r_{t}"][0] == 0.0 and np.signbit(found[f"r_{t}"][0]) == np.signbit(better)


@pytest.mark.parametrize("name", ["MinLoc", "MaxLoc"])
def test_locations_that_fall_while_the_threads_rise(name: str, agree: Any) -> None:
    """Of equal values, the last thread's location is the lowest."""
    k = kernel(f"""
        def k(x: Ref[f64, "n"], r: {name}[f64]):
            for i in parallel(n):
                r.update(x[i], n - i)
        """)
    for values in (np.full(500, 3.0), np.arange(500.0) % 7, np.where(np.arange(500) == 250, math.nan, 1.0)):
        agree(k, x=values, r=located("f64", (3.0, 90)))


@pytest.mark.parametrize("name", ["MinLoc", "MaxLoc"])
def test_ties_go_to_the_lowest_index(name: str, run: Any) -> None:
    one = reducing(name, tuple(TYPES))
    for n, wanted in ((2000, 0), (0, 1999)):
        found = run(one, **given(name, TYPES, lambda t, n=n: np.full(n, 7), lambda t: (7, 1999)))
        assert {(found[f"r_{t}"]["value"][0], found[f"r_{t}"]["location"][0]) for t in TYPES} == {(7, wanted)}


@pytest.mark.parametrize("name", ["MinLoc", "MaxLoc", "Min", "Max"])
def test_the_worst_values_count_too(name: str, agree: Any) -> None:
    """A contribution equal to the identity is a contribution: it has a location."""

    def worst(type_: str) -> float:
        scalar = SCALARS[type_]
        low, high = (-math.inf, math.inf) if scalar.is_float else (scalar.lowest, scalar.highest)
        return high if name.startswith("Min") else low

    def start(type_: str) -> Any:
        return (worst(type_), 2**63 - 1) if name.endswith("Loc") else worst(type_)

    found = agree(reducing(name, tuple(TYPES)), **given(name, TYPES, lambda t: np.full(50, worst(t), NUMPY[t]), start))
    if name.endswith("Loc"):
        assert [found[f"r_{t}"]["location"][0] for t in TYPES] == [0] * len(TYPES)


def test_integer_sums_wrap(agree: Any) -> None:
    types = ("i32", "u32", "i64", "u64")
    agree(
        reducing("Sum", types),
        **given("Sum", types, lambda t: np.full(1000, SCALARS[t].highest, NUMPY[t]), lambda t: 3),
    )


def test_several_reducers_and_an_array(agree: Any) -> None:
    k = kernel("""
        def k(y: Out[f64, "n", "m"], x: Ref[f64, "n", "m"], s: Sum[f64], c: Sum[i64], low: MinLoc[f64], bits: Or[u32]):
            require(n <= 1000 and m <= 1000)
            for i, j in parallel(n, m):
                y[i, j] = 2.0 * x[i, j]
                if x[i, j] > 0.0:
                    s += x[i, j]
                    c += 1
                    bits.update(u32(1) << u32(j))
                for l in range(2):
                    low.update(x[i, j] * l, i * m + j)
        """)
    x = np.random.default_rng(4).integers(-9, 9, (41, 13)) * 0.5
    agree(
        k, y=np.zeros_like(x), x=x, s=np.array([0.5]), c=np.array([1]), low=located("f64", (99.0, 5)),
        bits=np.zeros(1, np.uint32),
    )  # fmt: skip


def test_scalars_come_back(target: str) -> None:
    one = program("""
        @kernel
        def reduce(x: Ref[i32, "n"], total: Sum[i64], low: Min[i32], high: Max[i32]):
            for i in parallel(n):
                total += i64(x[i])
                low.update(x[i])
                high.update(x[i])

        @program
        def repetition(x: Ref[i32, "n"], total: Sum[i64], low: Min[i32], high: Max[i32]):
            total.fill(0)
            high.fill(-2147483648)
            reduce(x, total, low, high)
            high.get()
            total.get()
        """)
    x = np.arange(-7, 1000, dtype=np.int32)
    arguments = {"x": x, "total": np.ones(1, np.int64), "low": np.zeros(1, np.int32), "high": np.zeros(1, np.int32)}
    after = execute(one, target, arguments, repetitions=3)
    assert (after["total"][0], after["low"][0], after["high"][0]) == (x.sum(), -7, 999)
    if target != "cuda":
        bound = compile_program(one, target).bind(arguments)
        bound.run()
        assert bound.results() == {"high": 999, "total": x.sum()}
        assert list(bound.results()) == ["high", "total"]


def test_repetitions_accumulate(target: str) -> None:
    found = execute(reducing("Sum", ("f64",)), target, {"x_f64": np.ones(100), "r_f64": np.ones(1)}, repetitions=4)
    assert found["r_f64"][0] == 401.0


@pytest.fixture
def many_threads() -> Iterator[int]:
    """Ask for more threads than there are rows, and processors."""
    openmp = openmp_runtime()
    openmp.omp_get_max_threads.restype = ctypes.c_int
    before = openmp.omp_get_max_threads()
    openmp.omp_set_num_threads(13)
    yield 13
    openmp.omp_set_num_threads(before)


@pytest.mark.parametrize("rows", [0, 1, 5, 12, 13, 14, 40])
def test_more_threads_than_rows(rows: int, many_threads: int) -> None:
    k = kernel("""
        def k(a: Mut[i64, "n", "m"], total: Sum[i64], best: MaxLoc[i64]):
            require(n <= 1000 and m <= 1000)
            for i, j in parallel(n, m):
                a[i, j] += 1
                total += a[i, j]
                best.update(a[i, j], i * m + j)
        """)
    arguments = {
        "a": np.random.default_rng(rows).integers(0, 99, (rows, 3)), "total": np.array([1]),
        "best": located("i64", (-1, -1)),
    }  # fmt: skip
    found, wanted = execute(k, "cpu", arguments), interpret(k, arguments)
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name], value)


def test_a_sum_is_the_same_each_time(many_threads: int) -> None:
    x = np.random.default_rng(5).random(10_007)
    one = reducing("Sum", ("f64",))
    sums = {execute(one, "cpu", {"x_f64": x, "r_f64": np.zeros(1)})["r_f64"][0] for _ in range(5)}
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(math.fsum(x), rel=1e-13)
