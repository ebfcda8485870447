"""What names mean: own ones hide the module's, constants come from around, definite assignment."""

from __future__ import annotations

import math
import types
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from kparity.compiler.ir.nodes import Const, Store

from ..sources import elementwise, faults, kernel, messages, module


def constant(expression: str, **names: Any) -> Any:
    """What a constant expression is stored as."""
    one = kernel(f'def k(y: Out[f64, "n"]):\n    for i in parallel(n):\n        y[i] = {expression}\n', **names)
    (store,) = (s for s in one.typed.body.body if isinstance(s, Store))
    assert isinstance(store.value, Const)
    return store.value.value


class Size(IntEnum):
    SMALL = 4


@pytest.mark.parametrize(("expression", "value"), [
    ("SCALE", 2.5), ("math.pi", math.pi), ("config.inner.HALF", 0.5), ("Size.SMALL", 4), ("COUNT * 2 + 1", 7),
    ("-COUNT", -3), ("NPY", 7), ("SCALE ** 2", 6.25), ("max(COUNT, 10)", 10), ("math.inf", math.inf),
])  # fmt: skip
def test_constants_of_the_module(expression: str, value: float) -> None:
    config = types.SimpleNamespace(inner=types.SimpleNamespace(HALF=0.5))
    names = {"SCALE": 2.5, "math": math, "config": config, "Size": Size, "COUNT": 3, "NPY": np.int64(7)}
    assert constant(expression, **names) == value


def test_constants_of_an_enclosing_function() -> None:
    made = module("""
        def make(width):
            half = 0.5
            @kernel
            def k(y: Mut[f64, width]):
                for i in parallel(width):
                    y[i] = half * width
            return k
        """)["make"]
    for width in (3, 8):
        one = made(width)
        assert one.typed.arrays[0].dims[0].text == str(width)
        assert one.proved.guards == ()


@pytest.mark.parametrize("name", ["SCALE", "sqrt", "n"])
def test_own_names_hide_the_module(name: str) -> None:
    one = kernel(
        f"""
        def k(y: Mut[f64, "n"], x: Ref[f64, "n"], {name if name != "n" else "unused"}: f64):
            for i in parallel(n):
                y[i] = {name} * x[i]
        """,
        SCALE=3.0,
    )
    assert faults(one) == []
    assert not any(isinstance(e, Const) for s in one.typed.body.body for e in (s.value.left, s.value.right))


@pytest.mark.parametrize(("expression", "code", "text"), [
    ("x.size", "KP0102", "x.size"),  # of the parameter, not of what the module calls `x`
    ("x.sum()", "KP0102", "x.sum"),
    ("i.real", "KP0102", "i.real"),
    ("n.bit_length()", "KP0102", "n.bit_length"),
    ("NAMES[0]", "KP0102", "NAMES"),
    ("TABLE", "KP0102", "TABLE"),
    ("math.nothing", "KP0103", "math.nothing"),
    ("nothing[0]", "KP0103", "nothing"),
    ("nothing(1.0)", "KP0103", "nothing"),
    ("i(1.0)", "KP0102", "i"),
    ("len(x)", "KP0103", "len"),
    ("np.sqrt(x[i])", "KP0102", "np.sqrt(x[i])"),
])  # fmt: skip
def test_names_that_mean_nothing_here(expression: str, code: str, text: str) -> None:
    one = kernel(
        f"""
        def k(y: Out[f64, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                y[i] = {expression}
        """,
        x=np.zeros(3),
        n=5,
        TABLE=(1.0, 2.0),
        NAMES=("a", "b"),
        math=math,
        np=np,
    )
    assert faults(one) == [(code, text)]


def test_a_near_name_is_suggested() -> None:
    one = elementwise("velocty[i]", velocity="f64")
    with pytest.raises(Exception, match="did you mean `velocity`"):
        assert one.typed


@pytest.mark.parametrize(("body", "expected"), [
    ("if x[i] > 0.0:\n    t = 1.0\ny[i] = t", [("KP0205", "t")]),
    ("if x[i] > 0.0:\n    t = 1.0\nelse:\n    t = 2.0\ny[i] = t", []),
    ("if x[i] > 0.0:\n    t = 1.0\nelif x[i] < 0.0:\n    t = 2.0\ny[i] = t", [("KP0205", "t")]),
    ("for j in range(3):\n    t = 1.0\ny[i] = t", [("KP0205", "t")]),
    ("for j in range(3):\n    if j > 0:\n        y[i] = t\n    t = 1.0", [("KP0205", "t")]),
    ("t = 0.0\nfor j in range(3):\n    y[i] = t\n    t = 1.0", []),
    ("y[i] = t\nt = 1.0", [("KP0205", "t")]),
    ("y[i] = SCALE\nSCALE = 1.0", [("KP0205", "SCALE")]),  # assigned in the body, so never the module's
    ("t += 1.0\ny[i] = t", [("KP0205", "t")]),
    ("for j in range(3):\n    y[i] = j\nj = 2\ny[i] = j", []),
    ("for j in range(3):\n    pass\nfor j in range(4):\n    y[i] = j", []),
    ("j = 1\nfor j in range(4):\n    y[i] = j", [("KP0106", "j")]),
    ("for i in range(4):\n    y[i] = 1.0", [("KP0106", "i")]),
    ("for j in range(3):\n    pass\ny[i] = j", [("KP0103", "j")]),
    ("x = 1.0", [("KP0101", "x")]),
    ("n = 1", [("KP0101", "n")]),
    ("i = 1", [("KP0101", "i")]),
    ("i += 1", [("KP0101", "i")]),
])  # fmt: skip
def test_definite_assignment_and_scopes(body: str, expected: list[tuple[str, str]]) -> None:
    lines = "\n".join("        " + line for line in body.splitlines())
    one = kernel(f'def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):\n    for i in parallel(n):\n{lines}\n', SCALE=2.0)
    assert faults(one) == expected, messages(one)
