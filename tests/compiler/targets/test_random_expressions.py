"""Random kernels: integer arithmetic to the last bit, floats that are exact in any order, lazies, branches, loops.

Integer data has values at the ends of its type. Floats are small integers, so that fused and unfused arithmetic agree.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kparity.compiler import CompileError, LaunchError
from kparity.compiler.ir.types import SCALARS

from ..conftest import execute
from ..interpreter import NUMPY, interpret
from ..sources import kernel

INTEGERS = ["i64", "i32", "u64", "u32"]
N = 37


@st.composite
def integer(draw: DrawFn, type_: str, depth: int, names: tuple[str, ...]) -> str:
    """An expression of an integer type."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from([*names, *names, "1", "3", "17"]))
    inner = integer(type_, depth - 1, names)
    a, b = draw(inner), draw(inner)
    kind = draw(
        st.sampled_from(["+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>", "min", "max", "abs", "neg", "if", "cast"])
    )
    match kind:
        case "//" | "%":
            return f"({a} {kind} max({b}, {draw(st.integers(1, 9))}))"
        case "min" | "max":
            return f"{kind}({a}, {b})"
        case "abs":
            return f"abs({type_}({a}))"
        case "neg":
            return f"(-{type_}({a}))"
        case "if":
            return f"({a} if {draw(condition(type_, depth - 1, names))} else {b})"
        case "cast":
            other = draw(st.sampled_from([t for t in INTEGERS if t != type_]))
            return f"{type_}({other}({type_}({a})) + {other}(z{other}[i]))"
    return f"({a} {kind} {b})"


@st.composite
def condition(draw: DrawFn, type_: str, depth: int, names: tuple[str, ...]) -> str:
    """A bool of comparisons, `and`, `or`, `not`."""
    inner = integer(type_, max(0, depth - 1), names)
    if depth <= 0 or draw(st.booleans()):
        return (
            f"{draw(st.sampled_from(names))} {draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} {draw(inner)}"
        )
    part, name = condition(type_, depth - 1, names), st.sampled_from(names)
    forms = [
        st.builds("({} and {})".format, part, part),
        st.builds("({} or {})".format, part, part),
        st.builds("(not {})".format, part),
        st.builds(lambda a, b, c: f"{a} < {type_}({b}) <= {c}", name, inner, name),
    ]
    return draw(st.one_of(forms))


@st.composite
def float_expression(draw: DrawFn, depth: int) -> str:
    """Sums and products that stay small integers."""
    if depth == 0:
        return draw(st.sampled_from(["x[i]", "y[i]", "2.0", "-1.0", "f64(p[i] % 8)"]))
    a, b = draw(float_expression(depth - 1)), draw(float_expression(depth - 1))
    forms = [f"({a} {symbol} {b})" for symbol in "+-*"] + [f"{f}({a}, {b})" for f in ("min", "max", "copysign")]
    forms += [f"abs({a})", f"(-({a}))", f"({a} if {b} > 0.0 else {b})", f"floor({a} / 4.0)", f"fma({a}, 2.0, {b})"]
    return draw(st.sampled_from(forms))


@st.composite
def body(draw: DrawFn, type_: str) -> list[str]:
    """Statements over `p`, `q` and a local, ending in a store to `out`."""
    names = ("p[i]", "q[i]", "t")
    lines = [f"t: {type_} = {type_}({draw(integer(type_, 2, names[:2]))})"]
    for _ in range(draw(st.integers(1, 3))):
        change = f"t = {type_}({draw(integer(type_, 2, names))})"
        match draw(st.sampled_from(["plain", "if", "else", "for"])):
            case "plain":
                lines.append(change)
            case "if":
                lines += [f"if {draw(condition(type_, 2, names))}:", f"    {change}"]
            case "else":
                other = f"t = {type_}({draw(integer(type_, 1, names))})"
                lines += [f"if {draw(condition(type_, 1, names))}:", f"    {change}", "else:", f"    {other}"]
            case "for":
                header = draw(st.sampled_from(["range(3)", "range(5, 0, -2)", "range(i, i + 2)", "range(2, 1)"]))
                lines += [f"for j in {header}:", f"    {change}", f"    t = t + {type_}(j)"]
    return [*lines, f"out[i] = {type_}({draw(integer(type_, 3, names))})", f"real[i] = {draw(float_expression(3))}"]


def values(type_: str, seed: int) -> np.ndarray[Any, Any]:
    scalar, chooser = SCALARS[type_], random.Random(seed)
    ends = [scalar.lowest, scalar.lowest + 1, scalar.highest, scalar.highest - 1, 0, 1, 2]
    chosen = [chooser.choice(ends) if chooser.random() < 0.4 else chooser.randint(0, 100) for _ in range(N)]
    return np.array(chosen, NUMPY[type_])


@pytest.mark.parametrize("type_", INTEGERS)
def test_random_kernels(type_: str) -> None:
    ran, refused = [], []

    @settings(
        max_examples=25, derandomize=True, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(body(type_), st.integers(0, 2**16))
    def run(lines: list[str], seed: int) -> None:
        types = {"p": type_, "q": type_, "x": "f64", "y": "f64"} | {f"z{t}": t for t in INTEGERS}
        inputs = ", ".join(f'{name}: Ref[{t}, "n"]' for name, t in types.items())
        parameters = f'out: Out[{type_}, "n"], real: Out[f64, "n"], {inputs}'
        text = "\n        ".join(["", *lines])
        one = kernel(f"def k({parameters}):\n    require(n <= 1000)\n    for i in parallel(n):{text}\n")
        rng = np.random.default_rng(seed)
        arguments = {
            "out": np.zeros(N, NUMPY[type_]), "real": np.zeros(N),
            "p": values(type_, seed), "q": values(type_, seed + 1),
            "x": rng.integers(-4, 4, N) * 1.0, "y": rng.integers(-4, 4, N) * 1.0,
            **{f"z{t}": values(t, seed + 2) for t in INTEGERS},
        }  # fmt: skip
        try:
            assert one.proved
        except CompileError:  # constants that do not fit, or an overflow that would be observed
            refused.append(one)
            return
        try:
            wanted, found = interpret(one, arguments), execute(one, "cpu1", arguments)
        except LaunchError as error:  # an overflow that the data decides: inspected before the launch
            assert str(error).startswith("error[KP0806]")
            return  # it does not count among those that ran
        np.testing.assert_array_equal(found["out"], wanted["out"], err_msg=text)
        np.testing.assert_array_equal(found["real"], wanted["real"], err_msg=text)
        ran.append(len(np.unique(found["out"])))

    run()
    assert len(refused) < 5 < 10 < sum(different > 3 for different in ran), "the kernels compute too little"
