"""`kparity run`: measures checked kernels against their C++ baselines, and reports."""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import configuration
from .. import options as shared
from ..errors import UsageError
from ..site import HERE, Site


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
    """Run a campaign, or go on with one; on a cluster if one is described."""
    if options.cluster is None:
        return _execute(options, HERE)
    from ..cluster.engine import cluster_site

    folder = options.resume or options.outdir
    if folder is None:
        raise UsageError("--cluster: name the folder with --outdir; all nodes must see it")
    with cluster_site(options.cluster, Path(folder)) as site:
        return _execute(options, site)


def _execute(options: argparse.Namespace, site: Site) -> int:
    from ..launchpad import new_mission, resumed_mission

    mission = resumed_mission(options, site=site) if options.resume else new_mission(options, timed=True, site=site)
    from ..conduct import conduct  # statistics and reports take a second to import: names are checked first

    return int(conduct(mission, as_json=options.json, dry=options.dryrun, record=options.record))
