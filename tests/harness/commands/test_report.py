"""`kparity report DIR`, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kparity.harness.cli import main
from kparity.harness.errors import ExitCode

from ..sample_campaign import SIZES, sample_campaign, write_campaign


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_campaign(sample_campaign(sizes=SIZES[:1]), tmp_path_factory.mktemp("campaign"))


def test_writes_every_format_beside_the_journal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(folder)]) == ExitCode.OK
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    names = {path.name for path in written}
    assert {"report.html", "results.csv", "report.md", "report.json", "RAJAPerf-checksum.txt"} <= names
    assert all(path.parent == folder and path.stat().st_size > 500 for path in written)
    assert not list(folder.glob(".draft-*"))


def test_writes_only_what_is_asked_for_and_where(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    assert main(["report", str(folder), "--format", "markdown,csv", "--outdir", str(out)]) == ExitCode.OK
    assert sorted(path.name for path in out.iterdir()) == ["report.md", "results.csv"]


def test_prints_one_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(folder), "--format", "json", "--stdout"]) == ExitCode.OK
    assert len(json.loads(capsys.readouterr().out)["cells"]) == 96
    assert main(["report", str(folder), "--format", "json,csv", "--stdout"]) == ExitCode.USAGE
    assert "--stdout prints one text" in capsys.readouterr().err


def test_table_follows(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(folder), "--format", "csv", "--outdir", str(tmp_path), "--table"]) == ExitCode.OK
    assert "geometric mean" in capsys.readouterr().out


def test_unknown_format_is_a_usage_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["report", str(folder), "--format", "pdf"])
    assert stopped.value.code == ExitCode.USAGE
    assert "unknown format `pdf`; there are html, csv" in capsys.readouterr().err


def test_a_folder_without_a_campaign_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == ExitCode.FOLDER
    assert f"{tmp_path} holds no campaign" in capsys.readouterr().err


def test_an_unwritable_place_is_named(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert main(["report", str(folder), "--outdir", str(blocked)]) == ExitCode.FOLDER
    assert "cannot write" in capsys.readouterr().err


def test_recording_without_a_configuration_says_what_to_do(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--format", "csv", "--outdir", str(tmp_path), "--record"]
    assert main(["report", str(folder), *options]) == ExitCode.FAILED
    assert "asv.conf.json not found: run from the top of a checkout" in capsys.readouterr().err
