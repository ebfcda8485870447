"""`kparity explain CODE`: the page of an error code."""

from __future__ import annotations

import argparse
import sys

from rich.console import Console
from rich.markdown import Markdown

from kparity.compiler import UnknownCode, error_codes, error_page, error_title

from ..errors import ExitCode


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "explain",
        help="explain an error code",
        description="Print why an error is one, a kernel that has it, and the repaired kernel. "
        "Exit status 0, or 2 if there is no such code.",
    )
    parser.add_argument("code", nargs="?", metavar="CODE", help="as in `error[KP0401]`; without it, all are listed")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Print the page, as Markdown on a pipe and laid out on a terminal; 2 if there is none."""
    if options.code is None:
        for code in error_codes():
            print(f"{code}  {error_title(code)}")
        return ExitCode.OK
    try:
        text = error_page(options.code)
    except UnknownCode as error:
        print(f"kparity explain: {error}", file=sys.stderr)
        return ExitCode.USAGE
    console = Console()
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        print(text, end="")
    return ExitCode.OK
