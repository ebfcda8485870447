"""`kparity gate CAMPAIGN --against BASELINE`, as a CI job calls it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from kparity.harness.cli import main
from kparity.harness.errors import ExitCode

from ..repository import night
from ..sample_campaign import write_campaign


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("campaigns")
    for name, factor in (("base", 1.0), ("even", 1.0), ("slow", 1.3), ("near", 1.05)):
        write_campaign(night(len(name), factor), top / name)
    return top


@pytest.mark.parametrize(
    ("name", "code", "answer"),
    [("even", 0, "gate: passed"), ("slow", 1, "gate: regression"), ("near", 2, "gate: cannot judge")],
)
def test_three_answers(folders: Path, name: str, code: int, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", str(folders / name), "--against", str(folders / "base")]) == code
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{answer}; {name} against base: ")


def test_rules_and_files(folders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text("[gate]\nmargin = 0.5\n")
    files = ["--markdown", str(tmp_path / "new" / "gate.md"), "--junit", str(tmp_path / "gate.xml"), "--json"]
    command = ["gate", str(folders / "slow"), "--against", str(folders / "base")]
    assert main([*command, *files]) == ExitCode.FAILED
    value = json.loads(capsys.readouterr().out)
    assert value["state"] == "regression" and value["campaign"] == "slow"
    assert "❌ Regression" in (tmp_path / "new" / "gate.md").read_text()
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "3"
    assert main([*command, "--rules", str(rules)]) == ExitCode.OK


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["slow", "--against", "nowhere/else"], "nowhere/else is neither a folder nor the name of a campaign"),
        (["nowhere/else", "--against", "base"], "nowhere/else is neither a folder"),
        (["slow", "--against", "."], "holds no campaign"),
        (["slow", "--against", "base", "--rules", "none.toml"], "cannot read none.toml"),
        (["slow", "--against", "asv"], "asv.conf.json: not a usable asv configuration"),
    ],
)
def test_what_cannot_be_read_cannot_be_judged(
    folders: Path,
    arguments: list[str],
    reason: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folders)
    assert main(["gate", *arguments]) == ExitCode.USAGE, "1 means a regression, and nothing else"
    captured = capsys.readouterr()
    assert reason in captured.err and "Traceback" not in captured.err and not captured.out
