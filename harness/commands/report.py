"""`kparity report DIR`: write the report of a campaign again, in several formats, from its folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import UsageError
from ..journal import load

FORMATS = ("html", "csv", "markdown", "json", "rajaperf")
KNOWN = (*FORMATS, "samples", "parquet", "hatchet")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "report",
        help="write the report of a campaign again, in several formats",
        description="Write the report of a finished or unfinished campaign from what its folder holds.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder that `kparity run` wrote")
    parser.add_argument(
        "--format", metavar="LIST", type=formats, default=FORMATS,
        help=f"some of {','.join(KNOWN)}, separated by commas (default: {','.join(FORMATS)})",
    )  # fmt: skip
    parser.add_argument(
        "-od", "--outdir", metavar="DIR", type=Path, help="folder for the files (default: the campaign's)"
    )
    parser.add_argument(
        "--stdout", action="store_true", help="print the one text of the format instead of writing files"
    )
    parser.add_argument("--table", action="store_true", help="print the terminal table too")
    parser.add_argument("--record", action="store_true", help="put the campaign into asv's database and the ledger")
    parser.add_argument(
        "--asv-config", metavar="FILE", type=Path, default=Path("asv.conf.json"), help=argparse.SUPPRESS
    )
    parser.set_defaults(execute=execute)


def formats(text: str) -> tuple[str, ...]:
    """Return the formats that a comma-separated list names."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in KNOWN:
            raise argparse.ArgumentTypeError(f"unknown format `{name}`; there are {', '.join(KNOWN)}")
    if not names:
        raise argparse.ArgumentTypeError(f"name at least one of {', '.join(KNOWN)}")
    return names


def execute(options: argparse.Namespace) -> int:
    """Write the report and name its files, one a line."""
    campaign = load(options.folder)
    # What follows needs SciPy and the templates: after the folder was found to hold a campaign.
    from .. import report_files

    if options.stdout:
        texts = [text for name in options.format for text in report_files.WRITERS[name](campaign).values()]
        if len(texts) != 1 or not isinstance(texts[0], str):
            raise UsageError(
                f"--stdout prints one text, and --format asks for {len(texts)}: name one of html, csv, markdown, json, "
                "samples, hatchet"
            )
        print(texts[0], end="")
    else:
        for path in report_files.write_report(campaign, options.outdir or options.folder, options.format):
            print(path)
    if options.table:
        from rich.console import Console

        from .. import table

        table.render(campaign, Console())
    if options.record:
        from .. import recording

        recorded = recording.record(campaign, options.asv_config)
        print(f"recorded at {recorded.commit} of the ledger: {', '.join(str(path) for path in recorded.files)}")
    return 0
