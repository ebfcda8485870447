from __future__ import annotations

from typing import Any

import pytest

from kparity.compiler import DeviceError, LaunchError
from kparity.harness.plan import Comparison
from kparity.harness.records import Cell, Record
from kparity.harness.settings import Settings
from kparity.harness.walk import DeviceSpoiled, Walk, diagnose

from .fakes import FakeDevice, FakeExecutable, FakeReporter, FakeWorkshop, daxpy, daxpy_entry, daxpy_manifest

SIZE = 1000


def cell(variant: str, size: int = SIZE, tuning: str = "default") -> Cell:
    return Cell("fake", "Basic_DAXPY", "cuda", size, variant, tuning)


def comparison(size: int = SIZE) -> Comparison:
    return Comparison("fake", "Basic_DAXPY", "cuda", size, (cell("checked", size), cell("native", size)))


class Bench:
    def __init__(self, checked: Any = None, native: Any = None, number: int = 0, **settings: Any) -> None:
        self.device = FakeDevice()
        sides = {"checked": checked, "native": native}
        executables = {
            variant: side if isinstance(side, Exception) else self.executable(side or daxpy)
            for variant, side in sides.items()
        }
        self.workshop = FakeWorkshop({"Basic_DAXPY": daxpy_entry()}, executables, self.device)
        self.reporter = FakeReporter()
        self.walk = Walk(
            "run-1", number, Settings(**settings), self.workshop, self.reporter, on_expected=self.reporter.expected
        )

    def executable(self, function: Any) -> FakeExecutable:
        return FakeExecutable(daxpy_manifest(), function, self.device)

    def visit(self, *comparisons: Comparison) -> dict[str, Record]:
        self.walk.visit(comparisons or (comparison(),))
        return {record.cell.variant: record for record in self.reporter.records}


def test_both_sides_get_verified_times() -> None:
    records = Bench().visit()
    for record in records.values():
        assert record.status == "ok"
        assert len(record.device_seconds) == len(record.wall_seconds) == 10
        assert record.device_seconds == pytest.approx([1e-4] * 10)
        assert record.verification.message == ""
        assert record.verification.checksum
        assert record.repetitions > 1
        assert record.compile_seconds == 0.25
        assert set(record.conditions) == {"before", "after", "clock"}
        assert record.started


def test_a_wrong_side_has_no_time_and_the_other_one_keeps_its_own() -> None:
    def wrong(y: Any, x: Any, a: float) -> None:
        y += 2 * a * x

    records = Bench(checked=wrong).visit()
    assert records["checked"].status == "wrong"
    assert records["checked"].device_seconds == []
    assert "checksum" in records["checked"].message
    assert records["checked"].verification.relative_difference > 0.1
    assert records["native"].status == "ok"
    assert len(records["native"].device_seconds) == 10


def test_a_side_that_does_not_compile_is_recorded_with_its_message() -> None:
    records = Bench(native=LaunchError("no such tuning")).visit()
    assert (records["native"].status, records["native"].message) == ("failed", "no such tuning")
    assert records["checked"].status == "ok"


def test_a_side_that_breaks_while_it_is_timed_leaves_the_others() -> None:
    class Breaks:
        runs = 0

        def __call__(self, y: Any, x: Any, a: float) -> None:
            self.runs += 1
            if self.runs > 20:
                raise MemoryError("no room")
            daxpy(y, x, a)

    records = Bench(native=Breaks()).visit()
    assert (records["native"].status, records["native"].message) == ("out_of_memory", "no room")
    assert records["checked"].status == "ok"
    assert len(records["checked"].device_seconds) == 10


def test_a_device_fault_is_recorded_and_ends_the_process() -> None:
    def faults(y: Any, x: Any, a: float) -> None:
        raise DeviceError("an illegal memory access was encountered")

    bench = Bench(native=faults)
    with pytest.raises(DeviceSpoiled):
        bench.visit()
    (record,) = bench.reporter.records
    assert (record.cell.variant, record.status) == ("native", "device_fault")
    assert "illegal memory access" in record.message


def test_a_device_that_no_longer_answers_ends_the_process_whatever_was_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(native=RuntimeError("cudaErrorUnknown"))

    def dead() -> None:
        raise RuntimeError("sticky error")

    monkeypatch.setattr(bench.device, "synchronize", dead)
    bench.workshop.executables["checked"] = RuntimeError("cudaErrorUnknown")  # type: ignore[index]
    with pytest.raises(DeviceSpoiled):
        bench.visit()
    assert [r.status for r in bench.reporter.records] == ["failed"]


def test_a_defect_is_one_line_in_the_record_and_a_trace_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    records = Bench(checked=ZeroDivisionError("division by zero")).visit()
    assert records["checked"].message == "ZeroDivisionError: division by zero"
    assert "Traceback" not in records["checked"].message
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_every_step_is_announced_for_the_cell_that_it_is_about() -> None:
    bench = Bench()
    bench.visit()
    steps = bench.reporter.steps
    assert steps[0] == ("compiling", (cell("checked"),))
    assert ("making data", (cell("checked"), cell("native"))) in steps
    assert ("verifying 3 repetitions", (cell("native"),)) in steps
    assert ("sample", (cell("native"),)) in steps


def test_data_is_made_once_for_comparisons_that_share_it() -> None:
    bench = Bench()
    bench.visit(comparison(), comparison(), comparison(2000))
    assert [what for what, _ in bench.reporter.steps].count("making data") == 2


def test_later_walks_verify_one_run_and_no_random_data() -> None:
    bench = Bench(number=3)
    records = bench.visit()
    assert records["checked"].walk == 3
    verified = [what for what, _ in bench.reporter.steps if what.startswith("verifying")]
    assert verified == ["verifying 1 repetitions"] * 2


def test_the_reference_runs_once_in_a_campaign() -> None:
    first = Bench()
    first.visit()
    expected = first.reporter.checksums
    assert {n: origin for n, (_, origin) in expected["Basic_DAXPY", SIZE].items()} == {1: "reference", 3: "reference"}

    def never(**arguments: Any) -> None:
        raise AssertionError("the reference ran again")

    later = Bench(number=1)
    later.workshop = FakeWorkshop(
        {"Basic_DAXPY": daxpy_entry(reference=never)}, later.workshop.executables, later.device
    )
    later.walk = Walk("run-1", 1, Settings(), later.workshop, later.reporter, expected, later.reporter.expected)
    assert later.visit()["checked"].status == "ok"
    assert later.reporter.checksums == {}  # nothing new


def test_verification_alone_takes_no_samples() -> None:
    records = Bench(timed=False).visit()
    assert {record.status for record in records.values()} == {"ok"}
    assert records["checked"].device_seconds == records["checked"].wall_seconds == []
    assert records["checked"].verification.checksum


def test_rajaperfs_protocol_repeats_as_often_as_the_suite_says() -> None:
    records = Bench(protocol="rajaperf", passes=3, repetition_factor=2.0).visit()
    assert records["native"].repetitions == 100
    assert len(records["native"].wall_seconds) == 3
    assert records["native"].device_seconds == []
    assert Bench(protocol="rajaperf", repetitions=7).visit()["native"].repetitions == 7


def test_each_side_has_arguments_of_its_own() -> None:
    bench = Bench(number=1)
    bench.visit()
    assert bench.device.uploads == 2 * 2 + 1  # x and y of each side, and the initial y that both are restored from


def test_diagnosis_names_what_happened() -> None:
    assert diagnose(MemoryError()) == ("out_of_memory", "out of memory")
    assert diagnose(DeviceError("fault"))[0] == "device_fault"
    assert diagnose(LaunchError("shape")) == ("failed", "shape")
    assert diagnose(KeyError("x")) == ("failed", "KeyError: 'x'")
