"""The gate against asv's history: a planted slowdown is found, whatever the latest nights say of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kparity.harness.asv_store import StoreError
from kparity.harness.cli import main
from kparity.harness.errors import ExitCode
from kparity.harness.gate.findings import Verdict
from kparity.harness.gate.history import judge_by_history, level
from kparity.harness.gate.rules import HistoryRules, Rules
from kparity.harness.ledger import LedgerError
from kparity.harness.records import Campaign

from ..repository import asv, drifting, make_repository, night, record
from ..sample_campaign import write_campaign

NIGHTS, PLANTED = 30, 22


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty recorded nights; from the 22nd on TRIAD takes 12 % longer."""
    repository = make_repository(tmp_path_factory.mktemp("history"))
    for number in range(NIGHTS):
        record(repository, drifting(number, 1.12 if number >= PLANTED else 1.0))
    return repository


def judged(repository: Path, campaign: Campaign, rules: Rules | None = None) -> Verdict:
    return judge_by_history(campaign, repository / "asv.conf.json", rules or Rules(), "tonight")


def test_the_planted_regression_is_on_the_page_that_asv_publishes(history: Path) -> None:
    asv(history, "publish", "--no-pull")
    found = json.loads((history / "results/html/regressions.json").read_text())["regressions"]
    assert {name.split("(")[0] for name, *_ in found} == {"rajaperf.Stream.TRIAD.time", "rajaperf.Stream.TRIAD.wall"}
    assert all("checked" in str(entry) for entry in found)


def test_the_gate_finds_it_though_the_latest_nights_are_slow(history: Path) -> None:
    verdict = judged(history, drifting(NIGHTS, 1.12))
    slow = verdict.of("regression")
    assert {(f.kernel, f.rule) for f in slow} == {("Stream_TRIAD", "time")}
    assert {f.place.split()[0] for f in slow} == {"cpu1", "cpu", "cuda"}
    assert all(f"over {PLANTED} nights" in f.message and "slower by 1" in f.message for f in slow)
    assert {f.kernel for f in verdict.of("ok") if f.rule == "time"} == {"Stream_COPY"}


def test_the_old_level_passes(history: Path) -> None:
    verdict = judged(history, drifting(NIGHTS + 1))
    assert verdict.state == "ok", list(verdict.of("undecided"))


def test_a_slower_level_is_accepted_by_naming_its_first_night(history: Path) -> None:
    accepted = Rules(history=HistoryRules(since=f"night-{PLANTED}"))
    assert judged(history, drifting(NIGHTS, 1.12), accepted).state == "ok"
    with pytest.raises(StoreError, match="neither a campaign nor a commit"):
        judged(history, night(1), Rules(history=HistoryRules(since="night-99")))


def test_a_recorded_night_is_judged_by_those_before_it(history: Path) -> None:
    assert judged(history, drifting(PLANTED, 1.12)).baseline == f"asv's history, {PLANTED} nights"
    assert judged(history, drifting(PLANTED, 1.12)).state == "regression"
    first = judged(history, drifting(3))
    assert first.state == "undecided"
    assert "3 nights of history on node17-" in first.of("undecided")[0].message


def test_correctness_and_missing_kernels(history: Path) -> None:
    tonight = drifting(NIGHTS + 1)
    broken = [
        replace(r, status="wrong", message="x[1] is 2", device_seconds=[], wall_seconds=[])
        if (r.cell.kernel, r.cell.variant) == ("Stream_COPY", "checked")
        else r
        for r in tonight.records
    ]
    verdict = judged(history, replace(tonight, records=broken))
    assert {f.message for f in verdict.of("regression")} == {"lost correctness: wrong: x[1] is 2"}
    fewer = replace(tonight, records=[r for r in tonight.records if r.cell.kernel != "Stream_COPY"])
    missing = judged(history, fewer).of("regression")
    assert {(f.kernel, f.rule) for f in missing} == {("Stream_COPY", "missing")} and len(missing) == 3


def test_a_target_that_nobody_ran_is_not_missing_from_a_machine_without_it(history: Path) -> None:
    tonight = drifting(NIGHTS + 1)
    only = replace(tonight, records=[r for r in tonight.records if r.cell.target == "cuda"])
    assert judged(history, only).state == "ok"


def test_another_machine_has_no_history(history: Path) -> None:
    elsewhere = replace(drifting(NIGHTS), provenance={**night(1).provenance, "host": "node99"})
    verdict = judged(history, elsewhere)
    assert verdict.state == "undecided"
    assert "0 nights of history on node99-" in verdict.of("undecided")[0].message


def test_a_quick_campaign_cannot_be_judged(history: Path) -> None:
    one = drifting(NIGHTS)
    verdict = judged(history, replace(one, records=[r for r in one.records if r.walk < 2]))
    assert verdict.state == "undecided" and "2 valid walks" in verdict.of("undecided")[0].message


def test_the_level_is_the_fastest_that_lasted() -> None:
    noise = np.random.default_rng(3)
    slow, fast = noise.normal(1.2, 0.01, 20), noise.normal(1.0, 0.01, 12)
    lucky = [0.8, 0.8]
    assert level([*slow, *fast, *slow]) == pytest.approx(list(fast))
    assert len(level([*slow, *lucky, *slow])) >= 20, "two lucky nights are no level"
    assert level([1.0, 1.5, 2.0]) == [1.0, 1.5, 2.0]


def test_as_a_command(
    history: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_campaign(drifting(NIGHTS, 1.12), tmp_path / "slow")
    write_campaign(drifting(NIGHTS + 1), tmp_path / "even")
    monkeypatch.chdir(history)
    assert main(["gate", str(tmp_path / "slow"), "--against", "asv"]) == ExitCode.FAILED
    assert "regression: Stream_TRIAD cuda 10⁶: slower by 1" in capsys.readouterr().out
    assert main(["gate", str(tmp_path / "even"), "--against", "asv"]) == ExitCode.OK


def test_without_a_ledger_the_remedy_is_named(tmp_path: Path) -> None:
    repository = make_repository(tmp_path)
    with pytest.raises(LedgerError, match="fetch it"):
        judged(repository, night(1))
