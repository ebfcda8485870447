"""Mathematical functions against NumPy: accuracy where loops are vectorised, and IEEE's special values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kparity.compiler import compile_program
from kparity.compiler.ir.operations import INTRINSICS
from kparity.compiler.targets.cpu_math import vector_library

from ..interpreter import NUMPY
from ..sources import elementwise

pytestmark = pytest.mark.parametrize("target", ["cpu1", pytest.param("cuda", marks=pytest.mark.cuda)])
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, math.inf, -math.inf, math.nan, 1e-300, -1e300, 4.0, 710.0, -750.0]
ROUNDED_RIGHT = {"sqrt", "floor", "ceil", "trunc", "copysign", "abs"}
ULPS = 4  # what glibc's vector functions and NVIDIA's libdevice promise at worst
POWERS = {"pow": 16}  # libdevice documents 1 to 2, glibc's vector f32 more where the result is huge
NAMES = {"atan": "arctan", "atan2": "arctan2", "pow": "power", "abs": "absolute"}
UNARY = sorted(n for n, f in INTRINSICS.items() if f.arity == 1)
BINARY = sorted(n for n, f in INTRINSICS.items() if f.arity == 2 and n not in ("min", "max"))


def expected(name: str, *arguments: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """In extended precision, so that the reference adds no error of its own."""
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, NAMES.get(name, name))(*(a.astype(np.longdouble) for a in arguments)))


def judge(name: str, found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> None:
    """Every element within the promised units in the last place; infinities, NaN and zeros exactly."""
    with np.errstate(over="ignore"):
        rounded = wanted.astype(found.dtype)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(rounded))
    plain = np.isfinite(rounded) & (np.abs(rounded) > np.finfo(found.dtype).tiny)
    others = ~plain & ~np.isnan(rounded) & ~(np.isfinite(rounded) & (rounded != 0))
    np.testing.assert_array_equal(found[others], rounded[others])
    error = np.abs(found[plain].astype(np.longdouble) - wanted[plain]) / np.spacing(np.abs(rounded[plain]))
    limit = 0.5 if name in ROUNDED_RIGHT else POWERS.get(name, ULPS)
    assert error.max(initial=0.0) <= limit, f"{name}: {error.max()} ulp at {np.flatnonzero(plain)[error.argmax()]}"


def inputs(name: str, type_: str, n: int = 4099) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(len(name))
    if name in ("sqrt", "log"):
        return np.exp(rng.uniform(-80, 80, n)).astype(NUMPY[type_])
    return rng.uniform(-40, 40, n).astype(NUMPY[type_])


@pytest.mark.parametrize("type_", ["f64", "f32"])
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_argument(name: str, type_: str, run: Any) -> None:
    """The last elements are left to the scalar rest of a vectorised loop."""
    k = elementwise(f"{name}(x[i])", type_, x=type_)
    with np.errstate(over="ignore"):
        special = np.array(SPECIAL, NUMPY[type_])
    for x in (inputs(name, type_), special):
        judge(name, run(k, out=np.zeros_like(x), x=x)["out"], expected(name, x))


@pytest.mark.parametrize("type_", ["f64", "f32"])
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arguments(name: str, type_: str, run: Any) -> None:
    k = elementwise(f"{name}(x[i], z[i])", type_, x=type_, z=type_)
    x, z = inputs(name, type_), inputs(name + "z", type_)
    if name == "pow":
        x, z = np.abs(x), z / 4
    judge(name, run(k, out=np.zeros_like(x), x=x, z=z)["out"], expected(name, x, z))
    with np.errstate(over="ignore"):
        x, z = (
            np.array(column, NUMPY[type_]) for column in zip(*((a, b) for a in SPECIAL for b in SPECIAL), strict=True)
        )
    judge(name, run(k, out=np.zeros_like(x), x=x, z=z)["out"], expected(name, x, z))


@pytest.mark.parametrize("type_", ["f64", "f32"])
def test_fma_rounds_once(type_: str, run: Any) -> None:
    tiny = 2.0**-30 if type_ == "f64" else 2.0**-13
    x = np.array([1.0 + tiny, 3.0, math.inf, 0.0], NUMPY[type_])
    found = run(
        elementwise("fma(x[i], x[i], -z[i])", type_, x=type_, z=type_),
        out=np.zeros_like(x),
        x=x,
        z=(x * x).astype(x.dtype),
    )
    assert found["out"][0] == tiny * tiny
    assert found["out"][1] == 0.0
    assert np.isnan(found["out"][2])


@pytest.mark.parametrize("name", ["sqrt", "exp", "floor", "atan"])
def test_integers_are_converted(name: str, run: Any) -> None:
    k = np.arange(1, 20, dtype=np.int32)
    found = run(elementwise(f"{name}(k[i])", "f64", k="i32"), out=np.zeros(19), k=k)
    judge(name, found["out"], expected(name, k.astype(np.float64)))


@pytest.mark.parametrize("expression", [
    "sin(x[i]) + cos(x[i])", "pow(2.0, x[i])", "pow(x[i], 2.0)", "pow(x[i], 0.5)", "pow(10.0, x[i])", "exp(log(x[i]))",
])  # fmt: skip
def test_what_the_optimiser_makes_of_pairs_is_found(expression: str, run: Any) -> None:
    """LLVM replaces such calls by others (`sincos`, `exp2`), which the host must provide as well."""
    x = np.linspace(0.1, 20.0, 301)
    names = {"sin": np.sin, "cos": np.cos, "pow": np.power, "exp": np.exp, "log": np.log}
    wanted = eval(expression.replace("x[i]", "x"), names, {"x": x})
    np.testing.assert_allclose(
        run(elementwise(expression, x="f64"), out=np.zeros(301), x=x)["out"], wanted, rtol=2e-15, atol=2e-15
    )


def test_loops_call_the_vector_library(target: str) -> None:
    if target != "cpu1" or vector_library() is None:
        pytest.skip("glibc's libmvec")
    assert "_ZGV" in compile_program(elementwise("exp(x[i])", x="f64"), target).listing
