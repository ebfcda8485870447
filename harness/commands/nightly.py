"""`kparity nightly PROFILE.toml`: update, run, record, publish, gate, prune and show, by one profile."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..nightly.profile import Profile
    from ..nightly.steps import Night


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "nightly",
        help="update, run, record, publish, gate, prune and show, by one profile",
        description="One night by a profile's tables [nightly], [run] and [gate]. A night that was cut short goes on "
        "where it stopped; a second one beside it ends at once.",
        epilog="Exit status: the gate's (0 ok, 1 regression, 2 cannot judge), or that of the step that failed. "
        "Details: docs/nightly.md",
        allow_abbrev=False,
    )
    parser.add_argument("profile", type=Path, metavar="PROFILE", help="TOML file")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Do a night, or what is left of one."""
    from ..journal import open_folder
    from ..nightly.profile import read_profile
    from ..nightly.steps import current_night, log_of, run_night

    profile = read_profile(options.profile)
    top = Path(profile.folder)
    with open_folder(top):
        night = current_night(top)
        print(f"{night.name}: {'going on after ' + night.steps[-1].name if night.steps else 'begins'}")
        status = run_night(night, profile, options.profile)
        _finish(night, profile, top)
    for step in night.steps:
        print(f"{step.name}: exit status {step.status}, {step.seconds:g} s, {log_of(top, night, step.name)}")
    print(f"status page: {top / 'status.html'}")
    return int(status)


def _finish(night: Night, profile: Profile, top: Path) -> None:
    """Remove what is old and write the status page, however the night went."""
    from ..errors import FolderError
    from ..journal import load, write_text
    from ..nightly.page import PAGE, render
    from ..nightly.prune import prune
    from ..nightly.steps import log_of

    gone = prune(top, profile.keep_nights, monthly=profile.keep_monthly) if night.is_over else []
    try:
        campaign = load(top / night.name)
    except FolderError:  # the run did not get that far; the page says so
        campaign = None
    log = log_of(top, night, "gate")
    gate = log.read_text(encoding="utf-8", errors="replace").splitlines()[1:] if log.is_file() else []
    write_text(top, PAGE, render(night, campaign, profile, gate, gone))
