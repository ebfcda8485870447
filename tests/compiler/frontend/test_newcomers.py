"""What a newcomer from NumPy, CUDA, Numba or Python writes: one message each, at its place, with what to write."""

from __future__ import annotations

import cmath
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kparity.compiler import CompileError, Diagnostic, Kernel, KparityError, LaunchError
from kparity.compiler import kernel as decorate

from ..sources import kernel, marked, program

HEAD = 'def k(y: Mut[f64, "n"], x: Ref[f64, "n"], z: Ref[f64, "n", "m"], s: f64, total: Sum[f64], top: Max[f64]):'
AROUND = {
    "np": np, "math": math, "cmath": cmath, "cuda": SimpleNamespace(), "history": [], "params": {"a": 1.0},
    "big": np.zeros(100_000), "helper": lambda v: v + 1.0,
}  # fmt: skip


def only_fault(one: Kernel) -> Diagnostic:
    """The one diagnostic of a kernel: what follows from the mistake is not reported beside it."""
    with pytest.raises(CompileError) as raised:
        assert one.proved
    assert len(raised.value.diagnostics) == 1, [f"{d.code} {d.message}" for d in raised.value.diagnostics]
    return raised.value.diagnostics[0]


def check(one: Kernel, code: str, text: str, advice: str) -> None:
    found = only_fault(one)
    assert (found.code, marked(found)) == (code, text), found.message
    assert advice in " ".join(found.helps), found.helps


@pytest.mark.parametrize(("statement", "code", "text", "advice"), [
    # plain Python
    ("print(x[i])", "KP0101", "print(x[i])", "print that on the host"),
    ("t = [x[i] * k for k in range(4)]", "KP0102", "[x[i] * k for k in range(4)]", "local(f64, 8"),
    ("t = [0.0] * 4", "KP0102", "[0.0]", "local(f64, 8"),
    ("y[i] = sum(v for v in x)", "KP0103", "sum", "for j in range(n): t += x[j]"),
    ("y[i] = max(x)", "KP0204", "max(x)", "m = max(m, x[j])"),
    ("y[i] = len(x)", "KP0103", "len", "write `n`"),
    ("f = lambda v: v * v; y[i] = f(x[i])", "KP0102", "lambda v: v * v", "under `@device`"),
    ("def f(v): return v\n        y[i] = f(x[i])", "KP0101", "def f(v): return v", "under `@device`"),
    ("y[i] = helper(x[i])", "KP0102", "helper(x[i])", "put `@device` above `def helper`"),
    ("global count; count += 1", "KP0101", "global count", "count: Sum[i64]"),
    ("history.append(i)", "KP0101", "history.append(i)", "list.push(e)"),
    ("y[i] = params['a']", "KP0102", "params['a']", "tables of the enclosing module"),
    ("y[i] = 'one'", "KP0102", "'one'", "no texts"),
    ("y[i] = f'{i}'", "KP0102", "f'{i}'", "no texts"),
    ("t = None; y[i] = x[i] if t is None else 0.0", "KP0102", "None", "choose one that means none"),
    ("assert x[i] > 0.0", "KP0101", "assert x[i] > 0.0", "require(...)"),
    ("raise ValueError('x')", "KP0101", "raise ValueError('x')", "require(...)"),
    ("import os", "KP0101", "import os", "top of the file"),
    ("del x", "KP0101", "del x", "drop this line"),
    ("x[i] + 1.0", "KP0101", "x[i] + 1.0", "assign it"),
    ("return x[i]", "KP0101", "return x[i]", "`Out` arrays"),
    ("y[i] = x[i] if i in (1, 2) else 0.0", "KP0102", "i in (1, 2)", "x == a or x == b"),
    ("y[i] = 1.0 if x is y else 0.0", "KP0102", "x is y", "with `==`"),
    ("y[i] = float(i)", "KP0103", "float", "f64(x)"),
    ("y[i] = x[int(s)]", "KP0103", "int", "i64(x)"),
    ("y[i] = x[i] if (v := s) > 0.0 else v", "KP0102", "v := s", "statement of its own before"),
    ("for a, b in zip(x, y): y[i] = a * b", "KP0106", "zip(x, y)", "for j in range(n)"),
    ("for j, v in enumerate(x): y[i] = v", "KP0106", "enumerate(x)", "read `x[j]`"),
    ("for v in x: y[i] = v", "KP0106", "x", "range(n)"),
    ("i += 1", "KP0101", "i", "another name"),
    ("s += x[i]", "KP0101", "s", "s: Sum[f64]"),
    ("y = x[i]", "KP0101", "y", "`y[i] = ...`"),
    ("t = 0; t += x[i]", "KP0202", "t += x[i]", "t: f64 = ..."),
    ("if s > 0.0: t = 1.0\n        y[i] = t", "KP0205", "t", "before the branch"),
    ("if s: y[i] = 1.0", "KP0201", "s", "x != 0"),
    ("y[i] = i / 2 if i > 0 else 0.0", "KP0201", "i / 2", "f64(a) / f64(b)"),
    ("y[i] = x[i / 2]", "KP0201", "i / 2", "write `//`"),
    ("y[i] = x[0.5]", "KP0201", "0.5", "i64(...)"),
    ("y[i] = x[i] ** 0.5", "KP0102", "x[i] ** 0.5", "sqrt(x)"),
    # NumPy
    ("y[i] = np.sum(z[i, :])", "KP0102", "np.sum(z[i, :])", "total: Sum[f64]"),
    ("y[i] = x.sum()", "KP0102", "x.sum", "total: Sum[f64]"),
    ("y[i] = np.dot(x, x)", "KP0102", "np.dot(x, x)", "total: Sum[f64]"),
    ("y[i] = x @ x", "KP0102", "x @ x", "total: Sum[f64]"),
    ("y[i] = z[i, :]", "KP0203", "z[i, :]", "`for j in range(m):`, over `z[i, j]`"),
    ("y[1:n] = 0.0", "KP0203", "y[1:n]", "`for j in range(1, n):`, over `y[j]`"),
    ("y[i] = x[i, None]", "KP0203", "x[i, None]", "a loop over the elements"),
    ("y[i] = z[...]", "KP0203", "z[...]", "a loop over the elements"),
    ("y[i] = x[-1]", "KP0301", "x[-1]", "`n - 1`"),
    ("y[i] = z[i][0]", "KP0102", "z[i][0]", "`z[i, 0]`"),
    ("y[i] = z[i]", "KP0203", "z[i]", "one index for each dimension"),
    ("y[i] = x.shape[0]", "KP0102", "x.shape[0]", "write `n`"),
    ("y[i] = z.shape[1]", "KP0102", "z.shape[1]", "write `m`"),
    ("y[i] = z.size", "KP0102", "z.size", "write `n * m`"),
    ("y[i] = x[i].real", "KP0102", "x[i].real", "arrays of their own"),
    ("t = np.zeros(4); y[i] = t[0]", "KP0102", "np.zeros(4)", "local(f64, 8"),
    ("t = np.arange(4); y[i] = t[0]", "KP0102", "np.arange(4)", "lo + i * step"),
    ("y[i] = np.where(x[i] > 0, x[i], 0.0)", "KP0102", "np.where(x[i] > 0, x[i], 0.0)", "a if condition else b"),
    ("y[i] = np.clip(x[i], 0.0, 1.0)", "KP0102", "np.clip(x[i], 0.0, 1.0)", "min(max(x, lo), hi)"),
    ("y[i] = np.exp(x[i])", "KP0102", "np.exp(x[i])", "write `exp(...)`, imported"),
    ("y[i] = np.maximum(x[i], 0.0)", "KP0102", "np.maximum(x[i], 0.0)", "write `max(...)`"),
    ("y[i] = np.float32(x[i])", "KP0102", "np.float32(x[i])", "f32(x)"),
    ("y[i] = math.sqrt(x[i])", "KP0102", "math.sqrt(x[i])", "write `sqrt(...)`, imported"),
    ("y[i] = math.fabs(x[i])", "KP0102", "math.fabs(x[i])", "write `abs(...)`"),
    ("y[i] = math.gamma(x[i])", "KP0102", "math.gamma(x[i])", "build others of these"),
    ("y[i] = 0.0 if math.isnan(x[i]) else x[i]", "KP0102", "math.isnan(x[i])", "x != x"),
    ("y[i] = 1.0 if (s > 0.0) & (s < 1.0) else 0.0", "KP0201", "(s > 0.0) & (s < 1.0)", "use `and`"),
    ("y = y + s * x", "KP0102", "y", "`y[i]`"),
    ("y[i] = big[i]", "KP0102", "big", "pass it as a `Ref`"),
    # CUDA, Numba and others
    ("y[i] = x[threadIdx.x]", "KP0103", "threadIdx.x", "for i in parallel(n)"),
    ("j = cuda.grid(1); y[j] = 0.0", "KP0103", "cuda.grid", "for i in parallel(n)"),
    ("j = tl.program_id(0); y[j] = 0.0", "KP0103", "tl.program_id", "for i in parallel(n)"),
    ("cuda.syncthreads()", "KP0507", "cuda.syncthreads()", "end the phase"),
    ("__syncthreads()", "KP0507", "__syncthreads()", "end the phase"),
    ("t = cuda.shared.array(32, f64); y[i] = t[0]", "KP0103", "cuda.shared.array", "shared(f64, 32)"),
    ("t = cuda.local.array(32, f64); y[i] = t[0]", "KP0103", "cuda.local.array", "local(f64, 8"),
    ("cuda.atomic.add(y, i, 1.0)", "KP0101", "cuda.atomic.add(y, i, 1.0)", "Atomic[f64"),
    ("atomicAdd(y[0], 1.0)", "KP0101", "atomicAdd(y[0], 1.0)", "Atomic[f64"),
    ("t = __shfl_down_sync(-1, s, 1)", "KP0103", "__shfl_down_sync", "shared(...)"),
    ("for j in parallel(m): y[i] = z[i, j]", "KP0106", "parallel(m)", "for i, j in parallel(n, m)"),
    ("for j in prange(m): y[i] = z[i, j]", "KP0106", "prange(m)", "range(n)"),
    ("y[0] += x[i]", "KP0401", "y[0]", "total: Sum[f64]"),
    ("x[i] += 1.0", "KP0501", "x[i]", "x: Mut["),
    ("if total > 1.0: y[i] = 0.0", "KP0504", "total", "contribute with `total += ...`"),
    ("top = max(top, x[i])", "KP0504", "top", "contribute with `top.update(...)`"),
])  # fmt: skip
def test_in_a_thread(statement: str, code: str, text: str, advice: str) -> None:
    one = kernel(f"{HEAD}\n    for i in parallel(n):\n        {statement}\n", **AROUND)
    check(one, code, text, advice)


@pytest.mark.parametrize(("body", "code", "text", "advice"), [
    ("y += s * x", "KP0104", "y += s * x", "for i in parallel(n)"),
    ("i = blockIdx.x * blockDim.x + threadIdx.x\n    if i < n: y[i] = x[i]", "KP0104",
     "i = blockIdx.x * blockDim.x + threadIdx.x", "for i in parallel(n)"),
    ("i = cuda.grid(1)\n    if i < n: y[i] = x[i]", "KP0104", "i = cuda.grid(1)", "`for b in teams(...):`"),
    ("t = 2.0 * s\n    for i in parallel(n): y[i] = t", "KP0104", "t = 2.0 * s", "pass it as a scalar"),
    ("for i in range(n): y[i] = x[i]", "KP0104", "range(n)", "for i in parallel(n)"),
    ("for i in prange(n): y[i] = x[i]", "KP0104", "prange(n)", "for i in parallel(n)"),
    ("for i, v in enumerate(x): y[i] = v", "KP0104", "enumerate(x)", "for i in parallel(n)"),
    ("for i in parallel(x.shape[0]): y[i] = x[i]", "KP0102", "x.shape[0]", "write `n`"),
    ("for i in parallel(len(x)): y[i] = x[i]", "KP0103", "len", "write `n`"),
    ("for i in parallel(n): y[i] = x[i]\n    return y", "KP0104", "return y", "results are in its `Out`"),
    ("for i in parallel(n): y[i] = x[i]\n    for i in parallel(n): y[i] *= s", "KP0104",
     "for i in parallel(n): y[i] *= s", "under `@program`"),
])  # fmt: skip
def test_around_the_threads(body: str, code: str, text: str, advice: str) -> None:
    check(kernel(f"{HEAD}\n    {body}\n", **AROUND), code, text, advice)


@pytest.mark.parametrize(("parameters", "text", "advice"), [
    ('x, y: Out[f64, "n"]', "x", 'Ref[f64, "n", "m"]'),
    ('x: Ref[float, "n"], y: Out[f64, "n"]', 'x: Ref[float, "n"]', "the type is `f64`"),
    ('x: Ref[np.float32, "n"], y: Out[f64, "n"]', 'x: Ref[np.float32, "n"]', "the type is `f32`"),
    ('x: Ref[f64, "n"], y: Out[f64, "n"], s: int', "s: int", "the type is `i64`"),
    ('x: Ref[f64, "n"], y: Out[f64, "n"], s: str', "s: str", "scalar type such as `f64`"),
    ('x: Ref[f64, "n"], y: Out[f64, "n"], s: f64 = 2.0', "2.0", "scalar type such as `f64`"),
    ("x: np.ndarray", "x: np.ndarray", 'Ref[f64, "n", "m"]'),
    ("*x", "x", 'Ref[f64, "n", "m"]'),
])  # fmt: skip
def test_in_the_parameters(parameters: str, text: str, advice: str) -> None:
    one = kernel(f"def k({parameters}):\n    for i in parallel(n):\n        y[i] = x[i]\n", **AROUND)
    check(one, "KP0105", text, advice)


@pytest.mark.parametrize(("function", "call", "code", "text", "advice"), [
    ("def f(a: f64, b: f64):\n    return a - b", "y[i] = f(b=s, a=x[i])", "KP0204", "f(b=s, a=x[i])", "`f(x[i], s)`"),
    ("def f(a: f64):\n    return a - 1.0, a", "u, v = f(x[i]); y[i] = u * v", "KP0102", "(a - 1.0, a)", "`Mut`"),
    ("def f(k: i64):\n    return 1.0 if k < 2 else f(k - 1)", "y[i] = f(i)", "KP0102", "f(k - 1)", "write a loop"),
])  # fmt: skip
def test_with_functions(function: str, call: str, code: str, text: str, advice: str) -> None:
    one = program(f"""
        @device
        {function.replace(chr(10), chr(10) + "        ")}

        @kernel
        def k(y: Out[f64, "n"], x: Ref[f64, "n"], s: f64):
            for i in parallel(n):
                {call}
        """)
    found = only_fault(one)
    assert found.code == code
    assert marked(found).strip("()") == text.strip("()")
    assert advice in " ".join(found.helps)


def test_one_kernel_calls_another() -> None:
    one = program("""
        @kernel
        def other(y: Mut[f64, "n"]):
            for i in parallel(n):
                y[i] = 0.0

        @kernel
        def k(y: Mut[f64, "n"]):
            for i in parallel(n):
                other(y)
        """)
    check(one, "KP0101", "other(y)", "under `@program`")


class TestLaunches:
    one = staticmethod(kernel("""
        def add_up(y: Ref[f64, "n"], total: Sum[f64]):
            for i in parallel(n):
                total += y[i]
        """))  # fmt: skip

    def test_brackets_as_in_numba(self) -> None:
        with pytest.raises(KparityError, match=r"`add_up\[\.\.\.\]` sets no grid: call `add_up\(\.\.\.\)`"):
            self.one[32, 128](np.ones(8), np.zeros(1))

    @pytest.mark.parametrize(("arguments", "advice"), [
        ((np.ones(8), 0.0), r"numpy\.zeros\(1\)"),
        (([1.0, 2.0], np.zeros(1)), "pass a NumPy array"),
        ((np.ones(8, np.float32), np.zeros(1)), r"astype\('float64'\)"),
        ((np.ones((2, 4)), np.zeros(1)), r"\.reshape\(\.\.\.\)"),
        ((np.ones(16)[::2], np.zeros(1)), r"numpy\.ascontiguousarray"),
        ((np.ones(8),), "its parameters are `y`, `total`"),
    ])  # fmt: skip
    def test_arguments(self, arguments: tuple[Any, ...], advice: str) -> None:
        with pytest.raises(LaunchError, match=advice):
            self.one(*arguments)

    def test_a_decorator_with_a_signature(self) -> None:
        with pytest.raises(TypeError, match="without arguments"):
            decorate("void(float64[:])")
