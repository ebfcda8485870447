"""`kparity check FILE...`: what the compiler proves of the kernels in a file, or why it refuses them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from kparity.compiler import (
    CompileError,
    Diagnostic,
    Kernel,
    KparityError,
    Program,
    diagnostic_as_json,
    render_diagnostic,
)

from ..checked_json import kernel_as_json, program_as_json
from ..checked_rows import counted
from ..checked_tables import PLAIN_WIDTH, print_abi, print_kernel, print_program
from ..checking_cost import print_cost
from ..errors import ExitCode
from ..kernel_files import FileNotUsable, kernels_in

SCHEMA = 1
NARROWEST, WIDEST = 60, 120  # columns that a diagnostic is wrapped to, whatever the terminal has


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found about one file.

    Attributes
    ----------
    path : str
        As given.
    passed : list of Kernel or Program
        Those without an error, in the order of their lines.
    diagnostics : list of Diagnostic
        Of all the others, each fault once.
    trouble : str
        Why the file could not be checked, or not all of it; empty if it was.
    """

    path: str
    passed: list[Kernel | Program] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    trouble: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether the file was read, and defines nothing to check."""
        return not (self.passed or self.diagnostics or self.trouble)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "check",
        help="check the kernels of Python files",
        description="Import each file, check every kernel and program that it defines, and print all errors; for those "
        "without errors, each access with what was proved of it. Nothing is launched. Exit status 0 if all is proved, "
        "1 if there are errors, 2 if a file cannot be read or imported, or no file defines a kernel.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="Python file with `@kernel` or `@program` functions")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--abi", action="store_true", help="print the argument lists instead, of the host and of each target's kernels"
    )
    parser.add_argument("--cost", action="store_true", help="print how long checking each kernel takes instead")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Check the files, print what was found, and return the exit status."""
    aside = Console(stderr=True)
    quiet = options.json or not aside.is_terminal
    files = track(options.files, "checking", console=aside, transient=True, disable=quiet)
    found = [check(path) for path in files]
    if options.json:
        print(json.dumps({"schema": SCHEMA, "files": [as_json(one) for one in found]}, indent=2))
    else:
        print_found(found, abi=options.abi, cost=options.cost)
    if any(one.trouble for one in found) or all(one.is_empty for one in found):
        return ExitCode.USAGE
    return ExitCode.FAILED if any(one.diagnostics for one in found) else ExitCode.OK


def check(path: str) -> Checked:
    """Import a file, and check every kernel and program that it defines."""
    checked = Checked(path)
    try:
        compiled = kernels_in(Path(path))
    except CompileError as error:
        return replace(checked, diagnostics=list(error.diagnostics))
    except FileNotUsable as error:
        return replace(checked, trouble=str(error))
    trouble = ""
    for one in compiled:
        try:
            _prove(one)
            checked.passed.append(one)
        except CompileError as error:  # a program repeats the errors of the kernels it calls
            shown = (_with_path(d, path) for d in error.diagnostics)
            checked.diagnostics.extend(d for d in shown if d not in checked.diagnostics)
        except KparityError as error:
            trouble = f"cannot check `{one.name}`: {error}"
    return replace(checked, trouble=trouble)


def _prove(compiled: Kernel | Program) -> None:
    _ = compiled.proved


def _with_path(diagnostic: Diagnostic, path: str) -> Diagnostic:
    """Name the file as the user did, in diagnostics of that file."""
    if Path(diagnostic.source.path).resolve() != Path(path).resolve():
        return diagnostic
    return replace(diagnostic, source=replace(diagnostic.source, path=path))


def print_found(found: Sequence[Checked], *, abi: bool = False, cost: bool = False) -> None:
    """Print diagnostics and tables on standard output, files that could not be checked on standard error."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=PLAIN_WIDTH)
    colour = console.is_terminal and not console.no_color
    width = min(max(console.width, NARROWEST), WIDEST) if console.is_terminal else 80
    for one in found:
        for diagnostic in one.diagnostics:
            console.file.write(render_diagnostic(diagnostic, colour=colour, width=width) + "\n")
        for compiled in one.passed:
            if cost:
                continue
            if abi:
                print_abi(compiled, console)
            elif isinstance(compiled, Kernel):
                print_kernel(compiled, one.path, console)
            else:
                print_program(compiled, one.path, console)
    if cost:
        print_cost([c for one in found for c in one.passed if isinstance(c, Kernel)], console)
    console.file.write(summary(found) + "\n")
    for one in found:
        if one.trouble or one.is_empty:
            print(f"kparity check: {one.trouble or f'{one.path} defines no kernel or program'}", file=sys.stderr)


def summary(found: Sequence[Checked]) -> str:
    """Return the closing line."""
    kernels = sum(isinstance(c, Kernel) for one in found for c in one.passed)
    programs = sum(isinstance(c, Program) for one in found for c in one.passed)
    errors = sum(len(one.diagnostics) for one in found)
    parts = [counted(kernels, "kernel") + " proved"]
    parts += [counted(programs, "program") + " accepted"] if programs else []
    parts += [counted(errors, "error")]
    return ", ".join(parts)


def as_json(checked: Checked) -> dict[str, Any]:
    """Return what was found about one file, as data."""
    return {
        "path": checked.path,
        "trouble": checked.trouble or None,
        "diagnostics": [diagnostic_as_json(d) for d in checked.diagnostics],
        "accepted": [kernel_as_json(c) if isinstance(c, Kernel) else program_as_json(c) for c in checked.passed],
    }
