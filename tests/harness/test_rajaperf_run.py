"""`--rajaperf PATH`: a user's RAJAPerf is run kernel by kernel, between the sides of each comparison."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from kparity.harness.cli import main
from kparity.harness.comparison import compare
from kparity.harness.errors import ExitCode
from kparity.harness.journal import load
from kparity.harness.plan import make_plan, with_tunings
from kparity.harness.records import Cell
from kparity.harness.settings import Settings

from .fakes import daxpy_entry

WORDS = ("--targets", "cpu1", "--kernels", "Basic_DAXPY", "--size", "1000", "--walks", "2", "--budget", "1")
needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the baselines")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "raja-perf.exe"
    path.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).with_name("fake_rajaperf.py")} "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("FAKE_RAJAPERF_LOG", str(tmp_path / "calls"))
    return path


def run(tmp_path: Path, program: Path, *words: str) -> int:
    return main(["run", *WORDS, "--rajaperf", str(program), "--outdir", str(tmp_path / "results"), *words])


def theirs(tmp_path: Path) -> dict[tuple[str, int], tuple[str, str]]:
    records = load(tmp_path / "results").records
    return {
        (r.cell.tuning, r.walk): (r.status, r.message)
        for r in records if r.cell.variant == "rajaperf_Base_Seq"
    }  # fmt: skip


@needs_gxx
@pytest.mark.slow
def test_each_tuning_is_a_side_of_every_walk(tmp_path: Path, program: Path) -> None:
    assert run(tmp_path, program, "--npasses", "1") == ExitCode.USAGE  # of RAJAPerf's protocol alone
    assert run(tmp_path, program, "--repfact", "0.5") == ExitCode.OK
    assert theirs(tmp_path) == {(t, w): ("ok", "") for t in ("block_128", "block_256") for w in (0, 1)}
    record = next(r for r in load(tmp_path / "results").records if r.cell.tuning == "block_256")
    assert (record.actual_size, record.wall_seconds, record.device_seconds) == (1000, [1.5e-5], [])
    assert record.verification.checksum == "160928301.9"
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0].startswith("--kernels Basic_DAXPY --variants Base_Seq --size 1000 --outdir ")
    assert calls[0].endswith("--checkrun 1")
    assert [call.split("--tunings ")[1] for call in sorted(calls[1:], key=lambda c: c.split("--tunings ")[1])] == [
        f"{tuning} --npasses 1 --repfact 0.5" for tuning in ("block_128", "block_128", "block_256", "block_256")
    ]
    (comparison,) = compare(load(tmp_path / "results"))
    assert comparison.outcomes["wall"].estimate is not None  # ours, undisturbed by theirs
    table = (tmp_path / "results" / "RAJAPerf-kernel-run-data.csv").read_text()
    assert {line.split(",")[1].strip() for line in table.splitlines()[1:]} == {"Base_Seq", "Checked_Seq"}


@needs_gxx
@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "status", "message"),
    [
        ("crash", "crashed", "RAJAPerf died of signal SIGSEGV"),
        ("larger", "failed", "RAJAPerf ran 1,001 elements, the checked kernel has 1,000"),
    ],
)
def test_what_fails_is_recorded_and_the_rest_goes_on(
    tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch, fault: str, status: str, message: str
) -> None:
    monkeypatch.setenv("FAKE_RAJAPERF", fault)
    assert run(tmp_path, program) == ExitCode.FAILED
    found = theirs(tmp_path)["block_256", 0]
    assert found[0] == status
    assert found[1].startswith(message)
    ours = [r for r in load(tmp_path / "results").records if not r.cell.variant.startswith("rajaperf")]
    assert [r.status for r in ours] == ["ok"] * 4


@needs_gxx
@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "status", "message"),
    [
        ("refuse", "failed", "RAJAPerf ended with exit status 1: RAJAPerf: no such device"),
        ("lacks", "skipped", "RAJAPerf has no Base_Seq of Basic_DAXPY"),
    ],
)
def test_what_fails_at_once_is_not_tried_again(
    tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch, fault: str, status: str, message: str
) -> None:
    monkeypatch.setenv("FAKE_RAJAPERF", fault)
    assert run(tmp_path, program) == (ExitCode.OK if status == "skipped" else ExitCode.FAILED)
    assert theirs(tmp_path) == {("default", 0): (status, message)}
    assert len((tmp_path / "calls").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--graph",), "cannot measure in that way"),
        (("--suite", "."), "knows the kernels of the suite rajaperf"),
        (("--rajaperf", "missing"), "not a program"),
    ],
)
def test_what_cannot_be_is_refused(
    tmp_path: Path, program: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert run(tmp_path, program, *words) == ExitCode.USAGE
    assert message in capsys.readouterr().err


def test_the_plan_has_rajaperfs_variant_of_each_target_with_its_own_tunings() -> None:
    settings = Settings(targets=("cpu1", "cuda"), rajaperf="/x")
    plan = make_plan([daxpy_entry()], settings)
    assert [side.variant for c in plan for side in c.sides] == [
        "checked", "native", "rajaperf_Base_Seq", "checked", "native", "rajaperf_Base_CUDA",
    ]  # fmt: skip
    tunings = {("Basic_DAXPY", "cuda"): ("block_256",), ("Basic_DAXPY", "rajaperf_Base_CUDA"): ("a", "b")}
    sides = with_tunings(plan, tunings, settings)[1].sides
    assert [(s.variant, s.tuning) for s in sides if isinstance(s, Cell)] == [
        ("checked", "default"), ("native", "block_256"), ("rajaperf_Base_CUDA", "a"), ("rajaperf_Base_CUDA", "b"),
    ]  # fmt: skip
