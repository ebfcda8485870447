"""Kernels for compile-time integers, and for other floating-point types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kparity.compiler as kp
from kparity.compiler import CompileError, KparityError, LaunchError
from kparity.compiler.ir.types import F32, F64
from kparity.compiler.runtime import cache

from .sources import kernel, messages, program

BLUR = """
    def blur(y: Mut[f64, "n"], x: Ref[f64, "n + W - 1"], c: Table[f64, "W"], W: Static[i64], scale: f64):
        for i in parallel(n):
            s = 0.0
            for k in range(W):
                s += c[k] * x[i + k]
            y[i] += s * scale
    """


def test_a_kernel_for_each_value(agree: Any) -> None:
    blur = kernel(BLUR)
    assert blur.statics == ("W",) and blur.specialise(W=3) is blur.specialise(W=3)
    for width in (1, 3):
        x, c = np.arange(4.0 + width), np.arange(1.0, 1.0 + width)
        agree(blur.specialise(W=width), y=np.zeros(5), x=x[: 4 + width], c=c, scale=2.0)


def test_a_direct_call_takes_the_integer() -> None:
    y = np.zeros(5)
    kernel(BLUR)(y, np.arange(6.0), (1.0, 1.0), 2, scale=1.0)
    assert y.tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]


@pytest.mark.parametrize("value", [2.0, "2", None, True, 2**63])
def test_a_direct_call_refuses_what_is_no_integer(value: Any) -> None:
    with pytest.raises(LaunchError, match="`W`"):
        kernel(BLUR)(np.zeros(5), np.arange(6.0), (1.0, 1.0), value, 1.0)


def test_a_direct_call_misses_the_integer() -> None:
    with pytest.raises(LaunchError, match="`W` missing"):
        kernel(BLUR)(np.zeros(5), np.arange(6.0), (1.0, 1.0))


def test_shared_sizes_and_loops(agree: Any) -> None:
    one = kernel(
        """
        def tiles(y: Mut[f64, "n"], x: Ref[f64, "n"], T: Static[i64]):
            for b in teams(n // T):
                tile = shared(f64, T)
                for t in threads(T):
                    tile[t] = x[b * T + t]
                for t in threads(T):
                    y[b * T + t] = tile[T - 1 - t]
        """
    )
    for size in (4, 8):
        agree(one.specialise(T=size), y=np.zeros(32), x=np.arange(32.0))


def test_every_value_is_proved_on_its_own() -> None:
    one = kernel("def k(y: Mut[f64, 8], T: Static[i64]):\n    for i in parallel(T):\n        y[i] = 1.0\n")
    assert one.specialise(T=8).proved.guards == ()
    with pytest.raises(CompileError, match="KP0301"):
        _ = one.specialise(T=9).proved


PROGRAM = """
    WIDTH = 2

    @kernel
    def scale(y: Mut[f64, "n"], T: Static[i64], a: f64):
        for i in parallel(n):
            for k in range(T):
                y[i] = y[i] * a + f64(T)

    @program
    def p(y: Mut[f64, "n"], m: i64):
        {}
    """


def test_programs_pass_constants(agree: Any) -> None:
    body = "scale(y, WIDTH, 2.0)\n        scale(y, a=0.5, T=WIDTH + 1)\n        scale(y, 2, 1.0)"
    one = program(PROGRAM.format(body))
    assert len({c.kernel for c in one.typed_program.calls}) == 2
    agree(one, y=np.arange(5.0), m=3)


@pytest.mark.parametrize(("call", "message"), [
    ("scale(y, m, 2.0)", "KP0702 `T` of `scale` is a compile-time integer"),
    ("scale(y, 2.0, 2.0)", "KP0702 `T` of `scale` is a compile-time integer"),
    ("scale(y, a=2.0)", "KP0702 the call of `scale` misses `T`"),
    ("scale(y, 2, 2.0, 3)", "KP0702 the call of `scale` gets arguments that it does not have"),
    ("scale(y, 2)", "KP0702 the call of `scale` misses `a`"),
])  # fmt: skip
def test_faulty_calls(call: str, message: str) -> None:
    assert messages(program(PROGRAM.format(call))) == [message]


def test_without_a_value_there_is_no_kernel() -> None:
    assert "KP0105 `W` is a compile-time integer without a value" in messages(kernel(BLUR))


@pytest.mark.parametrize("values", [{"n": 3}, {"W": 2.5}, {"W": True}, {"W": 2, "V": 3}])
def test_values_that_cannot_be(values: dict[str, Any]) -> None:
    with pytest.raises(KparityError, match="compile-time integer"):
        kernel(BLUR).specialise(**values)


MIXED = """
    def mixed(y: Mut[f64, "n"], x: Ref[f64, "n"], f: Ref[f32, "n"], a: f64, c: Table[f64, 2], total: Sum[f64]):
        for i in parallel(n):
            t = 0.1 if x[i] > 0.5 else f64(f[i])
            y[i] = sqrt(x[i]) * a + t * COEFFS[i % 2] + f64(i) + c[1]
            total += x[i]
    """


def test_the_same_kernel_in_f32(agree: Any) -> None:
    single = kernel(MIXED, COEFFS=(0.1, 2.5)).with_types(f64=kp.f32)
    assert all(p.type is not F64 for p in single.typed.scalars)
    assert all(a.element is F32 for a in single.typed.arrays)
    x = np.array([0.25, 1.0, 4.0, 0.0], np.float32)
    agree(single, y=np.zeros(4, np.float32), x=x, f=x, a=0.5, c=np.float32([0.5, 0.1]), total=np.zeros(1, np.float32))


def test_programs_in_f32(agree: Any) -> None:
    one = program(
        """
        @kernel
        def add(x: Ref[f64, "n"], total: Sum[f64]):
            for i in parallel(n):
                total += x[i] * 0.5

        @program
        def p(x: Ref[f64, "n"], total: Sum[f64]):
            total.fill(0.1)
            add(x, total)
            total.get()
        """
    )
    single = one.with_types(f64=kp.f32)
    assert single is one.with_types(f64=kp.f32) and single is not one
    agree(single, x=np.arange(4, dtype=np.float32), total=np.zeros(1, np.float32))
    agree(one, x=np.arange(4.0), total=np.zeros(1))


def test_specialised_and_retyped(agree: Any) -> None:
    x, c = np.arange(6, dtype=np.float32), np.float32([1.0, 0.5])
    one = kernel(BLUR).specialise(W=2).with_types(f64=kp.f32)
    agree(one, y=np.zeros(5, np.float32), x=x, c=c, scale=0.25)


@kp.struct
class Point:
    x: kp.f64


def test_what_cannot_be_retyped() -> None:
    fields = kernel("def k(y: Mut[f64, 4], p: Point):\n    for i in parallel(4):\n        y[i] = p.x\n", Point=Point)
    with pytest.raises(KparityError, match="struct `Point` has fields of the type"):
        _ = fields.with_types(f64=kp.f32).typed
    large = kernel("def k(y: Mut[f64, 4]):\n    for i in parallel(4):\n        y[i] = 1e300\n")
    with pytest.raises(KparityError, match="beyond the largest finite `f32`"):
        _ = large.with_types(f64=kp.f32).typed
    for types in ({"f64": kp.i32}, {"i64": kp.f32}, {"f64": 3}, {"n": kp.f32}):
        with pytest.raises(KparityError, match="replaces floating-point types"):
            large.with_types(**types)


def test_each_variant_has_its_own_key() -> None:
    blur = kernel(BLUR)
    variants = [blur.specialise(W=1), blur.specialise(W=2), blur.specialise(W=2).with_types(f64=kp.f32)]
    assert len({cache.key(v, "cpu") for v in variants}) == 3
