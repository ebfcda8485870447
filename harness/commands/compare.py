"""`kparity compare A B ...`: set campaigns beside each other, kernel by kernel."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import ExitCode, UsageError
from ..options import positive_number

FORMATS = {"html": "comparison.html", "markdown": "comparison.md", "csv": "comparison.csv", "json": "comparison.json"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "compare",
        help="set campaigns beside each other: machines, compilers, commits",
        description="Compare campaigns with the first one: each kernel's time and speedup with intervals, what is only "
        "in some of them, and what differs between their machines, tools and sources.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "campaigns",
        nargs="+",
        metavar="CAMPAIGN",
        help="folder, or name under results/campaigns; FOLDER:TARGET for one target, whatever the others call theirs",
    )
    add(
        "--across",
        nargs="+",
        default=(),
        choices=("machine", "toolchain", "sources"),
        metavar="RESPECT",
        help="respects in which the campaigns are meant to differ: machine, toolchain, sources",
    )
    add("--anyway", action="store_true", help="compare although the campaigns are not comparable; the page says so")
    add("--clock", choices=("device", "wall"), help="default: device, unless a campaign read the wall clock only")
    add("--margin", type=positive_number("--margin"), metavar="X", help="no change (default: the first campaign's)")
    add("--format", choices=sorted(FORMATS), help="print this instead of the table")
    add("-od", "--outdir", type=Path, metavar="DIR", help="write every format into this folder")
    parser.set_defaults(execute=execute)  # fmt: skip


def execute(options: argparse.Namespace) -> int:
    """Print the comparison, or write it."""
    if len(options.campaigns) < 2:
        raise UsageError("name at least two campaigns: the first is what the others are compared with")
    from ..across import comparable, page, texts
    from ..across.places import find_sides
    from ..across.side_by_side import side_by_side
    from ..comparison import margin_of

    sides = find_sides(options.campaigns)
    objections = comparable.objections(sides, options.across)
    if not options.anyway:
        comparable.refuse_incomparable(sides, options.across)
    table = side_by_side(sides, margin=options.margin or margin_of(sides[0].campaign), clock=options.clock)
    found = comparable.differences(sides)
    writers = {
        "html": lambda: page.render(table, found, objections), "markdown": lambda: texts.markdown(table, found),
        "csv": lambda: texts.csv_text(table), "json": lambda: texts.json_text(table, found),
    }  # fmt: skip
    if options.outdir:
        from ..report_files import replace_file

        for name, file in FORMATS.items():
            replace_file(options.outdir / file, writers[name]())
            print(options.outdir / file)
    elif options.format:
        print(writers[options.format](), end="")
    else:
        from rich.console import Console

        texts.print_table(table, found, Console())
        for text in objections:
            print(f"not comparable, compared anyway: {text}")
    return ExitCode.OK if table.rows else ExitCode.FAILED
