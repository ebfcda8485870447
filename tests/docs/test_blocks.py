"""Every code block of every page is executed; the few that cannot be say why, and are parsed."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from ..harness.repository import make_repository
from .blocks import ROOT, Session, blocks_of, only_parsed, pages, parse

NIGHTS = {"night-17": "results", "tonight": "kparity-results"}  # campaigns that the pages speak of


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what a checkout has, that may be written to, and a night or two."""
    folder = make_repository(tmp_path)
    (folder / "results").mkdir()
    (folder / "results" / "campaigns").symlink_to(ROOT / "results" / "campaigns")
    for name in ("suites", "baselines", "docs", "compiler"):
        (folder / name).symlink_to(ROOT / name)
    for name, place in NIGHTS.items():
        (folder / place).mkdir(exist_ok=True)
        shutil.copytree(ROOT / "results" / "campaigns" / "h200-2026-11-30", folder / place / name)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_do_what_it_says(page: Path, checkout: Path) -> None:
    session = Session(page, checkout)
    for block in blocks_of(page):
        if only_parsed(block):
            parse(block)
            session.printed = None
        else:
            session.run(block)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_code_stands_outside_of_fences(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert not re.findall(r"\n\n    \S.*", text), "indented blocks are executed by nothing: fence them"


def written(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text)
    return page


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 1 / 0\n```\n",
        "```python\nprint(1)\n```\n\n```text\n2\n```\n",
        "```sh\nfalse\n```\n",
        "<!-- exit status: 1 -->\n```sh\ntrue\n```\n",
        "```sh\nkparity lsit\n```\n",
        "```toml\n[a\n```\n",
        "```text\nnobody prints this\n```\n",
        "```fortran\nend\n```\n",
        "<!-- nto run: spelling -->\n```sh\ntrue\n```\n",
    ],
)
def test_a_page_that_is_not_true_is_found(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.docs.blocks.ROOT", tmp_path)
    page = written(tmp_path, text)
    session = Session(page, tmp_path)
    with pytest.raises(Exception):  # noqa: B017 - whatever it is, the page is not true
        for block in blocks_of(page):
            session.run(block)


@pytest.mark.parametrize(
    "text", ["<!-- not run: x -->\n```python\nx = (\n```\n", "<!-- not run: x -->\n```sh\nfi\n```\n"]
)
def test_what_is_not_run_is_parsed(text: str, tmp_path: Path) -> None:
    (block,) = blocks_of(written(tmp_path, text))
    assert only_parsed(block) == "x"
    with pytest.raises((Exception, SystemExit)):
        parse(block)
