from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from kparity.harness.campaign import CampaignRun
from kparity.harness.cli import _terminate
from kparity.harness.crew import Crew
from kparity.harness.errors import DiskFull, SourcesChanged, Terminated, WorkerCannotStart
from kparity.harness.journal import Journal, load
from kparity.harness.plan import Comparison
from kparity.harness.preparation_run import Prepared, prepare_all
from kparity.harness.records import Cell, Record
from kparity.harness.settings import Settings

from .fakes import FakeWatcher

COMMAND = (sys.executable, str(Path(__file__).with_name("fake_worker.py")))


def comparison(kernel: str) -> Comparison:
    sides = tuple(Cell("s", kernel, "cpu", 10, variant) for variant in ("checked", "native"))
    return Comparison("s", kernel, "cpu", 10, sides)


class Bench:
    def __init__(self, folder: Path, *kernels: str, command: tuple[str, ...] = COMMAND, **settings: Any) -> None:
        self.folder = folder
        self.watcher = FakeWatcher()
        values = {"walks": 2, "most_walks": 2, "step_seconds": 20.0, **settings}
        self.crew = Crew("run-1", folder, Settings(**values), self.watcher, command)
        self.plan = [comparison(kernel) for kernel in kernels]

    def run(self, records: list[Record] | None = None, prepared: Prepared | None = None) -> list[Record]:
        journal = Journal(self.folder)
        if not load(self.folder).records:
            for record in records or []:
                journal.append(record)
        campaign = CampaignRun(self.plan, self.crew, journal, list(records or []))
        try:
            campaign.execute(prepared or Prepared())
        finally:
            journal.close()
        assert load(self.folder).records == campaign.records
        return campaign.records


def outcomes(records: list[Record]) -> dict[tuple[str, str, int], str]:
    return {(r.cell.kernel, r.cell.variant, r.walk): r.status for r in records}


def test_every_walk_visits_every_side(tmp_path: Path) -> None:
    found = outcomes(Bench(tmp_path, "G_A", "G_B").run())
    assert set(found.values()) == {"ok"}
    assert len(found) == 2 * 2 * 2


def test_a_crash_ends_one_side_and_the_rest_goes_on(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_A", "G_CRASHES", "G_B").run()
    found = outcomes(records)
    assert found.pop(("G_CRASHES", "checked", 0)) == "crashed"
    assert ("G_CRASHES", "checked", 1) not in found  # once is enough
    assert found[("G_CRASHES", "native", 0)] == found[("G_CRASHES", "native", 1)] == "ok"
    assert set(found.values()) == {"ok"}
    (crash,) = [r for r in records if r.status == "crashed"]
    assert crash.message == "the process died of signal SIGSEGV while sample"


def test_a_hang_is_ended_and_recorded_as_what_it_is(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_HANGS", "G_A", step_seconds=2.0, walks=1).run()
    found = outcomes(records)
    assert found.pop(("G_HANGS", "checked", 0)) == "timeout"
    assert set(found.values()) == {"ok"}
    assert "no progress for 2 s" in next(r.message for r in records if r.status == "timeout")


def test_a_cell_that_goes_on_and_on_is_ended_however_much_it_tells(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_CHATTERS", "G_A", cell_seconds=1.0, walks=1).run()
    found = outcomes(records)
    assert found.pop(("G_CHATTERS", "checked", 0)) == "timeout"
    assert set(found.values()) == {"ok"}
    message = next(r.message for r in records if r.status == "timeout")
    assert message == "more than the time for one cell (--cell-limit); the process was ended while sample"


def test_a_spoiled_device_costs_a_process_not_a_walk(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_SPOILS", "G_A", walks=1).run()
    found = outcomes(records)
    assert found.pop(("G_SPOILS", "checked", 0)) == "crashed"
    assert set(found.values()) == {"ok"}
    assert len(records) == 4


def test_a_side_that_crashes_in_a_later_walk_is_left_out_from_there(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_CRASHES_LATER", walks=4).run()
    checked = [(r.walk, r.status) for r in records if r.cell.variant == "checked"]
    assert checked == [(0, "ok"), (1, "ok"), (2, "crashed")]
    assert sum(r.cell.variant == "native" for r in records) == 4


def test_sides_that_do_not_compile_are_recorded_and_the_others_walk(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "G_REFUSED", "G_COMPILER_CRASHES", "G_A")
    prepared = prepare_all(bench.crew, bench.plan)
    records = bench.run(prepared=prepared)
    failed = {
        (r.cell.kernel, r.cell.variant, r.cell.tuning): (r.status, r.message) for r in records if r.status != "ok"
    }
    assert failed == {
        ("G_REFUSED", "native", "default"): ("failed", "daxpy.cpp:3: error: expected `;`"),
        ("G_COMPILER_CRASHES", "checked", "default"): (
            "crashed",
            "the process died of signal SIGSEGV while compiling",
        ),
    }
    assert prepared.tunings["G_A", "cpu"] == ["one", "two"]
    assert prepared.compilers == {"cpu": "fake 1.0"}
    tunings = {(r.cell.variant, r.cell.tuning) for r in records if r.cell.kernel == "G_A"}
    assert tunings == {("checked", "default"), ("native", "one"), ("native", "two")}


def test_resuming_repeats_only_what_has_no_final_record(tmp_path: Path) -> None:
    before = Bench(tmp_path, "G_A", "G_B").run()
    cut = [
        r if i else Record("run-1", r.cell, r.walk, 0, "interrupted") for i, r in enumerate(before) if i not in (3, 5)
    ]
    (tmp_path / "again").mkdir()
    bench = Bench(tmp_path / "again", "G_A", "G_B")
    after = bench.run(cut)
    added = after[len(cut) :]
    assert sorted((r.cell, r.walk) for r in added) == sorted((before[i].cell, before[i].walk) for i in (0, 3, 5))
    assert next(r.attempt for r in added if (r.cell, r.walk) == (before[0].cell, before[0].walk)) == 1


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_stop_by_the_user_records_the_cell_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("FAKE_MARK", str(tmp_path / "mark"))
    monkeypatch.setenv("FAKE_SIGNAL", name)
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        with pytest.raises((KeyboardInterrupt, Terminated)):
            Bench(tmp_path, "G_A", "G_INTERRUPTED", walks=1).run()
    finally:
        signal.signal(signal.SIGTERM, previous)
    kept = load(tmp_path).records
    assert [r.cell.kernel for r in kept if r.status == "interrupted"] == ["G_INTERRUPTED"]
    records = Bench(tmp_path, "G_A", "G_INTERRUPTED", walks=1).run(kept)
    final = [r for r in records if r.status != "interrupted"]
    assert len(final) == 4
    assert {r.status for r in final} == {"ok"}


def test_wide_intervals_get_more_walks_until_the_budget_is_spent(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_NOISY", "G_A", walks=5, most_walks=7, budget_seconds=1e6).run()
    walks = {kernel: {r.walk for r in records if r.cell.kernel == kernel} for kernel in ("G_A", "G_NOISY")}
    assert walks == {"G_A": set(range(5)), "G_NOISY": set(range(7))}


def test_without_budget_there_is_no_additional_walk(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_NOISY", walks=5, most_walks=7, budget_seconds=1e-6).run()
    assert {r.walk for r in records} == set(range(5))


def test_quick_mode_never_walks_on(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_NOISY", walks=1, most_walks=9, budget_seconds=1e6).run()
    assert {r.walk for r in records} == {0}


def test_a_full_disk_stops_at_once_and_keeps_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Journal.append

    def full(self: Journal, record: Record) -> None:
        if len(load(tmp_path).records) == 2:
            raise DiskFull("no space is left")
        append(self, record)

    monkeypatch.setattr(Journal, "append", full)
    (tmp_path / "journal.jsonl").touch()
    with pytest.raises(DiskFull):
        Bench(tmp_path, "G_A", "G_B").run()
    assert len(load(tmp_path).records) == 2


def test_a_campaign_whose_sources_change_ends_with_the_walk_before(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "G_A", walks=3)
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise SourcesChanged("changed")

    journal = Journal(tmp_path)
    campaign = CampaignRun(bench.plan, bench.crew, journal, check_sources=check)
    with pytest.raises(SourcesChanged):
        campaign.execute(Prepared())
    journal.close()
    assert {record.walk for record in load(tmp_path).records} == {0}


def test_workers_that_die_before_any_work_are_a_fault_of_the_installation(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import no_such_module")
    with pytest.raises(WorkerCannotStart, match=r"(?s)before it reached a kernel.*no_such_module"):
        Bench(tmp_path, "G_A", command=command).run()
    bench = Bench(tmp_path, "G_A", command=command)
    with pytest.raises(WorkerCannotStart, match="no_such_module"):
        prepare_all(bench.crew, bench.plan)


def test_failures_are_shown_at_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "G_CRASHES", walks=1)
    bench.run()
    alarming = [line for line in bench.watcher.lines if line.startswith("!")]
    assert alarming == ["! G_CRASHES cpu 10 checked: crashed: the process died of signal SIGSEGV while sample"]
