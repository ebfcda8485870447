from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

from kparity.harness.errors import DiskFull, FolderBusy, FolderError
from kparity.harness.journal import (
    JOURNAL,
    PLAN,
    PROVENANCE,
    Journal,
    JournalWarning,
    latest,
    load,
    open_folder,
    write_json,
)
from kparity.harness.records import Cell, Record


def record(kernel: str = "G_K", walk: int = 0, attempt: int = 0, seconds: float = 1.0) -> Record:
    return Record("run-1", Cell("s", kernel, "cpu", 10, "checked"), walk, attempt, "ok", device_seconds=[seconds])


def write(folder: Path, *records: Record) -> None:
    journal = Journal(folder)
    for one in records:
        journal.append(one)
    journal.close()


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    records = [record("G_A"), record("G_B", walk=1), record("G_A", walk=1)]
    write(tmp_path, *records)
    campaign = load(tmp_path)
    assert campaign.records == records
    assert campaign.run == "run-1"


def test_each_record_is_on_the_disk_before_the_next(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for count in (1, 2):
        journal.append(record(walk=count))
        assert len(load(tmp_path).records) == count
    journal.close()


def test_a_torn_line_is_kept_and_the_next_record_is_whole(tmp_path: Path) -> None:
    write(tmp_path, record("G_A"))
    torn = record("G_B").to_json()[:40]
    with open(tmp_path / JOURNAL, "a") as file:
        file.write(torn)
    write(tmp_path, record("G_C"))
    with pytest.warns(JournalWarning, match=rf"{JOURNAL}:2: skipped a line"):
        campaign = load(tmp_path)
    assert [r.cell.kernel for r in campaign.records] == ["G_A", "G_C"]
    assert torn in (tmp_path / JOURNAL).read_text().splitlines()


@pytest.mark.parametrize("line", ["{", "null", "[]", "\x00\x00", '{"schema": 1}', '{"schema": 99}', "\udc80"])
def test_a_corrupt_line_is_skipped_with_file_and_line(tmp_path: Path, line: str) -> None:
    raw = line.encode("utf-8", "surrogateescape")
    good = record().to_json().encode()
    (tmp_path / JOURNAL).write_bytes(good + b"\n" + raw + b"\n" + record(walk=1).to_json().encode() + b"\n")
    with pytest.warns(JournalWarning) as caught:
        campaign = load(tmp_path)
    assert len(campaign.records) == 2
    assert [str(w.message).split(": ")[0] for w in caught] == [f"{tmp_path / JOURNAL}:2"]
    assert raw in (tmp_path / JOURNAL).read_bytes()


def test_shards_are_merged_and_merging_twice_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, record("G_A"))
    (tmp_path / "journal-host2.jsonl").write_text(record("G_A").to_json() + "\n" + record("G_B").to_json() + "\n")
    assert sorted(r.cell.kernel for r in load(tmp_path).records) == ["G_A", "G_B"]


def test_records_that_contradict_each_other_are_refused_with_both_places(tmp_path: Path) -> None:
    write(tmp_path, record(seconds=1.0))
    (tmp_path / "journal-2.jsonl").write_text(record(seconds=2.0).to_json() + "\n")
    with pytest.raises(FolderError, match=r"journal\.jsonl:1 contradicts .*journal-2\.jsonl:1"):
        load(tmp_path)


def test_of_several_attempts_the_last_counts() -> None:
    records = [record(attempt=1, seconds=2.0), record(attempt=0), record(walk=1)]
    assert [r.device_seconds for r in latest(records)] == [[2.0], [1.0]]


def test_plan_and_provenance_stand_beside_the_journal(tmp_path: Path) -> None:
    write_json(tmp_path, PLAN, {"run": "run-7"})
    write_json(tmp_path, PROVENANCE, {"cpu": "x"})
    campaign = load(tmp_path)
    assert (campaign.run, campaign.records, campaign.provenance) == ("run-7", [], {"cpu": "x"})


def test_a_folder_without_a_campaign_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="holds no campaign"):
        load(tmp_path)
    with pytest.raises(FolderError, match="holds no campaign"):
        load(tmp_path / "missing")
    (tmp_path / PLAN).write_text("[1]")
    with pytest.raises(FolderError, match="does not hold a JSON object"):
        load(tmp_path)


def test_the_second_run_on_a_folder_is_refused(tmp_path: Path) -> None:
    held = open_folder(tmp_path / "new" / "results")
    with pytest.raises(FolderBusy, match="another run is writing"):
        open_folder(tmp_path / "new" / "results")
    held.release()
    open_folder(tmp_path / "new" / "results").release()


def test_a_folder_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match=r"cannot write results to .*--outdir"):
        open_folder(tmp_path / "file" / "results")
    with pytest.raises(FolderError, match="cannot write results"):
        open_folder(Path("/proc/kparity"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_says_that_everything_before_is_kept(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).symlink_to("/dev/full")
    journal = Journal(tmp_path)
    with pytest.raises(DiskFull, match=r"no space is left .* --resume"):
        journal.append(record())
    with pytest.raises(DiskFull):
        journal.close()


def test_a_replaced_file_is_never_half_written(tmp_path: Path) -> None:
    write_json(tmp_path, PLAN, {"run": "1"})
    with pytest.raises(TypeError):
        write_json(tmp_path, PLAN, {("no", "key"): 1})  # type: ignore[dict-item]
    assert load(tmp_path).run == "1"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_json(tmp_path, PLAN, {"run": "2"})
    assert load(tmp_path).run == "2"
    assert [p.name for p in tmp_path.iterdir()] == [PLAN]
