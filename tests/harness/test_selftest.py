"""The self-test says what is true, and notices verdicts that are not."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from kparity.harness.cli import main
from kparity.harness.comparison import compare
from kparity.harness.errors import ExitCode, UsageError
from kparity.harness.journal import load
from kparity.harness.launchpad import Mission
from kparity.harness.planted import Slowed, whole_repetitions
from kparity.harness.records import Campaign, Cell, Record
from kparity.harness.selftest import as_json, missions, trial_of
from kparity.harness.settings import Settings

from .test_run import add_kernel


@dataclass
class Counting:
    launches: list[int] = field(default_factory=list)

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        self.launches.append(repetitions)


@pytest.mark.parametrize(("share", "whole"), [(0.1, 10), (0.25, 4), (0.15, 20), (1.0, 1)])
def test_a_slowdown_is_exact_for_whole_repetitions(share: float, whole: int) -> None:
    assert whole_repetitions(share) == whole
    bound = Counting()
    Slowed(bound, share).run(3 * whole)
    assert bound.launches == [round(3 * whole * (1 + share))]


def campaign(slower: float) -> Campaign:
    records = []
    for walk in range(5):
        for variant in ("checked", "native"):
            cell = Cell("s", "G_A", "cpu1", 10, variant)
            times = [1e-3 * (1 + slower * (variant == "checked"))] * 10
            records.append(Record("r", cell, walk, 0, "ok", device_seconds=times, wall_seconds=times))
    return Campaign("r", {}, records, {})


def test_what_the_truth_contradicts_is_named() -> None:
    assert trial_of(campaign(0.0), 0.0).false_claims == []
    assert trial_of(campaign(0.1), 0.1).false_claims == []
    slow = trial_of(campaign(0.2), 0.0)
    assert slow.truth == "parity"
    assert slow.false_claims[0] == "G_A on cpu1, size 10, device clock: slower, 0.833 [0.833, 0.833]"
    missed = trial_of(campaign(0.0), 0.1)
    assert missed.truth == "slower"
    assert "parity, 1.000" in missed.false_claims[1]
    assert as_json([missed])["trials"][0]["verdicts"] == {"device": {"parity": 1}, "wall": {"parity": 1}}


def test_a_cell_without_a_verdict_is_no_success() -> None:
    broken = campaign(0.0)
    records = [replace(broken.records[0], status="crashed", message="SIGSEGV"), *broken.records[1:]]
    assert "checked crashed: SIGSEGV" in trial_of(replace(broken, records=records), 0.0).false_claims[0]


def mission(**changes: Any) -> Mission:
    return Mission("r", Path("f"), Settings(**changes), {}, [], {}, [], is_resumed=False)


@pytest.mark.parametrize(
    ("changes", "planted", "why"),
    [
        ({"variants": ("checked",)}, 0.1, "two sides"),
        ({"walks": 4}, 0.1, "at least five"),
        ({}, 0.05, "within the margin"),
    ],
)
def test_what_cannot_be_judged_is_refused(changes: dict[str, Any], planted: float, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        missions(mission(**changes), planted)


def test_the_budget_is_shared_by_both_campaigns() -> None:
    same, slowed = missions(mission(budget_seconds=100.0), 0.1)
    assert (same.settings.planted, slowed.settings.planted) == (0.0, 0.1)
    assert same.settings.budget_seconds == slowed.settings.budget_seconds == 50.0
    assert (same.folder, slowed.folder) == (Path("f/same"), Path("f/slowed"))


@pytest.mark.toolchain
def test_both_campaigns_run_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_kernel(tmp_path / "mine", "good")
    words = ["selftest", "--suite", str(tmp_path / "mine"), "--targets", "cpu1", "--budget", "1"]
    status = main([*words, "--planted", "1", "--outdir", str(tmp_path / "out"), "--json"])
    trials = json.loads(capsys.readouterr().out)["trials"]
    assert [trial["right"] for trial in trials] == ["parity", "slower"]
    assert status == (ExitCode.FAILED if any(trial["false_claims"] for trial in trials) else ExitCode.OK)
    slowed = load(tmp_path / "out" / "slowed")
    (result,) = compare(slowed)
    assert result.native and result.checked
    assert {record.status for record in slowed.records} == {"ok"}
    assert slowed.provenance["settings"]["planted"] == 1.0
    assert slowed.provenance["compilers"] == {"cpu1": "kparity itself: a self-test"}
