from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Manifest, Parameter, compile_program, device_of
from kparity.harness.elementwise import compare_inputs
from kparity.harness.random_data import random_arguments
from kparity.harness.records import Verification
from kparity.harness.resident import Resident, poisoned
from kparity.harness.verify import KernelData, Verifier
from kparity.suites import Entry, arrays_in, entries

from .fakes import FakeDevice, FakeExecutable, Function, daxpy, daxpy_entry, daxpy_manifest

SIZE = 2000


def verify(
    function: Function,
    entry: Entry | None = None,
    manifest: Manifest | None = None,
    *,
    quick: bool = False,
    **options: Any,
) -> tuple[Verification, Resident | None]:
    device = FakeDevice()
    executable = FakeExecutable(manifest or daxpy_manifest(), function, device, **options)
    data = KernelData(entry or daxpy_entry(), SIZE, executable.manifest, seed=1)
    verifier = Verifier(device, executable, data, lambda what: None)
    return verifier.quick() if quick else verifier.thorough()


def test_a_right_kernel_passes_and_its_arguments_are_kept_for_timing() -> None:
    found, resident = verify(daxpy)
    assert found.message == ""
    assert found.largest_error <= 1
    assert (found.against, found.checksum) == ("reference", found.expected)
    assert resident is not None
    assert resident.bound.arguments["y"][3] == 1.0 + 0.5 * 4.0  # type: ignore[attr-defined]  # after one repetition


def test_a_published_value_goes_before_the_reference() -> None:
    entry = daxpy_entry(published=lambda name, size, repetitions: Decimal(12345))
    found, resident = verify(daxpy, entry)
    assert resident is None
    assert found.against == "published"
    assert "differs from the published value 12345" in found.message


def test_the_checksum_is_taken_after_three_repetitions_too() -> None:
    def only_once(y: Any, x: Any, a: float) -> None:
        y[:] = 1.0 + a * x  # right after one repetition alone

    assert "3 repetitions" in verify(only_once)[0].message
    assert verify(only_once, quick=True)[0].message == ""


def test_an_error_that_the_checksum_cannot_see_shows_on_random_data() -> None:
    entry = daxpy_entry(data=lambda n, fill: {"y": np.zeros(n), "x": np.zeros(n), "a": 0.5})

    def shifted(y: Any, x: Any, a: float) -> None:
        y[1:] += a * x[:-1]
        y[0] += a * x[0]

    found, resident = verify(shifted, entry)
    assert resident is None
    assert "random data, size 1003" in found.message
    assert "`y` at [" in found.message
    assert found.largest_error > 1
    assert verify(shifted, entry, quick=True)[0].message == ""


def test_the_timed_size_is_tested_on_random_data_too() -> None:
    def wrong_beyond_1003(y: Any, x: Any, a: float) -> None:
        y += a * x
        if (x[:2] < 0.99).all() and y.size > 1003:
            y[-1] += 0.1

    found, _ = verify(wrong_beyond_1003)
    assert f"random data, size {SIZE}" in found.message


def test_nan_never_passes() -> None:
    def leaves_nan(y: Any, x: Any, a: float) -> None:
        y += a * x
        y[7] = np.nan

    found, resident = verify(leaves_nan)
    assert resident is None
    assert "`y` at [7] is nan" in found.message


def test_an_input_must_not_change() -> None:
    def careless(y: Any, x: Any, a: float) -> None:
        y += a * x
        x[5] += 1e-13

    assert "the input `x` was changed at [5]" in verify(careless)[0].message


def out_manifest() -> Manifest:
    return Manifest.build(
        "copy", [Parameter("x", "array", "f64", "Ref", ("n",)), Parameter("y", "array", "f64", "Out", ("n",))]
    )


def out_entry(function: Function) -> Entry:
    return daxpy_entry(reference=function, data=lambda n, fill: {"x": np.ones(n), "y": np.ones(n)})


def test_an_output_that_is_not_written_is_poison() -> None:
    def whole(x: Any, y: Any) -> None:
        y[:] = x

    def but_the_last(x: Any, y: Any) -> None:
        y[:-1] = x[:-1]

    assert verify(whole, out_entry(whole), out_manifest())[0].message == ""
    found, _ = verify(but_the_last, out_entry(whole), out_manifest())
    assert f"`y` at [{SIZE - 1}] is nan" in found.message


def test_a_reference_that_leaves_poison_does_not_excuse_a_kernel() -> None:
    def nothing(x: Any, y: Any) -> None:
        pass

    assert verify(nothing, out_entry(nothing), out_manifest())[0].message


def dot_manifest() -> Manifest:
    return Manifest.build(
        "dot",
        [Parameter("x", "array", "f64", "Ref", ("n",)), Parameter("total", "reducer", "f64", "Sum", ())],
        returned=("total",),
    )


def dot(x: Any, total: Any) -> None:
    total += x.sum()


def dot_entry() -> Entry:
    data = lambda n, fill: {"x": np.ones(n), "total": np.zeros(1)}  # noqa: E731
    return daxpy_entry(reference=dot, data=data, checksum=("total",), scalars=("total",), rtol=1e-10)


def test_a_scalar_must_come_back_as_the_device_holds_it() -> None:
    assert verify(dot, dot_entry(), dot_manifest())[0].message == ""
    found, _ = verify(dot, dot_entry(), dot_manifest(), delivery_error=1.0)
    assert f"`total` came back as {3.0 * SIZE + 1}, the device holds {3.0 * SIZE}" in found.message


def test_a_checksum_of_equal_arrays_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = []
    original = Entry.checksum

    def counted(self: Entry, arguments: Any, repetitions: int) -> Decimal:
        sums.append(1)
        return original(self, arguments, repetitions)

    monkeypatch.setattr(Entry, "checksum", counted)
    device = FakeDevice()
    data = KernelData(daxpy_entry(), SIZE, daxpy_manifest(), seed=1)
    for _ in range(3):
        executable = FakeExecutable(daxpy_manifest(), daxpy, device)
        assert Verifier(device, executable, data, lambda what: None).quick()[0].message == ""
    assert len(sums) == 1  # the reference's; every side's is the same, bit by bit


def test_poison_is_extreme_in_every_type() -> None:
    members: list[Any] = [Parameter(t, "array", t, "Out", ("n",)) for t in ("f64", "i32", "u64")]
    arguments = {"f64": np.zeros(2), "i32": np.zeros(2, np.int32), "u64": np.zeros(2, np.uint64)}
    poison = poisoned(arguments, Manifest.build("k", members))
    assert np.isnan(poison["f64"]).all()
    assert (poison["i32"] == -(2**31)).all()
    assert (poison["u64"] == 2**64 - 1).all()
    assert not arguments["f64"].any()


def test_noise_replaces_floats_and_32_bit_integers_only() -> None:
    arguments = {
        "x": np.zeros(100), "f": np.zeros(100, np.float32), "v": np.zeros(100, np.int32), "index": np.arange(100),
        "a": 2.0,
    }  # fmt: skip
    entry = daxpy_entry(data=lambda n, fill: dict(arguments))
    noise = random_arguments(entry, 100, np.random.default_rng(1))
    again = random_arguments(entry, 100, np.random.default_rng(1))
    for name in ("x", "f", "v"):
        assert noise[name].dtype == arguments[name].dtype
        assert len(np.unique(noise[name])) > 50
        assert (noise[name] == again[name]).all()
    assert noise["index"] is arguments["index"]
    assert noise["a"] == 2.0
    assert arguments["x"].max() == 0  # the template is not changed
    own = daxpy_entry(random=lambda n, rng: {"x": n})
    assert random_arguments(own, 5, np.random.default_rng(1)) == {"x": 5}


def verify_halo(entry: Entry) -> Verification:
    executable = compile_program(entry.spec.program, "cpu1")
    data = KernelData(entry, 343, executable.manifest, seed=1)
    return Verifier(device_of("cpu1"), executable, data, lambda what: None).thorough()[0]


def test_members_of_packs_are_compared_one_by_one() -> None:
    entry = replace(entries("rajaperf")["HALO_PACKING_FUSED"], published=lambda name, size, repetitions: None)
    assert verify_halo(entry).message == ""

    def one_wrong(**arguments: Any) -> None:
        right = entries("rajaperf")["HALO_PACKING_FUSED"].spec.reference
        right(**arguments)
        arguments["send"][7][1, 2] += 1.0

    assert "checksum" in verify_halo(replace(entry, spec=replace(entry.spec, reference=one_wrong))).message
    blind = replace(entry.spec, reference=one_wrong, checksum=("variables",))
    assert "`send[7]` at [1, 2] is" in verify_halo(replace(entry, spec=blind)).message


def test_an_input_in_a_pack_must_stay_as_it_was() -> None:
    arrays = {"x": [np.zeros(3), np.ones(2)]}
    changed = {"x": [np.zeros(3), np.array([1.0, 2.0])]}
    assert compare_inputs(arrays_in(arrays), arrays_in(arrays)) == ""
    assert compare_inputs(arrays_in(arrays), arrays_in(changed)) == "the input `x[1]` was changed at [1]"
