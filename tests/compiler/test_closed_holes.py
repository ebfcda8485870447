"""Holes that a review found in the whole of compiler and launcher: each stays closed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from kparity.compiler import CompileError, KparityError, LaunchError, compile_program, i64
from kparity.compiler.runtime import cache

from .sources import faults, kernel, program

COPY = """
@kernel
def copy(y: Mut[f64, "n"], x: Ref[f64, "n"]):
    for i in parallel(n):
        y[i] = x[i]

@kernel
def write(y: Out[f64, "n"]):
    for i in parallel(n):
        y[i] = 1.0

@kernel
def scale(y: Mut[f64, "n"], a: f64):
    for i in parallel(n):
        y[i] *= a

@kernel
def add(x: Ref[f64, "n"], total: Sum[f64]):
    for i in parallel(n):
        total += x[i]
"""


def refused(one: Any) -> list[str]:
    return [code for code, _ in faults(one)]


def codes(one: Any) -> list[str]:
    with pytest.raises(CompileError) as caught:
        compile_program(one, "cpu1")
    return [d.code for d in caught.value.diagnostics]


@pytest.mark.parametrize("name", [f"_opaque{number}" for number in range(6)])
def test_no_name_of_the_users_is_one_of_the_solvers(name: str) -> None:
    """The product has a name of the solver's; a scalar of that name gave `x[a * a]` the guard of `x[a]`."""
    one = kernel(f"""
        def one(x: Mut[f64, "n"], {name}: i64):
            for i in parallel(1):
                x[{name} * {name}] = 1.0
        """)
    x = np.zeros(5)
    one(x, -2)
    assert x.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
    with pytest.raises(LaunchError, match=rf"{name}\*{name}.* must be < n"):
        one(x, 3)


def test_an_out_of_a_program_is_written_before_it_is_read() -> None:
    read = program(f"""{COPY}
@program
def one(x: Out[f64, "n"], y: Mut[f64, "n"]):
    copy(y, x)
""")
    unwritten = program(f"""{COPY}
@program
def one(x: Out[f64, "n"], y: Out[f64, "n"]):
    write(y)
""")
    written = program(f"""{COPY}
@program
def one(x: Out[f64, "n"], y: Mut[f64, "n"]):
    write(x)
    copy(y, x)
""")
    assert refused(read) == ["KP0502"]
    assert refused(unwritten) == ["KP0503"]
    assert refused(written) == []


def test_borrows_are_of_the_whole_program() -> None:
    """A launch may read what the program never writes while the one in front still runs, so it must not be aliased."""
    one = program(f"""{COPY}
@program
def one(w: Mut[f64, "n"], a: f64, x: Ref[f64, "n"], total: Sum[f64]):
    scale(w, a)
    add(x, total)
""")
    shared = np.ones(8)
    with pytest.raises(LaunchError, match="KP0803"):
        compile_program(one, "cpu1").bind({"w": shared, "a": 2.0, "x": shared, "total": np.zeros(1)})
    assert shared.tolist() == [1.0] * 8


def test_an_array_element_is_no_scalar_of_a_call() -> None:
    one = program(f"""{COPY}
@program
def one(y: Mut[f64, "n"]):
    scale(y, y[0])
""")
    assert refused(one) == ["KP0702"]


@pytest.mark.parametrize("name", ["min", "max", "inf", "nan", "int", "float", "wrap"])
def test_scalars_may_be_called_like_the_launchers_own_functions(name: str) -> None:
    one = kernel(f"""
        def one(low: Min[f64], {name}: f64, n: i64):
            for i in parallel(n):
                low.update({name} + f64(i))
        """)
    held = np.array([np.inf])
    compile_program(one, "cpu1").bind({"low": held, name: 5.0, "n": 3}).run()
    assert held[0] == 5.0


@pytest.mark.parametrize("name", ["results", "_kp"])
def test_names_that_the_argument_block_needs_are_refused(name: str) -> None:
    one = kernel(f"""
        def one(x: Mut[f64, "n"], {name}: f64):
            for i in parallel(n):
                x[i] = {name}
        """)
    assert refused(one) == ["KP0105"]


def test_the_number_of_threads_does_not_wrap() -> None:
    one = kernel("""
        def one(total: Sum[f64], a: i64):
            for i, j, k in parallel(a, a, 1):
                total += 1.0
        """)
    for target in ("cpu1", "cpu"):
        with pytest.raises(LaunchError, match="KP0801"):
            compile_program(one, target).bind({"total": np.zeros(1), "a": i64_of(2**32)})


def i64_of(value: int) -> int:
    assert i64.scalar.lowest <= value <= i64.scalar.highest
    return value


def test_more_threads_than_the_stack_has_room_for() -> None:
    """The runtime promises 200,000 threads and starts two: accumulators are only for those that can be."""
    script = """
import numpy as np
from kparity.compiler import compile_program
from kparity.suites import entries
x = np.ones(1000)
total = np.zeros(1)
compile_program(entries("rajaperf")["DOT"].spec.program, "cpu").bind({"a": x, "b": x, "total": total}).run()
print(total[0])
"""
    environment = {"OMP_NUM_THREADS": "200000", "OMP_THREAD_LIMIT": "2", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split()[-1] == "1000.0"


def test_kernels_may_name_each_other() -> None:
    both = program("""
@kernel
def first(y: Mut[f64, "n"]):
    '''Runs before second.'''
    for i in parallel(n):
        y[i] = 1.0

@kernel
def second(y: Mut[f64, "n"]):
    '''Runs after first.'''
    for i in parallel(n):
        y[i] += 1.0

@program
def one(y: Mut[f64, "n"]):
    first(y)
    second(y)
""")
    assert len(cache.key(both, "cpu1")) == 64


def test_a_refused_kernel_is_one_of_kparitys_errors() -> None:
    one = kernel("""
        def one(x: Mut[f64, "n"]):
            for i in parallel(n):
                x[i + 1] = 1.0
        """)
    with pytest.raises(KparityError):
        compile_program(one, "cpu1")
