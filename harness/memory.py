"""How much memory a comparison needs, told before anything starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kparity.suites import Entry, arrays_in

from .errors import NotPossibleHere
from .plan import Comparison

_PROBE = 10_000  # size whose data is really made; that of other sizes is in proportion
_HOST_COPIES = 3  # data, reference, and the reference's temporaries
_DEVICE_COPIES = 1  # initial state, beside each side's own arguments


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that one comparison needs at its peak, on the host and on its device."""

    comparison: Comparison
    host: int
    device: int


def bytes_of_arguments(entry: Entry, size: int) -> int:
    """Estimate the bytes of a kernel's arrays at a size, from those it really has at a small one.

    An upper estimate for grids, whose boundary layers weigh most when small.
    """
    probe = min(size, _PROBE)
    arrays = arrays_in(entry.arguments(probe)).values()
    return int(sum(array.nbytes for array in arrays) * (size / probe))


def need_of(entry: Entry, comparison: Comparison) -> Need:
    """Return what a comparison needs; one side more than it has, for the verification runs."""
    arrays = bytes_of_arguments(entry, comparison.size)
    on_device = arrays * (len(comparison.sides) + 1 + _DEVICE_COPIES)
    on_host = arrays * _HOST_COPIES
    if comparison.target.startswith("cpu"):
        return Need(comparison, on_host + on_device, on_host + on_device)
    return Need(comparison, on_host, on_device)


def require_memory(
    plan: Iterable[Comparison], entries: Mapping[str, Entry], free: Mapping[str, int], host_free: int
) -> None:
    """Refuse a plan that this machine cannot hold.

    Parameters
    ----------
    plan : iterable of Comparison
    entries : mapping
        Full name -> kernel.
    free : mapping
        Target -> free bytes of its device.
    host_free : int
        Free bytes of the host.

    Raises
    ------
    NotPossibleHere
        Says, for the largest offender, how much is needed, how much is there, and which size would fit.
    """
    needs = (need_of(entries[comparison.kernel], comparison) for comparison in plan)
    too_large = [(need, *_shortage(need, free, host_free)) for need in needs if _shortage(need, free, host_free)[0]]
    if not too_large:
        return
    need, needed, there, where = max(too_large, key=lambda entry: entry[1])
    fits = int(need.comparison.size * there / needed)
    names = sorted({n.comparison.kernel for n, *_ in too_large})
    raise NotPossibleHere(
        f"size {need.comparison.size:,} is too large for {where}: {need.comparison.kernel} needs about {gib(needed)}, "
        f"{gib(there)} are free; a size of about {fits:,} would fit"
        + (f" (also too large for: {', '.join(n for n in names if n != need.comparison.kernel)})" if names[1:] else "")
    )


def _shortage(need: Need, free: Mapping[str, int], host_free: int) -> tuple[int, int, str]:
    """Bytes needed and there, and where, of what is short; zeros if nothing is."""
    device_free = free.get(need.comparison.target, host_free)
    if need.device > device_free:
        return need.device, device_free, f"target `{need.comparison.target}`"
    if need.host > host_free:
        return need.host, host_free, "the host's memory"
    return 0, 0, ""


def gib(count: int) -> str:
    """Return bytes as text, in GiB, MiB below one."""
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"


def host_free_memory(meminfo: Path = Path("/proc/meminfo"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """Return the bytes that the host can still give to this process: the system's, or its control group's if less."""
    lines = (line.split() for line in meminfo.read_text().splitlines())
    system = next(int(words[1]) * 1024 for words in lines if words[0] == "MemAvailable:")
    return min([system, *_group_limits(groups)])


def _group_limits(folder: Path) -> list[int]:
    try:
        limit, used = (folder / "memory.max").read_text(), (folder / "memory.current").read_text()
        return [max(0, int(limit) - int(used))]
    except (OSError, ValueError):
        return []  # no control group, or no limit in it
