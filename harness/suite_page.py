"""The page about a suite: how near each kernel is to the published checksums, and what its safety rests on.

`python -m kparity.harness.suite_page docs/rajaperf.md CAMPAIGN ...` writes docs/rajaperf.md from the `results.csv` of
campaigns, such as those of `kparity verify`. What no campaign has stays as the page says.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kparity.compiler import Kernel, Program
from kparity.suites import Entry, entries

TIERS = {1: "static", 2: "guarded", 3: "inspected", 4: "checked", 5: "unsafe"}
SIDES = tuple((variant, target) for variant in ("checked", "native") for target in ("cpu1", "cpu"))

_Cell: TypeAlias = tuple[str, str, str]  # kernel, variant, target


@dataclass(frozen=True, slots=True)
class Difference:
    """The worst relative difference to the published checksums of one side of a kernel, over some sizes."""

    worst: float
    sizes: frozenset[int]

    def __str__(self) -> str:
        return "0" if self.worst == 0.0 else f"{self.worst:.1e}"


@dataclass(frozen=True, slots=True)
class Safety:
    """What the accesses of a kernel's launches rest on: how many of each tier, launch guards, inspected lists."""

    tiers: Mapping[int, int]
    guards: int
    inspections: int


def differences(campaigns: Iterable[Path], published: Mapping[str, set[int]]) -> dict[_Cell, Difference]:
    """Return the worst difference of each side over the cells with published checksums.

    Raises
    ------
    ValueError
        A cell is wrong: a page about such results would be none. What did not run to its end does not count.
    """
    found: dict[_Cell, Difference] = {}
    for folder in campaigns:
        with open(folder / "results.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["status"] == "wrong":
                    raise ValueError(f"{folder}: {row['kernel']} {row['variant']} {row['target']}: {row['message']}")
                size, key = int(row["size"]), (row["kernel"], row["variant"], row["target"])
                if row["status"] != "ok" or size not in published.get(row["kernel"], set()):
                    continue
                before = found.get(key, Difference(0.0, frozenset()))
                worst = max(before.worst, float(row["relative_difference"]))
                found[key] = Difference(worst, before.sizes | {size})
    return found


def safety_of(program: Kernel | Program) -> Safety:
    """Count what the proofs of a program's kernels say; each access by the weakest evidence that it needs."""
    proofs = [program.proved] if isinstance(program, Kernel) else list(program.proved.values())
    tiers = Counter(
        max(int(e.tier) for e in proved.evidence if e.span == one.span)
        for proved in proofs
        for one in proved.evidence
        if one.obligation == "bounds"
    )
    guards, inspections = sum(len(p.guards) for p in proofs), sum(len(p.inspections) for p in proofs)
    return Safety(dict(tiers), guards, inspections)


def published_sizes(entry: Entry, sizes: Iterable[int]) -> set[int]:
    """Return those of the sizes, and of the kernel's own, that have published checksums."""
    return {s for s in (*sizes, entry.spec.size) if entry.expected_checksum(s, 1) is not None}


def checksum_rows(found: Mapping[_Cell, Difference], suite: Iterable[Entry], old: str) -> Iterator[str]:
    """Yield a row a kernel; of a kernel without results the row that the old page has."""
    before = old.partition("\n## Safety")[0]
    for entry in suite:
        name = entry.full_name
        sides = [found.get((name, *side)) for side in SIDES]
        present = [side for side in sides if side is not None]
        if not present:
            kept = re.search(rf"^\| {name} \| .*\|$", before, re.MULTILINE)
            yield kept[0] if kept else f"| {name} | not run | | | | {entry.spec.tolerance:g} |"
            continue
        sizes = sorted(frozenset.intersection(*(side.sizes for side in present)))
        numbers = " | ".join("" if side is None else str(side) for side in sides)
        yield f"| {name} | {', '.join(f'{s:,}' for s in sizes)} | {numbers} | {entry.spec.tolerance:g} |"


def safety_rows(suite: Iterable[Entry]) -> Iterator[str]:
    """Yield a row a kernel, and one of the sums."""
    total: Counter[str] = Counter()
    for entry in suite:
        safety = safety_of(entry.spec.program)
        numbers = {TIERS[t]: safety.tiers.get(t, 0) for t in TIERS}
        numbers |= {"guards": safety.guards, "inspections": safety.inspections}
        total.update(numbers)
        yield f"| {entry.full_name} | {' | '.join(map(str, numbers.values()))} |"
    yield f"| all | {' | '.join(str(total[name]) for name in (*TIERS.values(), 'guards', 'inspections'))} |"


_HEAD = """\
# RAJAPerf's kernels

All of this page is written by `python -m kparity.harness.suite_page docs/rajaperf.md CAMPAIGN ...` from campaigns of
`kparity verify --targets cpu1 cpu --size ...`, and from the compiler's proofs.

## Checksums

The worst relative difference to the checksums that RAJAPerf itself gives, over the sizes named and after 1 and 3
repetitions, on one CPU thread (`cpu1`) and on all (`cpu`). Random data, element by element, agreed in each of these
runs as well.

| kernel | sizes | checked, cpu1 | checked, cpu | C++, cpu1 | C++, cpu | RAJAPerf's tolerance |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
"""

_SAFETY = """
## Safety

Accesses to arrays in each kernel's text, by what they rest on (docs/language.md, "What is proved"): a static proof, a
guard that the launcher evaluates, an inspection of index lists, a test on the device, the author's word. Guards are
evaluated when arguments are bound; a list is inspected once for each version of it, and not again until it changes.
Kernels of the library (scans, compaction, sorting) are counted with those that call them; of SORT and SORTPAIRS it is
the text of the kernel that is proved, while CUB and the C++ library do the work.

| kernel | static | guarded | inspected | checked | unsafe | guards | inspections |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def page(found: Mapping[_Cell, Difference], suite: Iterable[Entry], old: str = "") -> str:
    """Return the whole page."""
    suite = list(suite)
    rows = [_HEAD, *(f"{row}\n" for row in checksum_rows(found, suite, old)), _SAFETY]
    return "".join([*rows, *(f"{row}\n" for row in safety_rows(suite))])


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path, help="file to write; what is not in a campaign stays as it is there")
    parser.add_argument("campaigns", type=Path, nargs="*", help="folders that `kparity verify` wrote")
    options = parser.parse_args()
    suite = entries("rajaperf")
    published = {e.full_name: published_sizes(e, (1_000, 10_000, 100_000, 1_000_000)) for e in suite}
    old = options.page.read_text(encoding="utf-8") if options.page.is_file() else ""
    options.page.write_text(page(differences(options.campaigns, published), suite, old), encoding="utf-8")


if __name__ == "__main__":
    main()
