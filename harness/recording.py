"""A campaign becomes a commit of the ledger, and rows of asv's database at that commit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import ledger
from .asv_store import Machine, Store, series, tracked
from .cell_summary import CellSummary, summarize
from .errors import HarnessError
from .records import Campaign

CONFIGURATION = "asv.conf.json"
# Of the provenance, what tells one night from the next; the rest is in the campaign's own folder.
MANIFEST = (
    "started",
    "host",
    "system",
    "cpu",
    "cores",
    "devices",
    "compilers",
    "python",
    "packages",
    "commit",
    "dirty",
)


class RecordError(HarnessError):
    """A campaign cannot be recorded; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Where a campaign went: the ledger's commit, and asv's result files."""

    commit: str
    files: tuple[Path, ...]


def record(campaign: Campaign, configuration: Path, *, channel: str = "default") -> Recorded:
    """Put a campaign into the history that `asv publish`, `asv compare` and `asv show` read.

    Parameters
    ----------
    campaign : Campaign
        One that is in the ledger already is stored at its commit again, replacing its results.
    configuration : Path
        `asv.conf.json`, at the top of the repository whose branch `ledger` is extended.
    channel : str
        Toolchain channel; keeps the lines of, say, a nightly compiler apart. Versions do not belong here.

    Raises
    ------
    RecordError
        There is nothing to record, or no configuration.
    LedgerError, StoreError
        git or the store refused.
    """
    if not configuration.is_file():
        raise RecordError(
            f"{configuration} not found: run from the top of a checkout, or name the file with --asv-config"
        )
    cells = summarize(campaign.records)
    if not any(cell.status == "ok" for cell in cells.values()):
        raise RecordError(f"campaign {campaign.run} has no valid result: nothing was recorded")
    store = Store(configuration)
    commit = ledger.append(store.repository, manifest(campaign))
    sources = {kernel: str(facts.get("source", "")) for kernel, facts in campaign.kernels.items()}
    groups: dict[str, tuple[Machine, list[CellSummary]]] = {}
    for cell in cells.values():
        machine = machine_of(campaign, cell.cell.target)
        groups.setdefault(machine.name, (machine, []))[1].append(cell)
    files = [
        store.write(
            commit, machine, series(group, sources) + tracked(group, sources, campaign.kernels), channel=channel
        )
        for machine, group in groups.values()
    ]
    return Recorded(commit, tuple(files))


def manifest(campaign: Campaign) -> dict[str, Any]:
    """Return what the ledger keeps of a campaign: its id, and what it was made with and on."""
    found = {key: campaign.provenance[key] for key in MANIFEST if key in campaign.provenance}
    return {"run": campaign.run, **found}


def machine_of(campaign: Campaign, target: str) -> Machine:
    """Return the machine that a target's results belong to: the host with the model of the target's device."""
    provenance = campaign.provenance
    host = str(provenance.get("host") or "unknown")
    model = device_model(campaign, target)
    system = str(provenance.get("system", ""))
    architecture = re.search(r"x86_64|aarch64|arm64|ppc64le|riscv64", system)
    # Each fact tells lines of asv's graphs apart, so none may change with a kernel or a driver.
    facts = {
        "os": system.split("-", 1)[0],
        "arch": architecture.group() if architecture else "",
        "cpu": str(provenance.get("cpu", "")),
        "num_cpu": str(provenance.get("cores", "")),
        "ram": f"{round(int(provenance.get('memory_bytes', 0)) / 2**30)} GiB",
        "device": model,
    }
    return Machine(_plain(f"{host}-{model}"), facts)


def device_model(campaign: Campaign, target: str) -> str:
    """Return the model name of the device that a target ran on."""
    described = campaign.provenance.get("devices", {}).get(target, {})
    model = next((described[key] for key in ("model", "name", "device", "cpu") if described.get(key)), "")
    return str(model or campaign.provenance.get("cpu") or target)


def _plain(name: str) -> str:
    """Return `name` with only the characters that asv's folders bear."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("_.-")
