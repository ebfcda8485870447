"""`kparity merge DIR... --outdir NEW`: parts of one campaign, from nodes that share no folder, become one again."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import ExitCode


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "merge",
        help="join the folders of one campaign that ran in several places",
        description="Join folders that hold parts of one campaign: every record once. Records that contradict each "
        "other are refused, and so are parts that measured something else.",
        allow_abbrev=False,
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="folders with parts of the campaign")
    parser.add_argument("-od", "--outdir", type=Path, required=True, metavar="DIR", help="where all of it goes")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Join, write the report, and say how much there is."""
    from ..merging import merge_folders
    from ..report_files import write_report

    campaign = merge_folders(options.folders, options.outdir)
    write_report(campaign, options.outdir)
    print(f"{len(campaign.records)} records of {len(options.folders)} folders are in {options.outdir}")
    return ExitCode.OK
