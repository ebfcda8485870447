"""From options to a campaign that is ready to start: names resolved, targets probed, memory enough, folder held."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import FolderError, UsageError
from .journal import JOURNAL, PLAN, read_json
from .memory import require_memory
from .options import choice_of, default_folder, resumed, settings_of
from .plan import Comparison, make_plan
from .records import Cell
from .selection import select_broken, select_kernels, select_sides
from .settings import Settings
from .site import HERE, Site
from .targets import Probed, working

if TYPE_CHECKING:
    from kparity.suites import BrokenKernel, Entries, Entry


@dataclass(frozen=True, slots=True)
class Mission:
    """A campaign, ready to start.

    Attributes
    ----------
    run : str
        Id.
    folder : Path
    settings : Settings
        With every name resolved.
    entries : dict
        Full name -> kernel, of those selected.
    plan : list of Comparison
    targets : dict
        What the probe found, by target.
    broken : list of (Cell, BrokenKernel)
        Kernel files that cannot be used, as cells that fail.
    is_resumed : bool
    site : Site
        Where its workers run.
    """

    run: str
    folder: Path
    settings: Settings
    entries: Mapping[str, Entry]
    plan: list[Comparison]
    targets: Mapping[str, Probed]
    broken: list[tuple[Cell, BrokenKernel]]
    is_resumed: bool
    site: Site = HERE


def new_mission(options: argparse.Namespace, *, timed: bool, site: Site = HERE) -> Mission:
    """Return the campaign that the options describe; nothing is written yet.

    Raises
    ------
    UsageError
        Options or names that do not fit, or no such suite.
    NotPossibleHere
        A target or the memory for a size is missing.
    """
    settings, choice = settings_of(options, timed=timed), choice_of(options)
    found = kernels_of(choice.suite)
    broken = select_broken(found.broken, choice.kernels, choice.exclude_kernels)
    chosen = select_kernels(
        found, kernels=choice.kernels, exclude_kernels=choice.exclude_kernels, features=choice.features,
        exclude_features=choice.exclude_features, broken=broken,
    )  # fmt: skip
    sides = select_sides(choice.variants, choice.exclude_variants, choice.targets)
    probed = site.probe()
    targets = tuple(target for target in working(probed, sides.targets) if target not in sides.without)
    if not targets:
        raise UsageError("--exclude-variants leaves no target that works here")
    if settings.protocol == "graph" and (others := [name for name in targets if name != "cuda"]):
        raise UsageError(f"--graph replays CUDA graphs, which {', '.join(others)} cannot: add --targets cuda")
    run = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    settings = replace(
        settings, kernels=tuple(entry.full_name for entry in chosen), targets=targets, variants=sides.variants
    )
    folder = Path(options.outdir) if options.outdir else default_folder(run)
    return _mission(run, folder, settings, chosen, broken, probed, site, is_resumed=False)


def resumed_mission(options: argparse.Namespace, *, site: Site = HERE) -> Mission:
    """Return a campaign that was begun before, with its limits as the options give them.

    Raises
    ------
    FolderError
        The folder holds no campaign, or a kernel of it is gone.
    UsageError
        An option would change what is measured.
    NotPossibleHere
        A target of the campaign does not work any more.
    """
    folder = Path(options.resume)
    saved = read_json(folder, PLAN)
    if not saved:
        raise FolderError(f"{folder} holds no campaign to resume: there is no {PLAN} in it")
    try:
        run, settings = str(saved["run"]), Settings.from_json(saved["settings"])
    except (KeyError, ValueError) as error:
        raise FolderError(f"{folder / PLAN} cannot be used: {error}") from error
    settings = resumed(settings, options)
    found = {entry.full_name: entry for entry in kernels_of(settings.suite)}
    if gone := [name for name in settings.kernels if name not in found]:
        raise FolderError(f"{folder} cannot be resumed: {', '.join(gone)} can no longer be used")
    chosen = [found[name] for name in settings.kernels]
    probed = site.probe(settings.targets)
    working(probed, settings.targets)
    return _mission(run, folder, settings, chosen, [], probed, site, is_resumed=True)


def kernels_of(suite: str) -> Entries:
    """Return the kernels of a suite; raises UsageError if there is no such suite."""
    from kparity.suites import SuiteError, entries  # kernel files take a moment to import

    try:
        return entries(suite)
    except SuiteError as error:
        raise UsageError(str(error)) from error


def refuse_used_folder(mission: Mission) -> None:
    """Raise FolderError if a new campaign would go into the folder of another one."""
    used = [name for name in (PLAN, JOURNAL) if (mission.folder / name).exists()]
    if used and not mission.is_resumed:
        raise FolderError(
            f"{mission.folder} holds a campaign already ({used[0]}); go on with it by --resume {mission.folder}, "
            "or choose another folder with --outdir"
        )


def _mission(
    run: str, folder: Path, settings: Settings, chosen: Sequence[Entry], broken: Sequence[BrokenKernel],
    probed: Mapping[str, Probed], site: Site, *, is_resumed: bool,
) -> Mission:  # fmt: skip
    by_name = {entry.full_name: entry for entry in chosen}
    plan = make_plan(chosen, settings)
    free = {name: target.free // settings.ranks for name, target in probed.items() if not target.reason}
    require_memory(plan, by_name, free, site.host_free_memory() // settings.ranks)
    failing = [(cell, one) for one in broken for cell in _cells_of_broken(one, settings)]
    return Mission(run, folder, settings, by_name, plan, probed, failing, is_resumed, site)


def _cells_of_broken(broken: BrokenKernel, settings: Settings) -> list[Cell]:
    """Name the cells that a file would have filled: it has a name and a group by its path, but no size of its own."""
    name = f"{broken.path.parent.name.capitalize()}_{broken.path.stem.upper()}"
    size = settings.sizes[0] if settings.sizes else 1
    return [Cell(Path(settings.suite).name, name, target, size, "checked") for target in settings.targets]
