"""`kparity explain`: the page, the list, the hint."""

from __future__ import annotations

import argparse

import pytest

from kparity.compiler import error_codes, error_page
from kparity.harness.commands import explain


def run(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    explain.add_parser(parser.add_subparsers(required=True))
    options = parser.parse_args(["explain", *arguments])
    return int(options.execute(options))


def test_page_is_plain_markdown_on_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("kp0401") == 0
    assert capsys.readouterr().out == error_page("KP0401")


def test_page_is_laid_out_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    assert run("KP0401") == 0
    out = capsys.readouterr().out
    assert "\x1b[" in out
    assert "```" not in out
    assert "data race" in out


def test_all_codes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == error_codes()
    assert "KP0401  data race" in lines


def test_unknown_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("KP0499") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kparity explain: no error has the code `KP0499`; did you mean KP04")
