"""`kparity import-rajaperf DIR`: RAJAPerf's own results beside ours."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import ExitCode, UsageError


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command and its options."""
    parser = subparsers.add_parser(
        "import-rajaperf",
        help="read the output of RAJAPerf itself, as variants of a campaign",
        description="Read the output folders of the RAJA Performance Suite: its variants become `rajaperf_Base_CUDA` "
        "and the like, each run (a process of its own) a walk.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("folder", type=Path, metavar="DIR", help="what RAJAPerf's --outdir was, or a folder of such folders")
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument(
        "--into", type=Path, metavar="CAMPAIGN", help="add the variants to this campaign, where sizes are the same"
    )
    place.add_argument("-od", "--outdir", type=Path, metavar="NEW", help="a campaign of its own")
    add("--anyway", action="store_true", help="add to the campaign what ran in several MPI ranks")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Read the runs, write the records, and say where they went."""
    from .. import rajaperf_import as importing
    from ..journal import KERNELS, PLAN, PROVENANCE, load, open_folder, write_json, write_text
    from ..launchpad import kernels_of
    from ..rajaperf_reader import find_runs
    from ..report_files import write_report

    runs = find_runs(options.folder)
    ranks = importing.one_rank_count(runs)
    folder: Path = options.into or options.outdir
    if options.into:
        campaign = load(folder)
        if ranks > 1 and not options.anyway:
            raise UsageError(
                f"{options.folder} ran in {ranks} MPI ranks at once, {folder} in one process; add it --anyway"
            )
        imported = importing.import_runs(runs, campaign.run, importing.sizes_of_campaign(campaign))
        if not imported.records:
            left_out = importing.counted(imported.left_out)
            raise UsageError(f"nothing in {options.folder} has a size that {folder} has: {left_out}")
    elif (folder / PLAN).exists():
        raise UsageError(f"{folder} holds a campaign already: add to it with --into {folder}")
    else:
        run = f"rajaperf-{options.folder.resolve().name}"
        sizes = importing.sizes_of_suite(kernels_of("rajaperf"))
        imported = importing.import_runs(runs, run, sizes)
    with open_folder(folder):
        if not options.into:
            write_json(folder, PLAN, {"run": run})
            write_json(folder, PROVENANCE, importing.provenance(runs))
            write_json(folder, KERNELS, importing.facts(runs, sizes))
        write_text(folder, importing.SHARD, "".join(importing.lines(imported.records)))
        write_report(load(folder), folder)
    print(f"{len(imported.records)} results of {len(runs)} run{'s' if len(runs) > 1 else ''} are in {folder}")
    if imported.left_out:
        print(f"left out, for there is no such size in {folder}: {importing.counted(imported.left_out)}")
    return ExitCode.OK
