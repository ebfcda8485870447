"""`kparity compare A B ...`, as a user calls it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kparity.harness.cli import main
from kparity.harness.errors import ExitCode

from ..sample_campaign import SIZES, altered, sample_campaign, write_campaign

FIRST = sample_campaign(walks=5, faults=False, sizes=SIZES[:1])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("campaigns")
    settings = {"protocol": "interleaved", "suite": "rajaperf"}
    campaigns = {
        "first": altered(FIRST, "first", {}, settings=settings),
        "later": altered(FIRST, "later", {"Stream_TRIAD": 1.3}, settings=settings, commit="4" * 12),
        "confounded": altered(FIRST, "confounded", {}, settings=settings, commit="4" * 12, host="node18"),
        "protocol": altered(FIRST, "protocol", {}, settings={**settings, "protocol": "rajaperf"}),
        "quick": altered(FIRST, "quick", {}, settings=settings, gives_verdicts=False),
        "sizes": sample_campaign(walks=5, faults=False, sizes=SIZES[1:]),
        "rounded": replace(FIRST, records=[replace(r, actual_size=999_999) for r in FIRST.records]),
    }
    for name, campaign in campaigns.items():
        write_campaign(campaign, top / name)
    return top


def test_the_table_names_changes_and_differences(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(folders / "first"), str(folders / "later")]) == ExitCode.OK
    out = capsys.readouterr().out
    assert max(len(line) for line in out.splitlines() if "slower" in line or "unchanged" in line) <= 80
    assert out.count("slower") == 3, "TRIAD on three targets"
    assert "differs, sources: commit: 3f2a9c41d0b7e5a8 -> 444444444444" in out


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ("confounded", "differ in machine and sources"),
        ("protocol", "protocol: interleaved in first, rajaperf in protocol"),
        ("quick", "quick was planned without verdicts"),
        ("sizes", "no common size: Apps_VOL3D cpu1 (and 47 more) has 1000000 in first, 33554432 in sizes"),
        ("rounded", "size 1000000 of Apps_VOL3D is 1000000 elements in first, 999999 in rounded"),
    ],
)
def test_the_incomparable_is_refused_unless_told(
    folders: Path, other: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["compare", str(folders / "first"), str(folders / other)]
    assert main(command) == ExitCode.USAGE
    assert reason in capsys.readouterr().err
    assert main([*command, "--anyway"]) == (ExitCode.FAILED if other == "sizes" else ExitCode.OK)
    assert reason in " ".join(capsys.readouterr().out.split())


def test_respects_that_are_meant_to_differ_are_no_objection(folders: Path) -> None:
    command = ["compare", str(folders / "first"), str(folders / "confounded"), "--across", "machine"]
    assert main(command) == ExitCode.USAGE, "the sources differ too"
    assert main([*command, "sources"]) == ExitCode.OK


def test_writes_every_format(folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare", str(folders / "first"), str(folders / "later")]
    assert main([*command, "--outdir", str(tmp_path)]) == ExitCode.OK
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert {p.suffix for p in tmp_path.iterdir()} == {".html", ".md", ".csv", ".json"}
    assert main([*command, "--format", "json"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["campaigns"] == ["first", "later"]


def test_names_under_results_campaigns(
    folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "campaigns").symlink_to(folders)
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "first:cpu", "later:cuda", "--across", "machine", "toolchain", "sources"]) == ExitCode.OK
    capsys.readouterr()
    assert main(["compare", "frist", "later"]) == ExitCode.USAGE
    assert "did you mean `first`" in capsys.readouterr().err
    assert main(["compare", "first:cuda", "later"]) == ExitCode.USAGE
    assert "for every campaign" in capsys.readouterr().err
    assert main(["compare", "first:gpu", "later:cuda"]) == ExitCode.USAGE
    assert "no target of first is named `gpu`" in capsys.readouterr().err
    assert main(["compare", "first"]) == ExitCode.USAGE
    assert main(["compare", "first", "results"]) == ExitCode.FOLDER
