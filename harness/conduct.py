"""Conducts a campaign from its folder's lock to its report, whatever comes between."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from .dry_run import print_plan
from .errors import DiskFull, ExitCode, HarnessError, Interrupted, SourcesChanged, Terminated
from .journal import KERNELS, PLAN, PROVENANCE, Journal, explained, load, open_folder, read_json, write_json
from .kernel_facts import suite_facts
from .launchpad import Mission, refuse_used_folder
from .preparation_run import Prepared, prepare_all
from .progress import watcher
from .provenance import differences, gather
from .records import Campaign, Record
from .report_files import write_report
from .sources import fingerprint, source_folders
from .standing import is_final

FORMATS = ("html", "csv", "markdown", "json", "rajaperf")
ASV = Path("asv.conf.json")
HTML = "report.html"


def conduct(mission: Mission, *, as_json: bool, dry: bool, record: bool) -> ExitCode:
    """Run a campaign and report on it.

    Parameters
    ----------
    mission : Mission
    as_json : bool
        Print one JSON object, instead of a table, on standard output.
    dry : bool
        Show the plan and stop.
    record : bool
        Write the times into asv's database as well.

    Returns
    -------
    ExitCode
        `OK` if every cell is right and, where times were asked for, has one.

    Raises
    ------
    HarnessError
        The campaign cannot start, or was cut short; what was recorded before is kept.
    """
    if dry:
        print_plan(mission, as_json=as_json)
        return ExitCode.OK
    campaign, pages, stop = carry_out(mission, record=record)
    _tell(campaign, pages, mission, as_json=as_json)
    if stop is not None:
        raise stop
    return ExitCode.OK if _all_well(campaign) else ExitCode.FAILED


def carry_out(mission: Mission, *, record: bool = False) -> tuple[Campaign, list[Path], HarnessError | None]:
    """Run a campaign and write its report; return it, its pages, and what cut it short.

    Raises
    ------
    HarnessError
        The campaign cannot start, or its disk is full.
    """
    with open_folder(mission.folder):
        refuse_used_folder(mission)
        stop = _measure(mission)
        campaign = load(mission.folder)
        if isinstance(stop, DiskFull):
            raise stop
        pages = _report(campaign, mission.folder)
        if record and stop is None:
            _record_in_asv(campaign)
    return campaign, pages, stop


def _measure(mission: Mission) -> HarnessError | None:
    """Prepare and walk; return what cut the campaign short, with advice, or None."""
    write_json(mission.folder, PLAN, {"run": mission.run, "settings": mission.settings.to_json()})
    earlier = list(load(mission.folder).records) if mission.is_resumed else []
    journal = Journal(mission.folder)
    eye = watcher()
    crew = mission.site.crew(mission.run, mission.folder, mission.settings, eye)
    folders = source_folders(mission.settings.suite)
    sources = fingerprint(folders)

    def check_sources() -> None:
        if fingerprint(folders) != sources:
            raise SourcesChanged(
                "the sources of kparity or of the suite changed while the campaign ran: the walks so far are kept and "
                "reported, but the campaign cannot go on; start a new one"
            )

    campaign = mission.site.campaign(mission.plan, crew, journal, earlier, check_sources=check_sources)
    try:
        for cell, broken in mission.broken:
            campaign.fail(cell, "failed", str(broken))
        prepared = prepare_all(crew, mission.plan)
        _keep_facts(mission, prepared, sources)
        campaign.execute(prepared)
    except (KeyboardInterrupt, Terminated) as stop:
        return _cut_short(mission, len(campaign.records), stop)
    except (DiskFull, SourcesChanged) as stop:
        return stop
    finally:
        eye.end()
        journal.close()
    return None


def _cut_short(mission: Mission, records: int, stop: BaseException) -> Interrupted:
    kind = Terminated if isinstance(stop, Terminated) else Interrupted
    return kind(
        f"stopped; {records} results are kept in {mission.folder}; go on with `kparity run --resume {mission.folder}`"
    )


def _keep_facts(mission: Mission, prepared: Prepared, sources: str) -> None:
    """Write provenance and what the report shows of each kernel, before the first walk."""
    devices = {t: mission.targets[t].description for t in mission.settings.targets}
    now = {**gather(devices, prepared.compilers, sys.argv), "sources": sources}
    settings = mission.settings
    before = read_json(mission.folder, PROVENANCE)
    kept: dict[str, Any] = {**now, **before, "margin": settings.margin, "settings": settings.to_json()}
    kept["gives_verdicts"] = settings.gives_verdicts
    if mission.is_resumed and before:
        changed = differences(before, now)
        kept["resumed"] = [*before.get("resumed", []), {"at": now["started"], "changed": changed}]
        for line in changed:
            print(f"kparity: warning: the campaign goes on elsewhere than it began: {line}", file=sys.stderr)
    write_json(mission.folder, PROVENANCE, kept)
    kernels = prepared.kernels
    for name, entry in mission.entries.items():
        sizes = {comparison.size for comparison in mission.plan if comparison.kernel == name}
        kernels.setdefault(name, {}).update(suite_facts(entry, sorted(sizes)))
    write_json(mission.folder, KERNELS, kernels)


def _report(campaign: Campaign, folder: Path) -> list[Path]:
    with explained(folder):
        return list(write_report(campaign, folder, FORMATS))


def _record_in_asv(campaign: Campaign) -> None:
    from .recording import record

    recorded = record(campaign, ASV)
    print(f"recorded at {recorded.commit} of the ledger", file=sys.stderr)


def _tell(campaign: Campaign, pages: list[Path], mission: Mission, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_summary(campaign, pages, mission), indent=1))
        return
    from .table import render

    console = Console()
    if mission.settings.timed:
        render(campaign, console)
    else:
        _print_verification(campaign, console)
    if mission.settings.timed and not mission.settings.gives_verdicts:
        console.print("Fewer than five fresh processes: no verdict is given.", style="yellow")
    others = ", ".join(str(page.relative_to(mission.folder)) for page in pages if page.name != HTML)
    console.print(f"also in {mission.folder}: {others}", style="dim", markup=False, highlight=False, soft_wrap=True)
    console.print(f"report: {mission.folder / HTML}", markup=False, highlight=False, soft_wrap=True)


def _print_verification(campaign: Campaign, console: Console) -> None:
    wrong = [r for r in campaign.records if is_final(r) and r.status != "ok"]
    for record in wrong:
        console.print(f"{_name(record)}: {record.status}: {record.message}", style="red", markup=False, highlight=False)
    console.print(f"{len(campaign.records) - len(wrong)} of {len(campaign.records)} cells are right")


def _name(record: Record) -> str:
    cell = record.cell
    return f"{cell.kernel} {cell.target} {cell.size} {cell.variant} {cell.tuning}"


def _all_well(campaign: Campaign) -> bool:
    final = [record for record in campaign.records if is_final(record)]
    return bool(final) and all(record.status in ("ok", "skipped") for record in final)


def _summary(campaign: Campaign, pages: list[Path], mission: Mission) -> dict[str, Any]:
    from .json_export import render

    found: dict[str, Any] = json.loads(render(campaign))
    return {**found, "folder": str(mission.folder), "reports": [str(page) for page in pages]}
