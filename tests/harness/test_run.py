"""Whole runs of small suites on one CPU thread: the real compiler, g++, worker processes, reports."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kparity.harness.cli import main
from kparity.harness.errors import ExitCode
from kparity.harness.journal import Journal, load, open_folder
from kparity.harness.records import Record

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the baselines"),
]

KERNEL = """
from kparity.compiler import Mut, Ref, f64, kernel, parallel
from kparity.suites import Spec, Work


@kernel
def {name}(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
    for i in parallel(n):
        y[i] {checked} a * x[i]


def reference(y, x, a):
    y += a * x


SPEC = Spec(
    "{upper}", program={name}, reference=reference, checksum=("y",), tolerance=1e-10, size=1000, repetitions=100,
    data=lambda n, fill: {{"y": fill.constant(n, 0.0), "x": fill.ramp(n), "a": 2.0}},
    work=lambda n: Work(16 * n, 8 * n, 2 * n),
)
"""
BASELINE = (Path(__file__).resolve().parents[2] / "baselines" / "rajaperf" / "basic" / "daxpy.cpp").read_text()


def add_kernel(suite: Path, name: str, *, checked: str = "+=", baseline: str = BASELINE) -> None:
    group = suite / "basic"
    group.mkdir(parents=True, exist_ok=True)
    (group / f"{name}.py").write_text(KERNEL.format(name=name, upper=name.upper(), checked=checked))
    (group / f"{name}.cpp").write_text(baseline.replace("daxpy", name))


def run(suite: Path, folder: Path, *words: str) -> int:
    options = ["--suite", str(suite), "--targets", "cpu1", "--outdir", str(folder), *words]
    return main(["run", *options])


def outcomes(folder: Path) -> dict[tuple[str, str], str]:
    return {(r.cell.kernel, r.cell.variant): r.status for r in load(folder).records}


def test_a_run_measures_and_ends_by_naming_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_kernel(tmp_path / "mine", "good")
    folder = tmp_path / "results"
    assert run(tmp_path / "mine", folder, "--quick") == ExitCode.OK
    printed = capsys.readouterr().out
    assert printed.rstrip().splitlines()[-1] == f"report: {folder / 'report.html'}"
    assert "no verdict is given" in printed
    assert "<html" in (folder / "report.html").read_text()
    campaign = load(folder)
    assert outcomes(folder) == {("Basic_GOOD", "checked"): "ok", ("Basic_GOOD", "native"): "ok"}
    for record in campaign.records:
        assert len(record.device_seconds) == len(record.wall_seconds) == 10
        assert record.verification.against == "reference"
    assert "g++" in campaign.provenance["compilers"]["cpu1"]
    assert campaign.provenance["devices"]["cpu1"]["model"]
    facts = campaign.kernels["Basic_GOOD"]
    assert facts["evidence"]
    assert "parallel" in facts["source"]
    assert facts["baseline_source"] and facts["code"]["cpu1"]
    assert facts["work"]["1000"]["flops"] == 2000


def test_what_is_broken_fails_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite, folder = tmp_path / "mine", tmp_path / "results"
    add_kernel(suite, "good")
    add_kernel(suite, "different", checked="-=")
    add_kernel(suite, "uncompiled", baseline=BASELINE.replace("y[i]", "z[i]"))
    add_kernel(suite, "racing")
    racing = suite / "basic" / "racing.py"
    racing.write_text(racing.read_text().replace("y[i] += a * x[i]", "y[0] += a * x[i]"))
    (suite / "basic" / "torn.py").write_text("def torn(:\n")
    assert run(suite, folder, "--quick", "--json") == ExitCode.FAILED
    found = {(r.cell.kernel, r.cell.variant): (r.status, r.message) for r in load(folder).records}
    assert {key: status for key, (status, _) in found.items()} == {
        ("Basic_GOOD", "checked"): "ok",
        ("Basic_GOOD", "native"): "ok",
        ("Basic_DIFFERENT", "checked"): "wrong",
        ("Basic_DIFFERENT", "native"): "ok",
        ("Basic_UNCOMPILED", "checked"): "ok",
        ("Basic_UNCOMPILED", "native"): "failed",
        ("Basic_RACING", "checked"): "failed",
        ("Basic_RACING", "native"): "ok",
        ("Basic_TORN", "checked"): "failed",
    }
    assert "error" in found["Basic_UNCOMPILED", "native"][1]
    assert "uncompiled.cpp" in found["Basic_UNCOMPILED", "native"][1]
    assert "KP0401" in found["Basic_RACING", "checked"][1]
    assert "torn.py:1: SyntaxError" in found["Basic_TORN", "checked"][1]
    captured = capsys.readouterr()
    assert json.loads(captured.out)["folder"] == str(folder)
    assert "Traceback" not in captured.err


def test_a_folder_holds_one_campaign_and_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_kernel(tmp_path / "mine", "good")
    folder = tmp_path / "results"
    held = open_folder(folder)
    assert run(tmp_path / "mine", folder, "--quick") == ExitCode.BUSY
    assert "another run is writing" in capsys.readouterr().err
    held.release()
    assert run(tmp_path / "mine", folder, "--quick") == ExitCode.OK
    assert run(tmp_path / "mine", folder, "--quick") == ExitCode.FOLDER
    assert f"--resume {folder}" in capsys.readouterr().err
    assert run(tmp_path / "mine", tmp_path / "mine" / "basic" / "good.py", "--quick") == ExitCode.FOLDER
    assert "choose another folder" in capsys.readouterr().err
    records = load(folder).records
    assert main(["run", "--resume", str(folder)]) == ExitCode.OK
    assert load(folder).records == records  # nothing was left to do


def test_a_full_disk_keeps_what_there_is_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        add_kernel(tmp_path / "mine", name)
    folder = tmp_path / "results"
    append = Journal.append

    def full(self: Journal, record: Record) -> None:
        if len(load(folder).records) == 2:
            monkeypatch.setattr(os, "fsync", no_space)
        append(self, record)

    def no_space(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as during:
        during.setattr(Journal, "append", full)
        assert run(tmp_path / "mine", folder, "--quick") == ExitCode.DISK_FULL
    monkeypatch.undo()
    printed = capsys.readouterr().err
    assert f"--resume {folder}" in printed
    assert "Traceback" not in printed
    assert len(load(folder).records) >= 2
    assert main(["run", "--resume", str(folder)]) == ExitCode.OK
    assert set(outcomes(folder).values()) == {"ok"}
    assert len(outcomes(folder)) == 4


def test_ctrl_c_saves_the_state_and_says_how_to_go_on(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        add_kernel(tmp_path / "mine", name)
    folder = tmp_path / "results"
    command = [
        sys.executable,
        "-m",
        "kparity.harness.cli",
        "run",
        "--suite",
        str(tmp_path / "mine"),
        "--targets",
        "cpu1",
    ]
    process = subprocess.Popen(
        [*command, "--outdir", str(folder), "--walks", "50"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    journal = folder / "journal.jsonl"
    deadline = time.monotonic() + 60
    while not (journal.exists() and journal.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED
    assert f"kparity run --resume {folder}" in printed
    assert "Traceback" not in printed
    assert load(folder).records
    assert (folder / "report.html").exists()


def test_verify_checks_without_timing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_kernel(tmp_path / "mine", "good")
    folder = tmp_path / "results"
    words = ["verify", "--suite", str(tmp_path / "mine"), "--targets", "cpu1", "--outdir", str(folder)]
    assert main(words) == ExitCode.OK
    assert "2 of 2 cells are right" in capsys.readouterr().out
    assert all(record.device_seconds == [] and record.verification.checksum for record in load(folder).records)


def test_a_checkrun_is_rajaperfs_protocol(tmp_path: Path) -> None:
    add_kernel(tmp_path / "mine", "good")
    assert run(tmp_path / "mine", tmp_path / "results", "--checkrun", "3", "--npasses", "2") == ExitCode.OK
    for record in load(tmp_path / "results").records:
        assert (record.repetitions, len(record.wall_seconds), record.device_seconds) == (3, 2, [])
