"""`kparity doctor`: which targets work on this machine, and how to get what is missing."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version

from ..errors import ExitCode
from ..machine import Finding, findings

CPU_TARGETS = ("cpu1", "cpu")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "doctor",
        help="say which targets work here and how to get the missing ones",
        description="Look for everything kparity can use here. Exit status 0 if the CPU targets work, else 3.",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Print what was found; 0 if the CPU targets work."""
    found = findings()
    print(as_json(found) if options.json else "\n".join(as_lines(found)))
    return int(ExitCode.OK if cpu_works(found) else ExitCode.UNAVAILABLE)


def cpu_works(found: list[Finding]) -> bool:
    """Whether every CPU target compiles and runs here."""
    working = {finding.name for finding in found if finding.part == "target" and finding.is_there}
    return working.issuperset(CPU_TARGETS)


def as_lines(found: list[Finding]) -> Iterator[str]:
    """One line a finding: state, name, and what was found or what to do."""
    yield f"kparity {version('kparity')}, Python {platform.python_version()}, {platform.platform()}"
    width = max(len(finding.title) for finding in found)
    for finding in found:
        state = "ok     " if finding.is_there else "missing"
        yield f"{state}  {finding.title:<{width}}  {finding.found or finding.remedy}"
    if not cpu_works(found):
        yield "the embedded CPU targets do not work here: see the lines marked `missing` above"


def as_json(found: list[Finding]) -> str:
    """All findings as one JSON object."""
    return json.dumps(
        {
            "kparity": version("kparity"),
            "python": platform.python_version(),
            "platform": platform.platform(),
            "works": cpu_works(found),
            "findings": [asdict(finding) | {"is_there": finding.is_there} for finding in found],
        },
        indent=2,
    )
