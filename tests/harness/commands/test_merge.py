"""`kparity merge`: parts of one campaign become one again, or are refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kparity.harness.cli import main
from kparity.harness.errors import ExitCode
from kparity.harness.journal import load
from kparity.harness.records import Campaign, Record

from ..sample_campaign import SIZES, sample_campaign, write_campaign

WHOLE = sample_campaign(walks=5, sizes=SIZES[:1])


def part(folder: Path, records: Sequence[Record], campaign: Campaign = WHOLE) -> Path:
    write_campaign(replace(campaign, records=list(records)), folder)
    return folder


def merged(*folders: Path, into: Path) -> int:
    return main(["merge", *map(str, folders), "--outdir", str(into)])


def keys(records: Sequence[Record]) -> set[tuple[object, ...]]:
    return {(r.cell, r.walk, r.attempt, r.status) for r in records}


def test_parts_become_the_whole_however_often_they_come(tmp_path: Path) -> None:
    half = len(WHOLE.records) // 2
    first = part(tmp_path / "a", WHOLE.records[: half + 5])  # some records are in both
    second = part(tmp_path / "b", WHOLE.records[half:])
    into = tmp_path / "all"
    assert merged(first, second, into=into) == ExitCode.OK
    assert keys(load(into).records) == keys(WHOLE.records)
    assert len(load(into).records) == len(WHOLE.records)
    journal = (into / "journal.jsonl").read_text()
    assert merged(second, into=into) == ExitCode.OK
    assert (into / "journal.jsonl").read_text() == journal
    assert (into / "report.html").is_file()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: replace(r, repetitions=r.repetitions + 1), "differ, walk"),
        (lambda r: replace(r, walk=r.walk + 10, actual_size=r.actual_size + 1), "elements"),
        (lambda r: replace(r, walk=r.walk + 10, conditions={**r.conditions, "ranks": 4}), "4 ranks"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Record], Record], message: str
) -> None:
    good = [r for r in WHOLE.records if r.status == "ok" and r.actual_size]
    first, second = part(tmp_path / "a", good), part(tmp_path / "b", [change(good[0])])
    assert merged(first, second, into=tmp_path / "all") == ExitCode.FOLDER
    assert message in capsys.readouterr().err
    assert not (tmp_path / "all" / "journal.jsonl").exists()


def test_other_campaigns_and_other_sources_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = part(tmp_path / "a", WHOLE.records, replace(WHOLE, provenance={**WHOLE.provenance, "sources": "abc"}))
    second = part(tmp_path / "b", WHOLE.records, replace(WHOLE, provenance={**WHOLE.provenance, "sources": "def"}))
    assert merged(first, second, into=tmp_path / "all") == ExitCode.FOLDER
    assert "differ in their sources" in capsys.readouterr().err
    other = part(tmp_path / "c", [replace(r, run="another") for r in WHOLE.records], replace(WHOLE, run="another"))
    assert merged(first, other, into=tmp_path / "all") == ExitCode.FOLDER
    assert "only parts of one campaign can be merged" in capsys.readouterr().err
