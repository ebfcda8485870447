"""`kparity run`: measures checked kernels against their C++ baselines, and reports."""

from __future__ import annotations

import argparse

from .. import configuration
from .. import options as shared


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "run",
        help="measure kernels against their C++ baselines and write a report",
        description="Measure checked kernels against their C++ baselines: verified first, timed in fresh processes.",
        epilog="Exit status: 0 all well, 1 a cell failed or was wrong, 2 usage, 3 not possible here, 4 folder, 5 busy, "
        "6 disk full, 130 interrupted. Details: docs/exit-codes.md",
        allow_abbrev=False,
    )
    shared.add_selection(parser)
    shared.add_measuring(parser)
    shared.add_outcome(parser)
    configuration.add_options(parser)


def execute(options: argparse.Namespace) -> int:
    """Run a campaign, or go on with one."""
    from ..launchpad import new_mission, resumed_mission

    mission = resumed_mission(options) if options.resume else new_mission(options, timed=True)
    from ..conduct import conduct  # statistics and reports take a second to import: names are checked first

    return int(conduct(mission, as_json=options.json, dry=options.dryrun, record=options.record))
