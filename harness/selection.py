"""From the names on the command line to kernels, targets and sizes; a name that is none gets the nearest ones."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import UsageError

if TYPE_CHECKING:
    from kparity.suites import BrokenKernel, Entry

# RAJAPerf's names of what we call `native` on a target, and its sets of variants
VARIANT_NAMES: dict[str, tuple[str | None, str | None]] = {
    "checked": ("checked", None),
    "native": ("native", None),
    "Base": ("native", None),
    "Base_Seq": ("native", "cpu1"),
    "Base_OpenMP": ("native", "cpu"),
    "Base_CUDA": ("native", "cuda"),
    "Base_HIP": ("native", "hip"),
    "hip_on_cuda": ("hip_on_cuda", "cuda"),  # the native side's HIP text, compiled for NVIDIA
    "Seq": (None, "cpu1"),
    "OpenMP": (None, "cpu"),
    "CUDA": (None, "cuda"),
    "HIP": (None, "hip"),
}


def select_kernels(
    entries: Sequence[Entry],
    *,
    kernels: Sequence[str] = (),
    exclude_kernels: Sequence[str] = (),
    features: Sequence[str] = (),
    exclude_features: Sequence[str] = (),
    broken: Sequence[BrokenKernel] = (),
) -> list[Entry]:
    """Return the entries that the options name, in the suite's order.

    Parameters
    ----------
    entries : sequence of Entry
        All kernels of the suite.
    kernels, exclude_kernels : sequence of str
        Groups (`Stream`), full names (`Stream_TRIAD`) or bare names (`TRIAD`), in any case.
    features, exclude_features : sequence of str
        RAJAPerf's feature names.
    broken : sequence of BrokenKernel
        Selected files that cannot be used; their names count as known.

    Raises
    ------
    UsageError
        A name is none of the suite's, or nothing is left.
    """
    unusable = {name for one in broken for name in names_of_broken(one)}
    chosen = _named(entries, kernels, unusable) if kernels else list(entries)
    dropped = {entry.full_name for entry in _named(entries, exclude_kernels, unusable)}
    wanted, unwanted = _features(entries, features), _features(entries, exclude_features)
    selected = [
        entry
        for entry in chosen
        if entry.full_name not in dropped
        and (not wanted or wanted & set(entry.spec.features))
        and not unwanted & set(entry.spec.features)
    ]
    if not selected and not broken:
        raise UsageError("the selection leaves no kernel; `kparity list` shows what there is")
    return selected


def _named(entries: Sequence[Entry], names: Iterable[str], unusable: Iterable[str]) -> list[Entry]:
    known: dict[str, list[Entry]] = {name.lower(): [] for name in unusable}
    for entry in entries:
        for name in (entry.full_name, entry.spec.name, entry.group):
            known.setdefault(name.lower(), []).append(entry)
    spellings = sorted({name for e in entries for name in (e.full_name, e.spec.name, e.group)})
    for name in names:
        if name.lower() not in known:
            raise unknown_name(name, spellings, "kernel or group")
    found = {id(entry) for name in names for entry in known[name.lower()]}
    return [entry for entry in entries if id(entry) in found]


def select_broken(
    broken: Sequence[BrokenKernel], kernels: Sequence[str], exclude_kernels: Sequence[str]
) -> list[BrokenKernel]:
    """Return the unusable kernel files that the names select; by their paths, for they say nothing of themselves."""
    wanted, unwanted = ({name.lower() for name in names} for names in (kernels, exclude_kernels))
    return [
        one
        for one in broken
        if (not wanted or wanted & set(names_of_broken(one))) and not unwanted & set(names_of_broken(one))
    ]


def names_of_broken(broken: BrokenKernel) -> tuple[str, str, str]:
    """Return the names, in lower case, that the path of an unusable kernel file answers to: full, bare, group."""
    group, stem = broken.path.parent.name.lower(), broken.path.stem.lower()
    return f"{group}_{stem}", stem, group


def _features(entries: Sequence[Entry], names: Iterable[str]) -> set[str]:
    known = {feature.lower(): feature for entry in entries for feature in entry.spec.features}
    for name in names:
        if name.lower() not in known:
            raise unknown_name(name, sorted(known.values()), "feature")
    return {known[name.lower()] for name in names}


def unknown_name(name: str, known: Sequence[str], what: str) -> UsageError:
    """Return the error for a name that is none of the known ones, with the nearest of them."""
    by_lower = {spelling.lower(): spelling for spelling in known}
    near = [by_lower[match] for match in difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)]
    if near:
        return UsageError(f"no {what} is named `{name}`; did you mean {' or '.join(f'`{n}`' for n in near)}?")
    return UsageError(f"no {what} is named `{name}`; there are {', '.join(known) if known else 'none'}")


@dataclass(frozen=True, slots=True)
class Sides:
    """What `--variants`, `--exclude-variants` and `--targets` say together.

    Attributes
    ----------
    variants : tuple of str
        `checked`, `native`, `hip_on_cuda`.
    targets : tuple of str
        Asked for by name; empty for all that work.
    without : frozenset of str
        Targets to leave out.
    """

    variants: tuple[str, ...]
    targets: tuple[str, ...]
    without: frozenset[str]


def select_sides(variants: Sequence[str], exclude_variants: Sequence[str], targets: Sequence[str]) -> Sides:
    """Resolve variant names, ours and RAJAPerf's.

    Parameters
    ----------
    variants, exclude_variants : sequence of str
        `checked`, `native`, `Base_Seq`, `CUDA`, ...; a name that implies a target asks for it, or drops it, too.
    targets : sequence of str
        Asked for by name.

    Raises
    ------
    UsageError
        An unknown variant, or a selection that contradicts itself.
    """
    kept, implied = _variants(variants)
    dropped, without = _exclusions(exclude_variants)
    left = tuple(variant for variant in kept or ("checked", "native") if variant not in dropped)
    both = [t for t in targets if t in implied] if targets and implied else [*targets, *implied]
    wanted = tuple(target for target in dict.fromkeys(both) if target not in without)
    if not left or ((targets or implied) and not wanted):
        raise UsageError("--variants, --exclude-variants and --targets together leave nothing to run")
    return Sides(left, wanted, frozenset(without))


def _variants(names: Sequence[str]) -> tuple[list[str], list[str]]:
    variants: list[str] = []
    targets: list[str] = []
    for name in names:
        variant, target = _variant(name)
        variants += [variant] if variant else ["checked", "native"]
        targets += [target] if target else []
    return list(dict.fromkeys(variants)), list(dict.fromkeys(targets))


def _exclusions(names: Sequence[str]) -> tuple[set[str], set[str]]:
    pairs = [_variant(name) for name in names]
    for name, (variant, target) in zip(names, pairs, strict=True):
        if variant and target:
            raise UsageError(f"--exclude-variants {name}: exclude `{variant}`, or leave `{target}` out of --targets")
    return {v for v, _ in pairs if v}, {t for _, t in pairs if t}


def _variant(name: str) -> tuple[str | None, str | None]:
    lower = {known.lower(): pair for known, pair in VARIANT_NAMES.items()}
    if name.lower() not in lower:
        raise unknown_name(name, list(VARIANT_NAMES), "variant")
    return lower[name.lower()]


def positive_size(text: str) -> int:
    """Read a problem size; raises UsageError unless it is a whole number of at least 1 (`1e6` is one)."""
    try:
        value = float(text)
        size = int(text) if text.strip().lstrip("+-").isdigit() else int(value)
    except (ValueError, OverflowError):
        raise UsageError(f"--size {text}: not a number; give a problem size such as 1000000") from None
    if size != value and not text.strip().lstrip("+-").isdigit():
        raise UsageError(f"--size {text}: a problem size is a whole number")
    if size < 1:
        raise UsageError(f"--size {text}: a problem size is at least 1")
    return size
