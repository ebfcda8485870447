"""Launches that are refused: each by hand, with the parameter named, a remedy, and nothing run."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from kparity.compiler import LaunchError, compile_program, error_codes
from kparity.compiler.checks.proved import LARGEST_EXTENT

from ..sources import kernel, program

axpy = kernel("""
    def axpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] += a * x[i]
    """)
TYPED = kernel("""
    def typed(y: Mut[i32, "n"], a: i32, b: u32, c: f32, d: u64):
        for i in parallel(n):
            y[i] += a
    """)


def good() -> dict[str, Any]:
    return {"y": np.zeros(10), "x": np.ones(10), "a": 2.0}


def refused(one: Any, arguments: Any, code: str, *texts: str, target: str = "cpu1") -> str:
    """Bind, expect the refusal, and see that no array has changed."""
    before = {n: v.copy() for n, v in arguments.items() if isinstance(v, np.ndarray)}
    with pytest.raises(LaunchError) as caught:
        compile_program(one, target).bind(arguments).run()
    for name, value in before.items():
        np.testing.assert_array_equal(arguments[name], value)
    return checked(str(caught.value), code, *texts)


def checked(message: str, code: str, *texts: str) -> str:
    lines = message.splitlines()
    assert lines[0].startswith(f"error[{code}]: ") and code in error_codes()
    assert lines[-1] == f"  = more: kparity explain {code}"
    assert "  = note: nothing was launched" in lines
    assert any(line.startswith("  = help: ") for line in lines)
    for text in texts:
        assert text in message
    return message


@pytest.mark.parametrize(("name", "value", "code", "texts"), [
    ("x", np.ones(10, np.float32), "KP0802", ("`x` has elements of type float32", ".astype('float64')")),
    ("x", np.ones(10, np.int64), "KP0802", ("`x` has elements of type int64",)),
    ("x", np.ones(10, complex), "KP0802", ("`x` has elements of type complex128",)),
    ("x", np.ones(10, bool), "KP0802", ("`x` has elements of type bool",)),
    ("x", np.ones(10, object), "KP0802", ("`x` has elements of type object",)),
    ("x", np.ones(10).astype(np.dtype(float).newbyteorder()), "KP0802", ("`x` has", "float64 (bytes swapped)")),
    ("x", np.ones((10, 1)), "KP0802", ("`x` has 2 dimensions, but its parameter has 1 (n)",)),
    ("x", np.float64(1.0), "KP0802", ("`x` is a float64, not an array",)),
    ("x", np.array(1.0), "KP0802", ("`x` has 0 dimensions",)),
    ("x", [1.0] * 10, "KP0802", ("`x` is a list, not an array", "NumPy array")),
    ("x", None, "KP0802", ("`x` is a NoneType",)),
    ("x", np.ones(9), "KP0805", ("dimension 0 of `x` has 9 elements", "its dim `n` is 10", "set by `y`, dimension 0")),
    ("x", np.ones(0), "KP0805", ("dimension 0 of `x` has 0 elements",)),
    ("x", np.ones(20)[::2], "KP0804", ("`x` is not contiguous", "ascontiguousarray")),
    ("x", np.ones(10)[::-1], "KP0804", ("`x` is not contiguous",)),
    ("x", np.broadcast_to(1.0, (10,)), "KP0804", ("`x` is not contiguous",)),
    ("x", np.frombuffer(bytes(81), np.uint8)[1:].view(np.float64), "KP0804", ("`x` is not aligned to its 8-byte",)),
    ("x", np.ma.masked_array(np.ones(10), mask=[True] * 10), "KP0804", ("`x` is a masked array", ".filled")),
    ("a", "2", "KP0802", ("`a` is a str, but a number is needed",)),
    ("a", True, "KP0802", ("`a` is a bool",)),
    ("a", np.True_, "KP0802", ("`a` is a bool",)),
    ("a", 1j, "KP0802", ("`a` is a complex",)),
    ("a", None, "KP0802", ("`a` is a NoneType",)),
    ("a", np.ones(1), "KP0802", ("`a` is a ndarray",)),
    ("a", 10**400, "KP0802", ("`a` is an integer of 1329 bits", "does not fit into `f64`")),
    pytest.param("a", 10**5000, "KP0802", ("`a` is an integer of",), id="too long for Python to print"),
])  # fmt: skip
def test_arguments(name: str, value: Any, code: str, texts: tuple[str, ...]) -> None:
    refused(axpy, good() | {name: value}, code, *texts)


@pytest.mark.parametrize(("name", "value", "text"), [
    ("a", 2**31, "`a` is 2147483648, which does not fit into `i32`"),
    ("a", -(2**31) - 1, "does not fit into `i32`"),
    ("a", 1.0, "`a` is the float 1.0, but its type `i32` holds integers"),
    ("a", np.float32(1.0), "holds integers"),
    ("b", -1, "`b` is -1, which does not fit into `u32`"),
    ("b", 2**32, "does not fit into `u32`"),
    ("c", 1e39, "`c` is 1e+39, which does not fit into `f32`"),
    ("d", 2**64, "does not fit into `u64`"),
])  # fmt: skip
def test_scalars_out_of_range(name: str, value: Any, text: str) -> None:
    arguments = {"y": np.zeros(3, np.int32), "a": 1, "b": 1, "c": 1.0, "d": 1}
    refused(TYPED, arguments | {name: value}, "KP0802", text)


@pytest.mark.parametrize("number", [1, np.int8(1), np.uint64(1), 2**31 - 1, -(2**31)])
def test_scalars_that_fit(number: Any) -> None:
    y = np.zeros(3, np.int32)
    TYPED(y, number, 2**32 - 1, np.float64(0.1), 2**64 - 1)
    assert y.tolist() == [int(number)] * 3


@pytest.mark.parametrize(("arguments", "texts"), [
    ({"y": 0}, ("`x`, `a` missing",)),
    ({"y": 0, "x": 0, "a": 0, "b": 0}, ("`b` unknown", "its parameters are `y`, `x`, `a`")),
    ({"y": 0, "x": 0, "alpha": 0}, ("`a` missing, `alpha` unknown", "its parameters are `y`, `x`, `a`")),
    ({}, ("`y`, `x`, `a` missing",)),
])  # fmt: skip
def test_names(arguments: dict[str, Any], texts: tuple[str, ...]) -> None:
    refused(axpy, arguments, "KP0802", "arguments of `axpy`", *texts)


def test_read_only_arrays() -> None:
    frozen = np.ones(10)
    frozen.flags.writeable = False
    refused(axpy, good() | {"y": frozen}, "KP0804", "`y` is read-only, but `Mut` writes to it")
    arguments = good() | {"x": frozen}
    compile_program(axpy, "cpu1").bind(arguments).run()
    assert arguments["y"].tolist() == [2.0] * 10


class OnGpu:
    """Looks like an array of a GPU."""

    def __init__(self, shape: tuple[int, ...] = (10,), **other: Any) -> None:
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": "<f8",
            "data": (2**40, False),
            "version": 3,
            **other,
        }


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_arrays_of_another_device(target: str) -> None:
    texts = ("`x` lies in memory of a GPU", f"target `{target}` needs the host", "cupy.asnumpy")
    refused(axpy, good() | {"x": OnGpu()}, "KP0804", *texts, target=target)


def accepted_view(**interface: Any) -> Any:
    from kparity.compiler.runtime.arguments import check_view, view_of
    from kparity.compiler.runtime.plan import ArrayPlan

    value = OnGpu(**interface)
    view = view_of("x", value)
    dims = [("0", "n", "n")] * len(view.shape)
    check_view(ArrayPlan("x", "f64", "Mut", dims), view, True, "cuda")
    return view


def test_views_of_a_gpu() -> None:
    assert accepted_view(shape=(2, 3)).bytes == 48
    assert accepted_view(shape=(2, 3), strides=(24, 8)).strides == (24, 8)
    assert accepted_view(shape=(1, 3), strides=(999, 8)).bytes == 24  # the stride of a single row is of no account
    assert accepted_view(shape=(0, 3), strides=(7, 7)).bytes == 0
    for interface, code, text in (
        ({"shape": (2, 3), "strides": (8, 16)}, "KP0804", "`x` is not contiguous"),
        ({"shape": (4,), "strides": (16,)}, "KP0804", "`x` is not contiguous"),
        ({"data": (2**40 + 4, False)}, "KP0804", "`x` is not aligned"),
        ({"data": (2**40, True)}, "KP0804", "`x` is read-only"),
        ({"typestr": ">f8"}, "KP0802", "(bytes swapped)"),
        ({"typestr": "<f4"}, "KP0802", "float32"),
        ({"mask": OnGpu()}, "KP0804", "`x` is a masked array"),
        ({"shape": (LARGEST_EXTENT + 1,)}, "KP0805", "claims 2305843009213693953 elements"),
    ):
        with pytest.raises(LaunchError) as caught:
            accepted_view(**interface)
        checked(str(caught.value), code, text)


GUARDED = kernel("""
    def guarded(y: Mut[f64, "n"], x: Ref[f64, "m"], shift: i64, a: f32):
        require(a > 0.1)
        for i in parallel(n):
            y[i] = x[i + shift]
    """)


def test_guards() -> None:
    arguments = {"y": np.zeros(10), "x": np.ones(12), "shift": 2, "a": 1.0}
    compile_program(GUARDED, "cpu1").bind(arguments).run()
    for shift in (3, -1, 2**63 - 1, -(2**63)):
        message = refused(
            GUARDED,
            arguments | {"shift": shift},
            "KP0801",
            "launch guard of `guarded`",
            f"shift = {shift}",
            "`x[i + shift]`",
        )
        assert re.search(r"--> <text \d+>:5$", message, re.MULTILINE)
    refused(GUARDED, arguments | {"a": 0.0}, "KP0801", "`guarded` requires (a > 0.1", "a = 0.0")
    refused(GUARDED, arguments | {"a": 0.1}, "KP0801", "`guarded` requires")  # 0.1 in f32 is compared in f32
    refused(GUARDED, arguments | {"a": float("nan")}, "KP0801", "`guarded` requires")


def test_guards_do_not_wrap() -> None:
    """The sum of the scalars is 0 in 64 bits, but its condition speaks of numbers without an end."""
    one = kernel("""
        def shifted(y: Mut[f64, "n"], x: Ref[f64, "n"], a: i64, b: i64):
            for i in parallel(n):
                y[i] = x[i + a + b]
        """)
    arguments = {"y": np.zeros(10), "x": np.ones(10), "a": 3, "b": -3}
    compile_program(one, "cpu1").bind(arguments).run()
    refused(one, arguments | {"a": -(2**63), "b": -(2**63)}, "KP0801", "launch guard of `shifted`", "`x[i + a + b]`")


def test_guards_are_about_what_the_kernel_receives() -> None:
    """`4 * k` is beyond i64: a guard on its exact value would hold, and the kernel run out of bounds."""
    one = program("""
        @kernel
        def rest(y: Mut[f64, "n"], first: i64):
            for i in parallel((first, n)):
                y[i] += 1.0

        @program
        def repetition(y: Mut[f64, "n"], k: i64):
            rest(y, 4 * k)
        """)
    y = np.zeros(10)
    refused(one, {"y": y, "k": 2**61 + 2**60}, "KP0802", "`first` of `rest` is", "does not fit into `i64`")
    refused(one, {"y": y, "k": -1}, "KP0801", "launch guard of `rest`", "first = -4")
    compile_program(one, "cpu1").bind({"y": y, "k": 2}).run()
    assert y.sum() == 2.0


@pytest.mark.parametrize(("condition", "a"), [
    ("pow(a, 1000.0) > 0.0", 1e300), ("log(a) > 0.0", -1.0), ("i64(a) > 0", float("inf")), ("exp(a) > 0.0", 1e6),
])  # fmt: skip
def test_conditions_without_a_value(condition: str, a: float) -> None:
    one = kernel(f"""
        def k(y: Mut[f64, "n"], a: f64):
            require({condition})
            for i in parallel(n):
                y[i] = 1.0
        """)
    refused(one, {"y": np.zeros(3), "a": a}, "KP0801", "`k`")


def test_overlap() -> None:
    data = np.ones(21)
    for y, x in ((data[:10], data[:10]), (data[1:11], data[:10]), (data[:10], data[9:19])):
        refused(
            axpy, {"y": y, "x": x, "a": 1.0}, "KP0803", "`y` and `x` overlap", "`axpy` borrows `y` exclusively", "copy"
        )
    compile_program(axpy, "cpu1").bind({"y": data[:10], "x": data[10:20], "a": 1.0}).run()  # neighbours
    empty = np.ones(0)
    compile_program(axpy, "cpu1").bind({"y": empty, "x": empty, "a": 1.0}).run()  # nothing is shared


def test_shared_borrows_may_overlap() -> None:
    add = kernel("""
        def add(y: Mut[f64, "n"], a: Ref[f64, "n"], b: Ref[f64, "n"]):
            for i in parallel(n):
                y[i] = a[i] + b[i]
        """)
    data, y = np.arange(6.0), np.zeros(5)
    add(y, data[:5], data[1:])
    assert y.tolist() == [1.0, 3.0, 5.0, 7.0, 9.0]
    add(y, data[1:], data[1:])
    assert y.tolist() == [2.0, 4.0, 6.0, 8.0, 10.0]


def test_atomic_borrows_overlap_each_other_only() -> None:
    one = kernel("""
        def add(y: Atomic[i64, "n"], z: Atomic[i64, "n"], h: Atomic[i32, "m"], x: Ref[i64, "n"]):
            for i in parallel(n):
                y[i] += x[i]
                z[i] += 1
        """)
    data, halves = np.zeros(12, np.int64), np.zeros(3, np.int32)
    given = {"y": data[:5], "z": data[2:7], "h": halves, "x": data[7:]}
    compile_program(one, "cpu1").bind(given).run()
    assert data.tolist() == [0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    refused(one, given | {"x": data[4:9]}, "KP0803", "`y` and `x` overlap", "`add` updates `y` atomically")
    refused(
        one, given | {"h": data.view(np.int32)[3:6]}, "KP0803", "`y` and `h` overlap", "`add` updates `y` atomically"
    )
    two = program("""
        @kernel
        def add(y: Atomic[i64, "n"]):
            for i in parallel(n):
                y[i] += 1

        @kernel
        def double(y: Mut[i64, "n"]):
            for i in parallel(n):
                y[i] *= 2

        @program
        def both(y: Mut[i64, "n"], z: Atomic[i64, "n"]):
            add(y)
            add(z)
            double(y)
        """)
    refused(two, {"y": data[:5], "z": data[2:7]}, "KP0803", "`y` and `z` overlap", "`double` borrows `y` exclusively")
    readonly = np.zeros(5, np.int64)
    readonly.flags.writeable = False
    refused(two, {"y": data[:5], "z": readonly}, "KP0804", "`z`")


def test_a_reducer_borrows_exclusively() -> None:
    one = kernel("""
        def total(x: Ref[f64, "n"], s: Sum[f64]):
            for i in parallel(n):
                s += x[i]
        """)
    x = np.ones(5)
    refused(one, {"x": x, "s": x[2:3]}, "KP0803", "`x` and `s` overlap", "borrows `s` exclusively")
    refused(one, {"x": x, "s": np.zeros(2)}, "KP0805", "dimension 0 of `s` has 2 elements")
    refused(one, {"x": x, "s": 0.0}, "KP0802", "`s` is a float, not an array")


LOCATED = kernel("""
    def smallest(x: Ref[f32, "n"], low: MinLoc[f32]):
        for i in parallel(n):
            low.update(x[i], i)
    """)


@pytest.mark.parametrize("dtype", [
    np.dtype(np.float32), np.dtype(complex), np.dtype("V16"), np.dtype([("v", "f4"), ("l", "i8")]),
    np.dtype([("v", "f8"), ("l", "i8")]), np.dtype([("v", "f4"), ("l", "i4")], align=True),
    np.dtype([("l", "i8"), ("v", "f4")], align=True), np.dtype([("v", "f4"), ("u", "f4"), ("l", "i8")]),
])  # fmt: skip
def test_a_location_needs_its_place(dtype: np.dtype[Any]) -> None:
    refused(
        LOCATED,
        {"x": np.ones(3, np.float32), "low": np.zeros(1, dtype)},
        "KP0802",
        "`low`",
        "`MinLoc[f32]`",
        "('location', 'int64')",
    )


def test_the_remedy_for_locations_works() -> None:
    x = np.array([3, 1, 1], np.float32)
    with pytest.raises(LaunchError) as caught:
        LOCATED(x, np.zeros(1, np.float32))
    dtype = eval(re.search(r"`(numpy\.dtype\(.*\))`", str(caught.value))[1], {"numpy": np})  # type: ignore[index]
    low = np.array([(9.0, 9)], dtype)
    LOCATED(x, low)
    assert low[0].item() == (1.0, 1)


def test_extents_that_disagree() -> None:
    one = kernel("""
        def k(y: Mut[f64, "n", "m"], x: Ref[f64, "m + 1"], z: Ref[f64, "lo..n"], c: Ref[f64, 3], lo: i64):
            for i, j in parallel(n, m):
                y[i, j] = x[j + 1]
        """)
    arguments = {"y": np.zeros((4, 5)), "x": np.ones(6), "z": np.ones(6), "c": np.ones(3), "lo": -2}
    compile_program(one, "cpu1").bind(arguments).run()
    refused(one, arguments | {"x": np.ones(5)}, "KP0805", "dimension 0 of `x` has 5 elements", "`m + 1` is 6", "m = 5")
    refused(
        one,
        arguments | {"z": np.ones(4)},
        "KP0805",
        "dimension 0 of `z` has 4 elements",
        "`lo..n` is 6",
        "lo = -2",
        "n = 4",
    )
    refused(one, arguments | {"c": np.ones(4)}, "KP0805", "dimension 0 of `c` has 4 elements, but its dim `3` is 3")
    refused(one, arguments | {"lo": 2**63 - 1}, "KP0805", "dimension 0 of `z` has 6 elements")


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_arrays_without_elements(shape: tuple[int, ...]) -> None:
    names, dims = ["i", "j"][: len(shape)], ", ".join(['"n"', '"m"'][: len(shape)])
    one = kernel(f"""
        def k(y: Mut[f64, {dims}], total: Sum[f64]):
            for {", ".join(names)} in parallel({", ".join(["n", "m"][: len(shape)])}):
                y[{", ".join(names)}] = 1.0
                total += 1.0
        """)
    for target in ("cpu1", "cpu"):
        total = np.array([5.0])
        compile_program(one, target).bind({"y": np.zeros(shape), "total": total}).run(3)
        assert total[0] == 5.0
