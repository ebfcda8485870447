"""Kernels and programs called like functions, and arrays that stay alive while bound."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel, LaunchError, TargetUnavailable, compile_program, targets
from kparity.compiler.frontend.language import OnlyInKernels, f64, parallel

from ..sources import kernel, program
from .test_refusals import OnGpu, checked

axpy = kernel("""
    def axpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] += a * x[i]
    """)


@pytest.mark.parametrize("call", [
    lambda y, x: axpy(y, x, 2.0), lambda y, x: axpy(y, x, a=2.0), lambda y, x: axpy(a=2.0, x=x, y=y),
])  # fmt: skip
def test_arguments_by_position_and_name(call: Any) -> None:
    y, x = np.ones(5), np.arange(5.0)
    assert call(y, x) is None
    np.testing.assert_array_equal(y, 1.0 + 2.0 * x)


@pytest.mark.parametrize(("call", "texts"), [
    (lambda y, x: axpy(y, x, 2.0, 3.0), ("`axpy` takes 3 arguments, not 4", "`y`, `x`, `a`")),
    (lambda y, x: axpy(y, x, 2.0, a=2.0), ("`axpy` got `a` by position and by name",)),
    (lambda y, x: axpy(y, x), ("`a` missing",)),
    (lambda y, x: axpy(y, x, 2.0, b=1), ("`b` unknown",)),
    (lambda y, x: axpy(), ("`y`, `x`, `a` missing",)),
])  # fmt: skip
def test_wrong_calls(call: Any, texts: tuple[str, ...]) -> None:
    y = np.ones(5)
    with pytest.raises(LaunchError) as caught:
        call(y, np.ones(5))
    checked(str(caught.value), "KP0802", *texts)
    assert y.tolist() == [1.0] * 5


def test_scalars_come_back() -> None:
    names = program("""
        @kernel
        def reduce(x: Ref[i32, "n"], total: Sum[i64], low: Min[i32]):
            for i in parallel(n):
                total += i64(x[i])
                low.update(x[i])

        @program
        def one(x: Ref[i32, "n"], total: Sum[i64], low: Min[i32]):
            reduce(x, total, low)
            low.get()

        @program
        def two(x: Ref[i32, "n"], total: Sum[i64], low: Min[i32]):
            total.fill(0)
            low.fill(5)
            reduce(x, total, low)
            total.get()
            low.get()
        """)
    x = np.arange(-3, 100, dtype=np.int32)
    made = names.function.__globals__
    assert made["one"](x, np.zeros(1, np.int64), np.zeros(1, np.int32)) == -3
    assert made["two"](x, np.ones(1, np.int64), np.zeros(1, np.int32)) == {"total": x.sum(), "low": -3}


def test_arrays_stay_alive_while_bound() -> None:
    y, x = np.zeros(1000), np.ones(1000)
    bound = compile_program(axpy, "cpu1").bind({"y": y, "x": x, "a": 1.0})
    kept = weakref.ref(x)
    del x
    gc.collect()
    assert kept() is not None
    bound.run(5)
    assert y[0] == y[-1] == 5.0
    del bound
    gc.collect()
    assert kept() is None


def test_code_stays_alive_while_bound() -> None:
    def make() -> Any:
        one = kernel('def k(y: Mut[f64, "n"]):\n    for i in parallel(n):\n        y[i] += 1.0\n')
        return compile_program(one, "cpu1", use_cache=False)

    y = np.zeros(9)
    bound = make().bind({"y": y})
    gc.collect()
    bound.run(2)
    assert y.tolist() == [2.0] * 9


def test_repetitions() -> None:
    y = np.zeros(3)
    bound = compile_program(axpy, "cpu1").bind({"y": y, "x": np.ones(3), "a": 1.0})
    bound.run(0)
    assert y[0] == 0.0
    bound.run(7, first=100, stream=0, bring_back=False)
    assert y[0] == 7.0
    assert bound.results() == {}


@pytest.mark.skipif(targets()["cuda"] is None, reason="there is a GPU")
def test_without_a_gpu_the_reason_is_given() -> None:
    with pytest.raises(TargetUnavailable, match=r"target `cuda`"):
        axpy(OnGpu(), OnGpu(), 1.0)


def test_an_unknown_target() -> None:
    with pytest.raises(TargetUnavailable, match="unknown target `gpu`: choose one of cpu1, cpu, cuda"):
        compile_program(axpy, "gpu")


def test_names_of_the_language_do_nothing_outside() -> None:
    for use in (lambda: parallel(3), lambda: f64(1.0), lambda: list(parallel)):
        with pytest.raises(OnlyInKernels, match="inside a function under @kernel"):
            use()


def test_nothing_is_compiled_before_the_first_use() -> None:
    one = kernel('def k(y: Mut[f64, "n"]):\n    for i in parallel(n):\n        y[i] = nonsense\n')
    assert isinstance(one, Kernel) and not {"typed", "proved", "syntax"} & vars(one).keys()
