"""Reducers over a user's struct: every target as the interpreter has it, the same bits on each run, delivered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kparity.compiler import KparityError, LaunchError, Program, compile_program

from ..conftest import execute
from ..interpreter import interpret
from ..sources import last, module
from .struct_cases import BOUNDS

MOMENTS = """
    @struct
    class Moments:
        n: f64
        mean: f64
        m2: f64

    @device
    def merge(a: Moments, b: Moments):
        n = a.n + b.n
        d = b.mean - a.mean
        share = b.n / n if n > 0.0 else 0.0
        return Moments(n, a.mean + d * share, a.m2 + b.m2 + d * d * a.n * share)

    @kernel
    def moments(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0, 0.0)]):
        for i in parallel(n):
            r.update(Moments(1, x[i], 0))

    @kernel
    def standardise(y: Out[f64, "n"], x: Ref[f64, "n"], r: Ref[f64, 3]):
        for i in parallel(n):
            y[i] = (x[i] - r[1]) / sqrt(r[2] / r[0])

    @program
    def whole(y: Out[f64, "n"], x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0, 0.0, 0.0)]):
        r.fill()
        moments(x, r)
        standardise(y, x, r)
        r.get()
    """
BEST = """
    @struct
    class Best:
        key: i64
        place: i64
        payload: f64

    @device
    def better(a: Best, b: Best):
        return a if a.key > b.key or (a.key == b.key and a.place < b.place) else b

    @kernel
    def best(x: Ref[i64, "n", "m"], r: Reduce[Best, better, Best(-9223372036854775808, 9223372036854775807, 0.0)]):
        for i, j in parallel(n, m):
            if x[i, j] % 3 != 0:
                r.update(Best(x[i, j], i * 1000 + j, sqrt(f64(j))))
    """
TEAMS = """
    @kernel
    def of_teams(x: Ref[f64, "n"], r: Reduce[Bounds, widen, Bounds(1e300, 0, -1e30, 0)]):
        for b in teams(ceildiv(n, 64)):
            s = shared(f64, 64)
            for t in threads(64):
                s[t] = x[b * 64 + t] if b * 64 + t < n else 0.0
            for t in threads(64):
                if b * 64 + t < n:
                    r.update(Bounds(s[63 - t], 1, f32(s[t]), u64(t)))
    """


def named(text: str, name: str) -> tuple[Any, type]:
    """A kernel or program of a module's text, and the module's struct."""
    found = module(text)
    struct = next(v for v in found.values() if hasattr(v, "__kparity_struct__") and isinstance(v, type))
    return found[name], struct


@pytest.mark.parametrize("n", [0, 1, 33, 700, 40_000])
def test_fields_of_several_types(n: int, agree: Any) -> None:
    one, struct = named(BOUNDS, "bounds")
    held = np.zeros(1, struct)
    held[0] = (3.0, 7, 2.5, 12)
    agree(one, x=np.random.default_rng(n).integers(-1000, 1000, n).astype(float), r=held)


def test_one_of_two_with_ties(agree: Any) -> None:
    one, struct = named(BEST, "best")
    held = np.array([(-5, 3, 1.0)], struct.dtype)  # type: ignore[attr-defined]
    found = agree(one, x=np.random.default_rng(2).integers(-50, 50, (37, 41)), r=held)
    assert found["r"]["key"][0] == 49


def test_contributions_of_teams(agree: Any) -> None:
    one, struct = named(BOUNDS + TEAMS, "of_teams")
    agree(one, x=np.random.default_rng(3).integers(-1000, 1000, 777).astype(float), r=np.zeros(1, struct))


def test_a_program_fills_and_adds_up(agree: Any) -> None:
    one, struct = named(BOUNDS, "repetition")
    agree(one, x=np.arange(-20.0, 100.0), r=np.ones(1, struct))


def test_a_later_kernel_reads_equal_fields_as_an_array(target: str) -> None:
    one, struct = named(MOMENTS, "whole")
    x = np.random.default_rng(4).normal(3.0, 2.0, 10_007)
    arguments = {"y": np.zeros_like(x), "x": x, "r": np.ones(1, struct)}
    found = execute(one, target, arguments)
    again = execute(one, target, arguments)
    assert found["r"].tobytes() == again["r"].tobytes()
    np.testing.assert_allclose(found["r"][0].tolist(), [len(x), x.mean(), x.var() * len(x)], rtol=1e-12)
    np.testing.assert_allclose(found["y"], (x - x.mean()) / x.std(), rtol=1e-10, atol=1e-12)
    wanted = interpret(one, arguments)
    np.testing.assert_allclose(found["y"], wanted["y"], rtol=1e-10, atol=1e-12)


def test_what_comes_back_has_the_fields_names() -> None:
    one, struct = named(MOMENTS, "whole")
    x = np.array([1.0, 2.0, 3.0, 6.0])
    back = one(np.zeros(4), x, np.zeros(1, struct))
    assert type(back).__name__ == "Moments"
    assert (back.n, back.mean, back.m2) == (4.0, 3.0, 14.0)


def test_the_c_header_declares_the_struct() -> None:
    one, _ = named(BOUNDS, "bounds")
    header = compile_program(one, "cpu1").manifest.header()
    assert "typedef struct { double low; int32_t count; float high; uint64_t odd; } Bounds;" in header
    assert "  Bounds *r;" in header
    assert 'offsetof(Bounds, odd) == 16, "r.odd' in header


def test_memory_of_another_shape_is_refused() -> None:
    one, struct = named(MOMENTS, "moments")
    x = np.ones(4)
    for wrong in (np.zeros(3), np.zeros(1, "i8,f8,f8")):
        with pytest.raises(
            LaunchError, match=r"needs the fields of `Moments` in 24 bytes(.|\n)*numpy\.zeros\(1, Moments\)"
        ):
            one(x, wrong)
    with pytest.raises(LaunchError, match="KP0805"):
        one(x, np.zeros(2, struct))


def test_another_floating_point_type() -> None:
    one, _ = named(MOMENTS, "whole")
    with pytest.raises(KparityError, match="struct `Moments` has fields of the type that is replaced"):
        assert one.with_types(f64=module("pass")["f32"]).typed_program


def test_the_same_operation_under_two_programs_is_one() -> None:
    around = module(MOMENTS)
    text = """
        @program
        def other(x: Ref[f64, "n"], r: Reduce[Moments, merge, Moments(0.0, 0.0, m2=0.0)]):
            moments(x, r)
        """
    one = last(module(text, **around), around)
    assert isinstance(one, Program)
    assert one.typed_program.statements
