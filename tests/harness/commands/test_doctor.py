"""`kparity doctor` on machines with and without the CPU targets."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

import pytest

from kparity.harness.commands import doctor
from kparity.harness.errors import ExitCode
from kparity.harness.machine import Finding

HEALTHY = [
    Finding("target", "cpu1", "works"),
    Finding("target", "cpu", "works"),
    Finding("target", "cuda", remedy="no GPU: get one"),
    Finding("compiler", "C++", "g++ 12 (/usr/bin/g++)"),
]
BROKEN = [Finding("target", "cpu1", remedy="llvmlite is missing: pip install llvmlite"), *HEALTHY[1:]]

Doctor = Callable[[list[Finding], list[str]], int]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Doctor:
    def run(found: list[Finding], arguments: list[str]) -> int:
        monkeypatch.setattr(doctor, "findings", lambda: found)
        parser = argparse.ArgumentParser()
        doctor.add_parser(parser.add_subparsers())
        options = parser.parse_args(["doctor", *arguments])
        return int(options.execute(options))

    return run


def test_healthy_machine(run: Doctor, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(HEALTHY, []) == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        "ok       target cpu1   works",
        "ok       target cpu    works",
        "missing  target cuda   no GPU: get one",
        "ok       compiler C++  g++ 12 (/usr/bin/g++)",
    ]


def test_without_the_cpu_target_it_fails(run: Doctor, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(BROKEN, []) == ExitCode.UNAVAILABLE
    shown = capsys.readouterr().out
    assert "missing  target cpu1   llvmlite is missing: pip install llvmlite\n" in shown
    assert shown.splitlines()[-1].startswith("the embedded CPU targets do not work here")


@pytest.mark.parametrize(("found", "works"), [(HEALTHY, True), (BROKEN, False)])
def test_json(found: list[Finding], works: bool, run: Doctor, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(found, ["--json"]) == (ExitCode.OK if works else ExitCode.UNAVAILABLE)
    shown = json.loads(capsys.readouterr().out)
    assert shown["works"] is works
    assert [f["name"] for f in shown["findings"]] == ["cpu1", "cpu", "cuda", "C++"]
    assert [f["is_there"] for f in shown["findings"]] == [works, True, False, True]
