"""Reads the output folder of a RAJA Performance Suite run.

Formats: RAJAPerf's `Executor` (release 2025.12); columns are separated by commas and padded. A folder is one process at
one size; several passes of it are one mean, with minimum and maximum where those files were asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .errors import FolderError
from .records import Verification

RUN_DATA, DETAILS, CHECKSUMS = "-kernel-run-data.csv", "-kernel-details.csv", "-checksum.txt"
_NOT_RUN = "Not run"
Key = tuple[str, str, str]  # kernel, variant, tuning


@dataclass(frozen=True, slots=True)
class Entry:
    """One kernel, variant and tuning of a run; `seconds` of a repetition, None if it was not run."""

    size: int
    seconds: float | None
    passed: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One output folder.

    Attributes
    ----------
    place : Path
        The file with the run's data.
    entries : dict
    repetitions : dict
        Kernel -> repetitions; empty without the details' file.
    work : dict
        Kernel -> declared work of a repetition, as our suites name it.
    ranks : int
        MPI ranks.
    extremes : dict
        `minimum`, `maximum` -> what the passes' fastest and slowest took, seconds a repetition.
    checksums : dict
    """

    place: Path
    entries: Mapping[Key, Entry]
    repetitions: Mapping[str, int] = field(default_factory=dict)
    work: Mapping[str, dict[str, int]] = field(default_factory=dict)
    ranks: int = 1
    extremes: Mapping[str, Mapping[Key, float]] = field(default_factory=dict)
    checksums: Mapping[Key, Verification] = field(default_factory=dict)


def find_runs(folder: Path) -> list[Run]:
    """Read every run below a folder, in the order of their names.

    Raises
    ------
    FolderError
        There is none, or a file is not as RAJAPerf writes it; file and line are named.
    """
    places = sorted(folder.rglob(f"*{RUN_DATA}")) if folder.is_dir() else []
    places = [place for place in places if not place.parent.name.endswith("-per-kernel")]
    if not places:
        raise FolderError(f"{folder} holds no output of RAJAPerf: there is no ...{RUN_DATA} in it or below it")
    return [_read(place) for place in places]


def _read(place: Path) -> Run:
    prefix = place.name.removesuffix(RUN_DATA)

    def beside(ending: str) -> Path:
        return place.with_name(prefix + ending)

    repetitions, work, ranks = _details(beside(DETAILS))
    entries = dict(_run_data(place))
    extremes = {
        name: dict(_per_repetition(_matrix(beside(f"-timing-{combiner}.csv")), repetitions))
        for name, combiner in (("minimum", "Minimum"), ("maximum", "Maximum"))
        if beside(f"-timing-{combiner}.csv").is_file()
    }
    return Run(place, entries, repetitions, work, ranks, extremes, dict(_checksums(beside(CHECKSUMS), entries)))


def _run_data(place: Path) -> Iterator[tuple[Key, Entry]]:
    (_, header), *rows = _lines(place)
    if [name.split(" (")[0] for name in header[:6]] != [
        "Kernel", "Variant", "Tuning", "Problem size", "Checksum", "Mean time per rep",
    ]:  # fmt: skip
        raise FolderError(f"{place}:1: not the columns that RAJAPerf writes: {', '.join(header)}")
    for number, row in rows:
        try:
            kernel, variant, tuning, size, checksum, seconds = row[:6]
            time = None if seconds == _NOT_RUN else float(seconds)
            yield (kernel, variant, tuning), Entry(int(size), time, checksum == "PASSED")
        except ValueError as error:
            raise FolderError(f"{place}:{number}: not a line that RAJAPerf writes: {error}") from error


def _details(path: Path) -> tuple[dict[str, int], dict[str, dict[str, int]], int]:
    """Return repetitions, work and ranks; nothing and one rank without the file."""
    if not path.is_file():
        return {}, {}, 1
    lines = _lines(path)
    start = next((i for i, (_, row) in enumerate(lines) if row and row[0] == "Kernel"), None)
    if start is None:
        raise FolderError(f"{path}: there is no line of column names")
    ranks = [int(n) for _, row in lines[:start] for n in re.findall(r"\b(\d+)\b", " ".join(row))]
    names = [name.split("/rep")[0].strip() for name in lines[start][1]]
    repetitions, work = {}, {}
    for number, row in lines[start + 1 :]:
        values = dict(zip(names, row, strict=False))
        try:
            kernel = values["Kernel"]
            repetitions[kernel] = int(values["Reps"])
            work[kernel] = {
                "bytes_read": int(values["BytesRead"]), "bytes_written": int(values["BytesWritten"]),
                "bytes_atomic": int(values["BytesAtomicModifyWritten"]), "flops": int(values["FLOPS"]),
            }  # fmt: skip
        except (KeyError, ValueError) as error:
            raise FolderError(f"{path}:{number}: not a line that RAJAPerf writes: {error}") from error
    return repetitions, work, max(ranks, default=1)


def _matrix(path: Path) -> Iterator[tuple[Key, float]]:
    """Yield the entries of a timing file: total seconds of all repetitions."""
    lines = _lines(path)[1:]
    if len(lines) < 2 or lines[0][1][0] != "Variant" or lines[1][1][0] != "Tuning":
        raise FolderError(f"{path}: lines of variants and tunings are missing")
    columns = list(zip(lines[0][1][1:], lines[1][1][1:], strict=True))
    for number, (kernel, *values) in lines[2:]:
        for (variant, tuning), value in zip(columns, values, strict=False):
            if value != _NOT_RUN:
                try:
                    yield (kernel, variant, tuning), float(value)
                except ValueError as error:
                    raise FolderError(f"{path}:{number}: {error}") from error


def _per_repetition(totals: Iterator[tuple[Key, float]], repetitions: Mapping[str, int]) -> Iterator[tuple[Key, float]]:
    for key, total in totals:
        if key[0] in repetitions:
            yield key, total / repetitions[key[0]]


def _checksums(path: Path, entries: Mapping[Key, Entry]) -> Iterator[tuple[Key, Verification]]:
    """Yield what the checksum report says of each entry; a tuning's line begins with `<variant>-<tuning>`."""
    if not path.is_file():
        return
    kernels = {kernel for kernel, _, _ in entries}
    names = {(kernel, f"{variant}-{tuning}"): (kernel, variant, tuning) for kernel, variant, tuning in entries}
    kernel = ""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        words = line.split()
        if len(words) == 1 and words[0] in kernels:
            kernel = words[0]
        elif len(words) >= 5 and (kernel, words[0]) in names and words[1] in ("PASSED", "FAILED"):
            tolerance, checksum, difference = words[2:5]
            message = "" if words[1] == "PASSED" else f"RAJAPerf's checksum {checksum} differs by {difference}"
            yield (
                names[kernel, words[0]],
                Verification(
                    checksum=checksum, relative_difference=_finite(difference), tolerance=_finite(tolerance),
                    message=message, against="rajaperf",
                ),
            )  # fmt: skip


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 1e300
    return value if abs(value) < 1e300 else 1e300


def _lines(path: Path) -> list[tuple[int, Sequence[str]]]:
    """Return the numbered lines that are not empty, cut at the commas."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise FolderError(f"cannot read {path}: {error}") from error
    found: list[tuple[int, Sequence[str]]] = [
        (number, [cell.strip() for cell in line.split(",")])
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip(" ,")
    ]
    if not found:
        raise FolderError(f"{path} is empty")
    return found
