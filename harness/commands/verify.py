"""`kparity verify`: checks results only, against RAJAPerf's checksums and, on random data, against NumPy."""

from __future__ import annotations

import argparse

from .. import configuration
from .. import options as shared


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "verify",
        help="check results only: RAJAPerf's checksums and random data",
        description="Check every selected cell without timing it: RAJAPerf's checksums after 1 and 3 repetitions, and "
        "seeded random data element by element.",
        allow_abbrev=False,
    )
    shared.add_selection(parser)
    shared.add_outcome(parser)
    configuration.add_options(parser)


def execute(options: argparse.Namespace) -> int:
    """Verify the selected cells."""
    from ..launchpad import new_mission, resumed_mission

    mission = resumed_mission(options) if options.resume else new_mission(options, timed=False)
    from ..conduct import conduct  # statistics and reports take a second to import: names are checked first

    return int(conduct(mission, as_json=options.json, dry=options.dryrun, record=False))
