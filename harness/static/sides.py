"""The figures of a kernel's two sides on one GPU, kernel by kernel of the program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kparity.baselines import Baseline, readable_name
from kparity.compiler import Kernel, Program, generated

from .listing import Code, codes
from .occupancy import occupancy

_VENDOR = ("rocprim", "cub::", "thrust", "_ZN3cub", "_ZN7rocprim")  # kernels of the vendor's library


@dataclass(frozen=True, slots=True)
class Figures:
    """One kernel on one side; of several the worst of each.

    Attributes
    ----------
    numbers : dict
        `registers`, `spills`, `private_bytes`, `shared_bytes`, ... as the object file has them.
    waves : int or None
        Theoretical occupancy, waves a processor.
    code : Code
        Its instructions, as the listing has them.
    """

    numbers: Mapping[str, int]
    waves: int | None
    code: Code = field(compare=False)


def calls_library(baseline: Baseline) -> bool:
    """Whether some of the baseline's kernels are the vendor's library's."""
    return any(vendor in name for name in baseline.figures for vendor in _VENDOR)


def native_figures(baseline: Baseline, architecture: str) -> dict[str, Figures]:
    """Return the baseline's own kernels by their names; of a reduction's mappings that of the default tuning."""
    listed = {readable_name(symbol): code for symbol, code in codes(baseline.code).items()}
    found: dict[str, Figures] = {}
    for name, numbers in sorted(baseline.figures.items()):  # <0> is the direct mapping, <1> the default
        if not any(vendor in name for vendor in _VENDOR):
            found[name.partition("<")[0]] = _figures(numbers, listed[name], architecture)
    return found


def checked_figures(program: Program | Kernel, target: str, architecture: str) -> dict[str, Figures]:
    """Return the program's kernels by their names; each in the version that usual sizes take."""
    artifact = generated(program, target)
    listed = codes(artifact.listing)
    found = {}
    for call in artifact.plan.calls:
        symbol = call.symbol.replace(".", "_") + (call.versions[0][0] if call.versions else "")
        if symbol in artifact.figures:  # a library's call has no code here
            found[call.kernel] = _figures(artifact.figures[symbol], listed[symbol], architecture)
    return found


def _figures(numbers: Mapping[str, int], code: Code, architecture: str) -> Figures:
    threads = numbers.get("block_threads") or code.threads
    waves = occupancy(architecture, numbers["registers"], numbers["shared_bytes"], threads)
    return Figures(numbers, waves, code)


def pairs(
    native: Mapping[str, Figures], checked: Mapping[str, Figures], *, named_only: bool = False
) -> list[tuple[str, Figures, Figures]]:
    """Return what is compared: kernels of one name with each other, of the others on both sides the worst.

    With `named_only` the others are left out: a library does on one side what they do on the other.
    """
    both = [(name, native[name], checked[name]) for name in checked if name in native]
    mine = [figures for name, figures in checked.items() if name not in native]
    theirs = [figures for name, figures in native.items() if name not in checked]
    if mine and theirs and not named_only:
        name = next(name for name in checked if name not in native) if len(mine) == 1 else "the others"
        both.append((name, _worst(theirs), _worst(mine)))
    return both


def _worst(several: Iterable[Figures]) -> Figures:
    listed = list(several)
    names = dict.fromkeys(name for figures in listed for name in figures.numbers)
    numbers = {name: max(figures.numbers.get(name, 0) for figures in listed) for name in names}
    known = [figures.waves for figures in listed if figures.waves is not None]
    return Figures(numbers, min(known, default=None), max((f.code for f in listed), key=lambda code: code.total))
