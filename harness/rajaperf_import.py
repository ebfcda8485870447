"""RAJAPerf's own results as a campaign, or as further variants of one.

Its variants become `rajaperf_Base_CUDA`, ...; its times are of the wall clock. Each run, a process of its own, is a
walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .cell_summary import summarize
from .errors import UsageError
from .plan import RAJAPERF
from .rajaperf_reader import Entry, Key, Run
from .records import Campaign, Cell, Record, Verification

SHARD = "journal-rajaperf.jsonl"
_TARGETS = {"Seq": "cpu1", "OpenMP": "cpu", "CUDA": "cuda", "HIP": "hip"}
Sizes = Callable[[str, str, int], int | None]  # kernel, target, actual size -> requested size


@dataclass(frozen=True, slots=True)
class Imported:
    """Records, and the kernels that were left out with the reason."""

    records: list[Record]
    left_out: dict[str, str]


def target_of(variant: str) -> str:
    """Return the target of a RAJAPerf variant.

    Examples
    --------
    >>> target_of("Base_CUDA"), target_of("RAJA_Seq"), target_of("Base_OpenMPTarget")
    ('cuda', 'cpu1', 'openmptarget')
    """
    model = variant.rsplit("_", 1)[-1]
    return _TARGETS.get(model, model.lower())


def import_runs(runs: Sequence[Run], run: str, sizes: Sizes) -> Imported:
    """Turn runs into records.

    Parameters
    ----------
    runs : sequence of Run
        Each is a walk, counted for each size by itself.
    run : str
        Campaign id of the records.
    sizes : callable
        What was asked for to get an actual size; None where the campaign has no such size.
    """
    records, left_out = [], {}
    walks: dict[Cell, int] = {}
    for one in runs:
        for (kernel, variant, tuning), entry in one.entries.items():
            target = target_of(variant)
            size = sizes(kernel, target, entry.size)
            if size is None:
                left_out[f"{kernel} {target}"] = f"RAJAPerf ran {entry.size} elements"
                continue
            cell = Cell("rajaperf", kernel, target, size, f"{RAJAPERF}{variant}", tuning)
            walks[cell] = walks.get(cell, -1) + 1
            records.append(record_of(one, (kernel, variant, tuning), entry, cell, walks[cell], run))
    return Imported(records, left_out)


def sizes_of_campaign(campaign: Campaign) -> Sizes:
    """Return the sizes that a campaign has: RAJAPerf's actual size must be the one that a kernel of it made."""
    known: dict[tuple[str, str, int], int] = {}
    for cell, summary in summarize(campaign.records).items():
        if not cell.variant.startswith(RAJAPERF):
            known[cell.kernel, cell.target, summary.actual_size] = cell.size
    return lambda kernel, target, actual: known.get((kernel, target, actual))


def sizes_of_suite(entries: Iterable[Any]) -> Sizes:
    """Return the sizes as the suite makes them: the default if it comes to the actual size, else that itself."""
    specs = {entry.full_name: entry.spec for entry in entries}

    def requested(kernel: str, target: str, actual: int) -> int:
        spec = specs.get(kernel)
        return int(spec.size) if spec is not None and spec.actual_size(spec.size) == actual else actual

    return requested


def facts(runs: Sequence[Run], sizes: Sizes) -> dict[str, dict[str, Any]]:
    """Return what RAJAPerf says of each kernel: the declared work at each size, and the repetitions."""
    found: dict[str, dict[str, Any]] = {}
    for one in runs:
        for (kernel, variant, _), entry in one.entries.items():
            if kernel in one.work and (size := sizes(kernel, target_of(variant), entry.size)) is not None:
                own = found.setdefault(kernel, {"work": {}, "repetitions": one.repetitions[kernel]})
                own["work"][str(size)] = one.work[kernel]
    return found


def provenance(runs: Sequence[Run]) -> dict[str, Any]:
    """Return what is known of the runs: RAJAPerf's files do not say what machine and compilers they are of."""
    started = datetime.fromtimestamp(min(one.place.stat().st_mtime for one in runs), UTC)
    return {
        "started": started.isoformat(timespec="seconds"),
        "imported": {"from": "RAJAPerf", "files": [str(one.place) for one in runs], "ranks": one_rank_count(runs)},
    }


def one_rank_count(runs: Sequence[Run]) -> int:
    """Return the number of MPI ranks; raises UsageError if the runs differ in it."""
    ranks = {one.ranks for one in runs}
    if len(ranks) > 1:
        counts = " and ".join(map(str, sorted(ranks)))
        raise UsageError(f"runs with {counts} MPI ranks are different experiments: import them one by one")
    return ranks.pop()


def record_of(one: Run, key: Key, entry: Entry, cell: Cell, walk: int, run: str) -> Record:
    """Return the record of one entry of a run."""
    verification = one.checksums.get(key, Verification(message="" if entry.passed else "RAJAPerf says FAILED"))
    status = "skipped" if entry.seconds is None else "ok" if entry.passed else "wrong"
    extremes = {name: times[key] for name, times in one.extremes.items() if key in times}
    return Record(
        run=run, cell=cell, walk=walk, attempt=0, status=status,  # type: ignore[arg-type]
        message={"skipped": "not run", "wrong": verification.message}.get(status, ""),
        actual_size=entry.size, repetitions=one.repetitions.get(cell.kernel, 0),
        wall_seconds=[entry.seconds] if status == "ok" and entry.seconds else [], verification=verification,
        conditions={"ranks": one.ranks, **({"passes": extremes} if extremes else {})},
    )  # fmt: skip


def lines(records: Iterable[Record]) -> Iterator[str]:
    """Yield a journal's lines."""
    return (record.to_json() + "\n" for record in records)


def counted(left_out: Mapping[str, str]) -> str:
    """Return what was left out, in one line."""
    shown = [f"{what} ({why})" for what, why in list(left_out.items())[:3]]
    return "; ".join(shown) + (f"; and {len(left_out) - 3} more" if len(left_out) > 3 else "")
