"""The code blocks of a page, and a session that executes them from top to bottom.

What the page does not show its readers stands in comments above a fence:

    <!-- file: NAME -->            the block is a file of that name; it is written
    <!-- not run: REASON -->       it is only parsed
    <!-- needs: MODULE ... -->     it is only parsed where one of these is missing
    <!-- exit status: N -->        what the commands of the block end with
    <!-- output: COMMAND -->       the block is what the command prints
    <!-- continues: no -->         Python that starts anew: nothing of the blocks before it is known

Without one, `python` and `sh` are executed, and `text` is what the block before it prints, `...` being any text.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import importlib
import io
import itertools
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kparity.harness.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
NOTES = {"file", "not run", "needs", "exit status", "output", "continues"}
SECONDS = 300.0  # a command that takes longer hangs
_NOTE = re.compile(r"<!-- ([a-z ]+): (.*) -->")
_FENCE = re.compile(r"```(\S*)")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, its text, the line of its first row, and the comments above it."""

    page: Path
    line: int
    language: str
    text: str
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Every page with code that is not a test elsewhere: those of the errors are run by tests/diagnostics."""
    found = [ROOT / "README.md", ROOT / "results" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if blocks_of(page)]


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page; directives of the site's generator are none."""
    found: list[Block] = []
    notes: dict[str, str] = {}
    inside: list[str] | None = None
    start, language = 0, ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if inside is not None:
            if line.startswith("```"):
                if not language.startswith("{"):
                    found.append(Block(page, start + 1, language, "".join(f"{row}\n" for row in inside), notes))
                inside, notes = None, {}
            else:
                inside.append(line)
        elif opening := _FENCE.match(line):
            inside, start, language = [], number, opening.group(1)
        elif note := _NOTE.fullmatch(line):
            notes[note.group(1)] = note.group(2)
        elif line.strip():
            assert not notes, f"{page.name}:{number}: {notes} stands above no fence"
    return found


def only_parsed(block: Block) -> str:
    """Return why a block is not executed here, or nothing if it is."""
    missing = [name for name in block.notes.get("needs", "").split() if not find_spec(name)]
    return block.notes.get("not run", "") or (f"{', '.join(missing)} not installed" if missing else "")


def parse(block: Block) -> None:
    """Refuse a block that cannot be what its language says; of shell, also what kparity does not take."""
    match block.language:
        case "python":
            ast.parse(block.text, block.place)
        case "sh":
            subprocess.run(["bash", "-n"], input=block.text, text=True, check=True)
            for words in kparity_commands(block.text):
                assert words and words[0] in COMMANDS, f"{block.place}: kparity {shlex.join(words)}"
                parser = argparse.ArgumentParser()
                importlib.import_module(f"kparity.harness.commands.{words[0].replace('-', '_')}").add_parser(
                    parser.add_subparsers()
                )
                with contextlib.redirect_stdout(io.StringIO()):
                    parser.parse_args(words)
        case "toml":
            tomllib.loads(block.text)
        case "c":
            command = ["g++", "-x", "c++", "-std=c++17", "-fsyntax-only", "-include", "cstdint", "-"]
            subprocess.run(command, input=block.text, text=True, check=True)
        case "text" | "cpp":
            pass  # compared with what is printed; compiled with the file that it is
        case other:
            raise AssertionError(f"{block.place}: blocks of {other or 'no language'} are not known here")


def kparity_commands(shell: str) -> list[list[str]]:
    """Return the arguments of each `kparity` of a script."""
    found: list[list[str]] = []
    for line in shell.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        ends = [-1, *(i for i, word in enumerate(words) if word in ("&&", "||", "|", ";")), len(words)]
        commands = (words[left + 1 : right] for left, right in itertools.pairwise(ends))
        found += [command[1:] for command in commands if command[:1] == ["kparity"]]
    return found


class Session:
    """Executes the blocks of one page, in a folder that looks like a checkout."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "page"}
        self.printed: str | None = None
        shims = folder / "build" / "bin"
        shims.mkdir(parents=True, exist_ok=True)
        for name, module in (("kparity", "kparity.harness.cli"), ("python", ""), ("asv", "asv")):
            call = f"-m {module} " if module else ""
            (shims / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {call}"$@"\n')
            (shims / name).chmod(0o755)
        paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.environment = {**os.environ, "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": paths}
        for name in ("COLUMNS", "KPARITY_RUN_WALKS"):
            self.environment.pop(name, None)
        # Kernels are read from their file: its lines are the page's.
        rows = [""] * len(page.read_text(encoding="utf-8").splitlines())
        for block in blocks_of(page):
            if block.language == "python":
                text = block.text.splitlines()
                rows[block.line - 1 : block.line - 1 + len(text)] = text
        self.source = folder / "build" / f"{page.stem}.py"
        self.source.write_text("\n".join(rows) + "\n")

    def run(self, block: Block) -> None:
        """Execute one block, or compare it with what the last one printed."""
        assert set(block.notes) <= NOTES, f"{block.place}: {set(block.notes) - NOTES} is no note that is known"
        status = int(block.notes.get("exit status", "0"))
        if block.language == "text":
            if "output" in block.notes:
                self.printed = self.shell(block.notes["output"], status, block.place)
            self.compare(block)
            return
        parse(block)
        self.printed = None
        if name := block.notes.get("file"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(block.text)
        elif block.language == "python":
            self.printed = self.python(block)
        elif block.language == "sh":
            self.printed = self.shell(block.text, status, block.place)

    def python(self, block: Block) -> str:
        out = io.StringIO()
        if block.notes.get("continues") == "no":
            self.names = {"__name__": "page"}
        code = compile("\n" * (block.line - 1) + block.text, str(self.source), "exec", dont_inherit=True)
        with contextlib.redirect_stdout(out), contextlib.chdir(self.folder):
            exec(code, self.names)
        return out.getvalue()

    def shell(self, script: str, status: int, place: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, timeout=SECONDS,
        )  # fmt: skip
        assert done.returncode == status, f"{place}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def compare(self, block: Block) -> None:
        assert self.printed is not None, f"{block.place}: nothing before it prints this"
        got = "".join(f"{line.rstrip()}\n" for line in self.printed.splitlines())
        shown = doctest.OutputChecker().output_difference(doctest.Example("", block.text), got, doctest.ELLIPSIS)
        assert doctest.OutputChecker().check_output(block.text, got, doctest.ELLIPSIS), f"{block.place}\n{shown}"
