"""`kparity selftest`: measures the checked kernels against themselves, once as they are and once slowed."""

from __future__ import annotations

import argparse
import json

from rich.console import Console

from .. import options as shared
from ..errors import ExitCode

PLANTED = 0.1


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "selftest",
        help="measure the checked kernels against themselves, once with a planted slowdown",
        description="See whether times can be trusted here. Two campaigns with the checked kernel on both sides: as it "
        "is, where no verdict but parity is right, and with one side slowed, where none but slower is. "
        "Exit status 1 if a verdict is wrong or a cell failed; what is undecided is not wrong.",
        allow_abbrev=False,
    )
    shared.add_selection(parser)
    add = shared.add_walks(parser).add_argument
    add("--planted", type=shared.positive_number("--planted"), metavar="X", default=PLANTED,
        help=f"by how much one side is slowed (default: {PLANTED})")  # fmt: skip
    shared.add_folder(parser)
    measuring = argparse.ArgumentParser()
    shared.add_measuring(measuring)  # what `run` knows besides has the value here that leaving it out has there
    parser.set_defaults(resume=None, dryrun=False, **vars(measuring.parse_args([])))


def execute(options: argparse.Namespace) -> int:
    """Run both campaigns and compare what they say with what is true."""
    from ..conduct import carry_out
    from ..launchpad import new_mission
    from ..selftest import as_json, as_table, missions, trial_of

    trials = []
    for mission in missions(new_mission(options, timed=True), options.planted):
        campaign, _, stop = carry_out(mission)
        if stop is not None:
            raise stop
        trials.append(trial_of(campaign, mission.settings.planted or 0.0))
    if options.json:
        print(json.dumps(as_json(trials), indent=1))
    else:
        console = Console()
        console.print(as_table(trials))
        for trial in trials:
            for line in trial.false_claims:
                console.print(f"wrong: {line}", style="red", markup=False, highlight=False, soft_wrap=True)
    return int(ExitCode.FAILED if any(trial.false_claims for trial in trials) else ExitCode.OK)
