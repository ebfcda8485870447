"""asv's own commands read what the store wrote: run for real, in a repository of their own."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from kparity.harness import ledger, recording
from kparity.harness.asv_store import (
    Machine,
    Series,
    Store,
    StoreError,
    benchmark_name,
    point_of,
    series,
    tracked,
)
from kparity.harness.cell_summary import summarize

from .repository import asv, git, make_repository, night, record
from .sample_campaign import sample_campaign

MACHINE = Machine("host-model", {"os": "Linux", "arch": "x86_64", "cpu": "c", "num_cpu": "2", "ram": "8 GiB"})
POINT = ("'checked'", "'cpu'", "'default'", "1000")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path)


def test_asv_compares_and_publishes_two_nights(repository: Path) -> None:
    tree, head = git(repository, "status", "--porcelain"), git(repository, "rev-parse", "HEAD")
    before = record(repository, night(1))
    after = record(repository, night(2, factor=1.1))

    assert git(repository, "status", "--porcelain") == tree
    assert git(repository, "rev-parse", "HEAD") == head
    assert git(repository, "rev-list", "--reverse", "ledger").split() == [before.commit, after.commit]
    assert {path.parent.name for path in after.files} == {"node17-AMD_EPYC_9654", "node17-NVIDIA_H200"}

    shown = asv(
        repository, "compare", "--machine", "node17-NVIDIA_H200", "--factor", "1.05", before.commit, after.commit
    )
    changed = [line for line in shown.splitlines() if line.startswith("| +")]
    assert len(changed) == 2, shown
    for line, measure in zip(changed, ("time", "wall"), strict=True):
        assert f"rajaperf.Stream.TRIAD.{measure}('checked', 'cuda', 'default', 1000000)" in line
        assert "1.10" in line

    published = asv(repository, "publish", "--no-pull")
    assert "Couldn't find" not in published
    index = json.loads((repository / "results/html/index.json").read_text())
    measures = ("time", "wall", "error", "registers", "spilled")
    assert set(index["benchmarks"]) == {f"rajaperf.Stream.{k}.{m}" for k in ("COPY", "TRIAD") for m in measures}
    assert (repository / "results/html/index.html").is_file()
    graphs = list((repository / "results/html/graphs").rglob("rajaperf.Stream.TRIAD.time.json"))
    assert any("branch-ledger" in str(path) for path in graphs)

    assert "rajaperf.Stream.TRIAD.time" in asv(repository, "show", "--machine", "node17-NVIDIA_H200", after.commit)


def test_manifest_is_in_the_ledger(repository: Path) -> None:
    recorded = record(repository, night(1))
    manifest = ledger.read(repository, recorded.commit)
    assert manifest["run"] == "night-1"
    assert manifest["commit"] == "3f2a9c41d0b7e5a8"
    assert manifest["devices"]["cuda"]["driver"] == "580.95"
    assert git(repository, "ls-tree", "--name-only", recorded.commit) == "manifest.json"


def test_recording_twice_keeps_one_commit(repository: Path) -> None:
    first, again = record(repository, night(1)), record(repository, night(1))
    assert first == again
    assert git(repository, "rev-list", "--count", "ledger") == "1"


def test_a_lost_race_for_the_branch_is_repaired(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.append(repository, {"run": "a"})
    advance, losses = ledger._advance, []

    def lose_once(folder: Path, reference: str, commit: str, parent: str) -> str:
        if not losses:
            losses.append(1)
            ledger.append(repository, {"run": "b"})
        return advance(folder, reference, commit, parent)

    monkeypatch.setattr(ledger, "_advance", lose_once)
    tip = ledger.append(repository, {"run": "c"})
    assert git(repository, "log", "--format=%s", tip).splitlines() == ["run c", "run b", "run a"]


def test_outside_of_a_repository_git_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(ledger.LedgerError, match="not a git repository"):
        ledger.append(tmp_path, {"run": "a"})


def stored(repository: Path, path: Path, name: str) -> dict[tuple[str, ...], float | None]:
    """Read one series back, by parameters."""
    from itertools import product

    from asv.results import Results

    results = Results.load(str(path))
    axes = results.get_result_params(name)
    return dict(zip(product(*axes), results.get_result_value(name, axes), strict=True))


def test_a_second_campaign_at_one_commit_adds_and_keeps(repository: Path) -> None:
    store = Store(repository / "asv.conf.json")
    commit = ledger.append(store.repository, {"run": "a"})
    larger = (*POINT[:3], "2000")
    store.write(commit, MACHINE, [Series("s.g.K.time", points={POINT: (1.0, 1.1), ("'native'", *POINT[1:]): None})])
    store.write(commit, MACHINE, [Series("s.g.L.time", points={POINT: (5.0,)})])
    path = store.write(commit, MACHINE, [Series("s.g.K.time", points={larger: (2.0,)})])

    assert stored(repository, path, "s.g.L.time")[POINT] == 5.0
    values = stored(repository, path, "s.g.K.time")
    assert values[POINT] == pytest.approx(1.05)
    assert values[larger] == 2.0
    assert values["'native'", *POINT[1:]] is None, "a failure stays a failure"
    never_asked = values["'native'", *larger[1:]]
    assert never_asked is not None and math.isnan(never_asked), "what nobody ran is skipped, not failed"


def test_benchmarks_of_others_survive(repository: Path) -> None:
    store = Store(repository / "asv.conf.json")
    commit = ledger.append(store.repository, {"run": "a"})
    store.write(commit, MACHINE, [Series("s.g.K.time", "first", {POINT: (1.0,)})])
    store.write(commit, MACHINE, [Series("s.g.L.time", "second", {POINT: (1.0,)})])
    known = json.loads((repository / "results/asv/benchmarks.json").read_text())
    assert {"s.g.K.time", "s.g.L.time"} <= set(known)
    assert known["s.g.K.time"]["code"] == "first"
    assert not list((repository / "results/asv").rglob(".new-*")), "nothing half-written is left"


@pytest.mark.parametrize("bad", [math.inf, math.nan, 0.0, -1.0])
def test_values_that_break_asv_are_refused(repository: Path, bad: float) -> None:
    store = Store(repository / "asv.conf.json")
    commit = ledger.append(store.repository, {"run": "a"})
    with pytest.raises(StoreError, match="positive finite seconds"):
        store.write(commit, MACHINE, [Series("s.g.K.time", points={POINT: (1.0, bad)})])
    assert not (repository / "results/asv/benchmarks.json").exists()


def test_names_that_break_asv_are_refused(repository: Path) -> None:
    with pytest.raises(StoreError, match="letters, digits"):
        benchmark_name("suite", "Group_KERNEL/2", "time")
    store = Store(repository / "asv.conf.json")
    with pytest.raises(StoreError, match="machine or channel"):
        store.write("HEAD", Machine("a/b"), [])
    with pytest.raises(StoreError, match="not a commit"):
        store.write("0123456789", MACHINE, [Series("s.g.K.time", points={POINT: (1.0,)})])


def test_failed_is_none_and_unread_clock_is_absent() -> None:
    campaign = sample_campaign(sizes=(1_000_000,))
    found = {line.name: line.points for line in series(summarize(campaign.records).values(), {})}
    wrong = ("'checked'", "'cpu1'", "'default'", "1000000")
    assert found["rajaperf.Lcals.HYDRO_1D.time"][wrong] is None
    unread = [replace(r, device_seconds=[]) for r in campaign.records if r.cell.kernel == "Stream_COPY"]
    names = {line.name for line in series(summarize(unread).values(), {})}
    assert names == {"rajaperf.Stream.COPY.wall"}


def test_what_is_no_time_is_tracked_beside_it(repository: Path) -> None:
    campaign = sample_campaign(sizes=(1_000_000,))
    cells = summarize(campaign.records)
    found = {line.name: line for line in tracked(cells.values(), {}, campaign.kernels)}
    right = {point_of(cell) for cell in cells if cells[cell].status == "ok"}
    assert {p for line in found.values() if line.unit == "relative difference" for p in line.points} == right
    registers = found["rajaperf.Stream.COPY.registers"]
    figures = campaign.kernels["Stream_COPY"]["static"]["cuda"]
    assert registers.points[("'checked'", "'cuda'", "'default'", "1000000")] == (
        float(figures["checked"]["registers"]),
    )
    assert {point[1] for point in registers.points} == {"'cuda'"}
    recorded = record(repository, campaign)
    store = Store(repository / "asv.conf.json")
    stored = [store.read(recorded.commit, file.parent.name) for file in recorded.files]
    errors = {v for one in stored if one for (name, _), v in one.items() if name == "rajaperf.Stream.COPY.error"}
    assert errors == {1.2e-16}


def test_nothing_valid_is_not_recorded(repository: Path) -> None:
    campaign = night(1)
    failed = [replace(r, status="failed", device_seconds=[], wall_seconds=[]) for r in campaign.records]
    with pytest.raises(recording.RecordError, match="no valid result"):
        record(repository, replace(campaign, records=failed))
    assert git(repository, "branch", "--list", "ledger") == ""
