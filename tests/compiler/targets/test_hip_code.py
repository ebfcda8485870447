"""Code objects for AMD GPUs, judged without one: argument lists, waves, spills, and what goes wrong on the way."""

from __future__ import annotations

import struct
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kparity.compiler import TargetUnavailable
from kparity.compiler.compile import generated
from kparity.compiler.targets import code_object, hip, hip_tools, llvm
from kparity.compiler.targets.code_object import Argument, KernelObject
from kparity.suites import Entry, entries

from ..sources import kernel

PROCESSORS = list(hip.PROCESSORS)
SUITE = entries("rajaperf")
SPILLING = {
    "EDGE3D": "a 12 by 12 matrix a thread",
    "FEMSWEEP": "an 8 by 8 system a thread",
    "INTSC_HEXHEX": "polygons of up to eight vertices, two at a time",
    "INTSC_HEXRECT": "a hexahedron whose corners a list of triangles indexes",
}


@cache
def artifact(one: Any, processor: str) -> Any:
    """Generated code of a program for a processor."""
    try:
        return generated(one, f"hip:{processor}")
    except TargetUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("gfx", PROCESSORS)
@pytest.mark.parametrize("entry", SUITE, ids=lambda entry: entry.full_name)
def test_every_kernel_has_the_hosts_argument_list_and_keeps_its_values_in_registers(entry: Entry, gfx: str) -> None:
    """The comparison with the host's list is part of generating code: here it is seen to happen for each version."""
    made = artifact(entry.spec.program, gfx)
    found = code_object.kernel_objects(made.code)
    for call in (c for c in made.plan.calls if not c.library):
        for suffix, *_ in call.versions:
            one = found[call.symbol.replace(".", "_") + suffix]
            assert len(one.arguments) == len(call.slots)
            assert one.wave == (64 if gfx.startswith("gfx9") else 32)
            if entry.spec.name not in SPILLING:
                assert (one.figures["spills"], one.figures["scalar_spills"], one.figures["private_bytes"]) == (0, 0, 0)


DAXPY = kernel("""
    def daxpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64, on: bool, k: i32):
        for i in parallel(n):
            y[i] += a * x[i] if on else f64(k)
    """)


def test_an_argument_list_is_read_back() -> None:
    found = code_object.kernel_objects(artifact(DAXPY, "gfx942").code)
    assert [(a.offset, a.size, a.kind) for a in found["kp_daxpy_0_narrow"].arguments] == [
        (0, 8, "global_buffer"), (8, 8, "global_buffer"), (16, 8, "by_value"), (24, 1, "by_value"),
        (28, 4, "by_value"), (32, 8, "by_value"), (40, 8, "by_value"), (48, 8, "by_value"),
    ]  # fmt: skip
    assert found["kp_daxpy_0_narrow"].figures["registers"] > 0


@pytest.mark.parametrize(("position", "planted", "message"), [
    (0, Argument(0, 8, "by_value"), "argument 0 of k is .*by_value.*, the host packs `y` as .*global_buffer"),
    (3, Argument(25, 1, "by_value"), "argument 3 of k is .*offset=25.*, the host packs `on` as .*offset=24"),
    (4, Argument(28, 8, "by_value"), "argument 4 of k is .*size=8.*, the host packs `k` as .*size=4"),
    (None, None, "k has 7 arguments, the host packs 8"),
])  # fmt: skip
def test_an_argument_list_that_differs_is_refused(position: int | None, planted: Argument | None, message: str) -> None:
    slots = hip.checked_slots(DAXPY.proved)
    found = code_object.kernel_objects(artifact(DAXPY, "gfx942").code)["kp_daxpy_0"]
    arguments = list(found.arguments)
    if position is None or planted is None:
        arguments.pop()
    else:
        arguments[position] = planted
    code_object.check_arguments({"k": found}, "k", slots, 64)
    with pytest.raises(RuntimeError, match=message):
        code_object.check_arguments({"k": replace(found, arguments=tuple(arguments))}, "k", slots, 64)


def test_a_wave_of_another_size_and_a_kernel_that_is_missing_are_refused() -> None:
    slots, one = hip.checked_slots(DAXPY.proved), KernelObject((), 32, 0, {})
    found = code_object.kernel_objects(artifact(DAXPY, "gfx942").code)["kp_daxpy_0"]
    with pytest.raises(RuntimeError, match="waves of 32 lanes, its reductions combine 64"):
        code_object.check_arguments({"k": replace(found, wave=one.wave)}, "k", slots, 64)
    with pytest.raises(RuntimeError, match="has no kernel k"):
        code_object.check_arguments({}, "k", slots, 64)


def test_mathematical_functions_come_from_ocml_and_nothing_stays_undefined() -> None:
    one = kernel("""
        def k(y: Out[f64, "n"], z: Out[f32, "n"], x: Ref[f64, "n"]):
            for i in parallel(n):
                y[i] = exp(x[i]) + atan2(x[i], 2.0) + pow(abs(x[i]), 0.3) + cbrt(x[i]) + tanh(x[i]) + tan(x[i])
                z[i] = sin(f32(x[i])) + log(abs(f32(x[i])) + 1) + cos(f32(x[i])) + atan(f32(x[i]))
        """)
    for processor in ("gfx942", "gfx1100"):
        made = artifact(one, processor)
        assert set(code_object.kernel_objects(made.code)) == {"kp_k_0", "kp_k_0_narrow"}
        assert made.listing.count("v_fma_f64") + made.listing.count("v_fmac_f64") > 100
        assert "__ocml" not in made.listing


@pytest.mark.parametrize("processor", ["gfx942", "gfx1100"])
def test_a_code_generator_that_gives_up_leaves_the_caller_alive(processor: str) -> None:
    """LLVM has no code for this call on an AMD GPU, says so, and aborts."""
    machine = hip.machine(processor)
    text = f"""
        target triple = "{hip.TRIPLE}"
        target datalayout = "{llvm.data_layout(machine)}"
        declare double @llvm.pow.f64(double, double)
        define amdgpu_kernel void @k(ptr addrspace(1) %p) {{
          %x = load double, ptr addrspace(1) %p
          %y = call double @llvm.pow.f64(double %x, double %x)
          store double %y, ptr addrspace(1) %p
          ret void
        }}"""
    with pytest.raises(llvm.GeneratorDied, match=rf"(?s)no code for {processor}.*it said:.*(pow|libcall|select)"):
        llvm.emitted_apart(text, machine)
    with pytest.raises(llvm.GeneratorDied, match="expected"):
        llvm.emitted_apart("no module", machine)


def test_code_that_spills_is_made_again_with_less_unrolling(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    original = llvm.emitted_apart

    def emitted(text: str, machine: Any, libraries: Any = (), options: Any = ()) -> Any:
        asked.append(tuple(options))
        return original(text, machine, libraries, options)

    monkeypatch.setattr(llvm, "emitted_apart", emitted)
    real = code_object.kernel_objects

    def spilling(code: bytes) -> dict[str, KernelObject]:
        return {n: replace(k, figures=k.figures | {"spills": 3 - len(asked)}) for n, k in real(code).items()}

    monkeypatch.setattr(code_object, "kernel_objects", spilling)
    try:
        made = generated(DAXPY, "hip:gfx1100")
    except TargetUnavailable as error:
        pytest.skip(str(error))
    assert asked == [(), hip._LESS_UNROLLING]
    assert {f["spills"] for f in made.figures.values()} == {1}


def test_additions_to_memory_are_one_instruction() -> None:
    one = kernel("""
        def k(total: Atomic[f64, 1], count: Atomic[i32, 1], x: Ref[f64, "n"]):
            for i in parallel(n):
                total[0] += x[i]
                count[0] += 1
        """)
    for processor in ("gfx90a", "gfx942"):
        listing = artifact(one, processor).listing
        assert "global_atomic_add_f64" in listing and "cmpswap" not in listing


def test_a_processor_without_code_is_refused_by_name() -> None:
    with pytest.raises(
        TargetUnavailable, match=r"no code is made for `gfx803`, only for gfx90a, .*: choose `hip:gfx942`"
    ):
        generated(DAXPY, "hip:gfx803")


def test_missing_tools_are_named_with_what_brings_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(hip_tools, "_package", lambda name: None)
    monkeypatch.setattr(hip_tools, "roots", lambda: (tmp_path, tmp_path))
    for find, named in ((hip_tools.lld, "lld 15 or later"), (hip_tools.device_library, "ocml.bc")):
        with pytest.raises(TargetUnavailable, match=rf"(?s){named}.*pip install 'kparity\[amd-toolchain\]'"):
            find.__wrapped__()


def test_what_is_no_code_object_is_refused() -> None:
    with pytest.raises(ValueError, match="no ELF file"):
        code_object.kernel_objects(b"MZ" + bytes(100))
    header = bytearray(64)
    header[:6] = b"\x7fELF\x02\x01"
    with pytest.raises(ValueError, match="no note of AMD's"):
        code_object.kernel_objects(bytes(header))


@pytest.mark.parametrize(("raw", "value"), [
    (b"\x05", 5), (b"\xff", -1), (b"\xc0", None), (b"\xc3", True), (b"\xcd\x01\x00", 256), (b"\xd1\xff\x00", -256),
    (b"\xa2ab", "ab"), (b"\xd9\x02ab", "ab"), (b"\xc4\x01z", b"z"), (b"\x92\x01\xa1x", [1, "x"]),
    (b"\x81\xa1k\x92\x01\x02", {"k": [1, 2]}), (b"\xde\x00\x01\x01\x02", {1: 2}), (b"\xdc\x00\x01\x07", [7]),
    (b"\xcb" + struct.pack(">d", 0.5), 0.5),
])  # fmt: skip
def test_messagepack(raw: bytes, value: object) -> None:
    assert code_object._unpacked(raw, 0) == (value, len(raw))


def test_messagepack_of_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="type 0xc7"):
        code_object._unpacked(b"\xc7\x00\x00", 0)
