"""Walks are spread over devices, and what is lost on the way costs no more than the cell in flight."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kparity.harness.cluster.fan_out import ClusterSite, FannedOut
from kparity.harness.errors import HarnessError, UsageError, WorkerCannotStart
from kparity.harness.journal import Journal, load
from kparity.harness.plan import Comparison
from kparity.harness.preparation_run import prepare_all
from kparity.harness.records import Record
from kparity.harness.settings import Settings

from ..fakes import FakeWatcher
from ..test_campaign import COMMAND, comparison, outcomes
from .nodes import Nodes

pytestmark = pytest.mark.slow
DEVICES = ("GPU-a", "GPU-b")


class Bench:
    def __init__(self, folder: Path, *kernels: str, command: Sequence[str] = COMMAND, **settings: Any) -> None:
        self.folder, self.nodes = folder, Nodes(DEVICES)
        self.site = ClusterSite(self.nodes, len(DEVICES), command)
        values = {"walks": 2, "most_walks": 2, "step_seconds": 20.0, **settings}
        self.crew = self.site.crew("run-1", folder, Settings(**values), FakeWatcher())
        self.plan: list[Comparison] = [comparison(kernel) for kernel in kernels]

    def run(self, records: Sequence[Record] = ()) -> list[Record]:
        journal = Journal(self.folder)
        campaign = self.site.campaign(self.plan, self.crew, journal, list(records))
        assert isinstance(campaign, FannedOut)
        try:
            campaign.execute(prepare_all(self.crew, self.plan))
        finally:
            journal.close()
        kept = load(self.folder).records
        assert Counter(r.to_json() for r in kept) == Counter(r.to_json() for r in campaign.records)
        return kept


def test_parts_of_a_walk_are_on_one_device_each_and_all_sides_together(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_A", "G_B", "G_C", "G_D").run()
    assert set(outcomes(records).values()) == {"ok"}
    assert len(records) == 4 * 3 * 2  # of each kernel the checked side and two tunings, twice
    places = {(r.cell.kernel, r.walk, r.conditions["place"]["device"]) for r in records}
    assert len(places) == 4 * 2
    assert {device for _, _, device in places} == set(DEVICES)
    assert sorted(path.name.rsplit("-", 1)[1] for path in tmp_path.glob("journal-*.jsonl")) == [
        "GPU_a.jsonl",
        "GPU_b.jsonl",
    ]


def test_a_worker_that_dies_loses_its_cell_alone(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_A", "G_CRASHES", "G_B", "G_COMPILER_CRASHES", walks=1, most_walks=1).run()
    found = outcomes(records)
    assert found.pop(("G_CRASHES", "checked", 0)) == "crashed"
    assert found.pop(("G_COMPILER_CRASHES", "checked", 0)) == "crashed"
    assert set(found.values()) == {"ok"}


def test_a_lost_node_is_tried_again_and_its_records_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_MARK", str(tmp_path / "mark"))
    records = Bench(tmp_path, "G_A", "G_ENDS_NODE_ONCE", "G_B", walks=1, most_walks=1).run()
    (lost,) = [r for r in records if r.status == "interrupted"]
    assert lost.cell.kernel == "G_ENDS_NODE_ONCE"
    assert lost.message.startswith("the process on the node was lost (exit status -9")
    again = [r for r in records if r.cell == lost.cell]
    assert [(r.status, r.attempt) for r in again] in ([("interrupted", 0), ("ok", 1)], [("ok", 1), ("interrupted", 0)])
    assert set(outcomes([r for r in records if r != lost]).values()) == {"ok"}
    assert len(records) == 3 * 3 + 1


def test_what_takes_every_node_down_crashes_the_second_time(tmp_path: Path) -> None:
    records = Bench(tmp_path, "G_A", "G_ENDS_NODE", walks=1, most_walks=1).run()
    found = outcomes([r for r in records if r.status != "interrupted"])
    assert found.pop(("G_ENDS_NODE", "checked", 0)) == "crashed"
    assert set(found.values()) == {"ok"}


def test_resuming_repeats_nothing(tmp_path: Path) -> None:
    first = Bench(tmp_path, "G_A", "G_B", walks=1, most_walks=1).run()
    bench = Bench(tmp_path, "G_A", "G_B", walks=2)
    records = bench.run(first)
    assert len(records) == 2 * len(first)
    assert {part.job["walk"] for part in bench.nodes.parts if part.job["kind"] == "walk"} == {1}


def test_a_node_with_other_sources_is_refused(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "G_A")
    bench.crew.sources = "0000"  # type: ignore[attr-defined]
    with pytest.raises(ConnectionError, match="other sources"):  # this engine passes on no exceptions, as Parsl does
        raise bench.nodes(_part(bench)).exception() or AssertionError


def test_parts_that_never_reach_a_kernel_end_the_campaign(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "G_A", command=(sys.executable, "-c", "raise SystemExit(3)"))
    with pytest.raises(WorkerCannotStart, match="before they reach a kernel"):
        bench.run()


def test_a_probe_tells_of_a_node(tmp_path: Path) -> None:
    site = Bench(tmp_path).site
    found = site.probe()
    assert found["cpu"].description["model"] in DEVICES
    assert site.host_free_memory() > 0


def test_a_processor_is_no_place_beside_others_of_its_host(tmp_path: Path) -> None:
    site = ClusterSite(Nodes(DEVICES), 2, shares_hosts=True)
    with pytest.raises(UsageError, match="cpu1 and several devices of one host disturb each other"):
        site.crew("r", tmp_path, Settings(targets=("cpu1", "cuda")), FakeWatcher())


def _part(bench: Bench) -> Any:
    from kparity.harness.cluster.part import Part

    job = {"kind": "prepare", "cells": []}
    return Part("r", str(bench.folder), Settings().to_json(), job, "x", sources="0000", command=COMMAND)


def test_errors_of_the_harness_are_passed_on(tmp_path: Path) -> None:
    from concurrent.futures import Future

    from kparity.harness.cluster.part import Outcome, Part

    def engine(part: Part) -> Future[Outcome]:
        future: Future[Outcome] = Future()
        future.set_exception(HarnessError("no space is left"))
        return future

    site = ClusterSite(engine, 1)
    with pytest.raises(HarnessError, match="no space is left"):
        prepare_all(site.crew("r", tmp_path, Settings(), FakeWatcher()), [comparison("G_A")])
