"""A campaign in the file formats of the RAJA Performance Suite, so that its users' scripts read it.

Formats: RAJAPerf's `Executor` (release 2025.12). A file there belongs to one run at one size, so a campaign with
several sizes gives a set of files a size. Times are of the wall clock, as RAJAPerf's are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, InvalidOperation

import numpy as np

from .cell_summary import CellSummary, counts
from .comparison import ComparisonResult, compare, target_order
from .records import Campaign, Verification

PREFIX = "RAJAPerf"
_NOT_RUN = "Not run"
_MODEL = {"cpu1": "Seq", "cpu": "OpenMP", "cuda": "CUDA", "hip": "HIP"}
_SIDE = {"native": "Base", "checked": "Checked"}

Column = tuple[str, str]  # RAJAPerf's variant, tuning


@dataclass(frozen=True, slots=True)
class _Run:
    """One size: kernels in rows, variants with their tunings in columns."""

    kernels: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: Mapping[tuple[str, Column], CellSummary]
    work: Mapping[str, ComparisonResult]
    repetitions: Mapping[str, int]


def render(campaign: Campaign) -> dict[str, str]:
    """Return the files of a campaign.

    Returns
    -------
    dict
        Relative path -> text: `RAJAPerf-kernel-run-data.csv`, `RAJAPerf-timing-Average.csv`,
        `RAJAPerf-speedup-Average.csv`, `RAJAPerf-checksum.txt`; below `size_N/` if the campaign has several sizes.
        Empty for a campaign without records.
    """
    by_size: dict[int, list[ComparisonResult]] = {}
    for comparison in compare(campaign):
        by_size.setdefault(comparison.size, []).append(comparison)
    files: dict[str, str] = {}
    for size, comparisons in sorted(by_size.items()):
        folder = f"size_{size}/" if len(by_size) > 1 else ""
        run = _run(campaign, comparisons)
        files |= {f"{folder}{PREFIX}{name}": text for name, text in _files(run).items()}
    return files


def variant_name(target: str, variant: str) -> str:
    """Return RAJAPerf's name of a variant: `Base_CUDA` for a baseline, by the same pattern `Checked_CUDA`."""
    if variant.startswith("rajaperf_"):
        return variant.removeprefix("rajaperf_")  # imported, with its own name
    return f"{_SIDE.get(variant, variant)}_{_MODEL.get(target, target)}"


def _files(run: _Run) -> dict[str, str]:
    speedup = f"Mean Speedup Report (T_ref/T_var): ref var = {run.columns[0][0]} "
    return {
        "-kernel-run-data.csv": _kernel_run_data(run),
        "-timing-Average.csv": _matrix(run, "Mean Runtime Report (sec.) ", _total_times(run), 6),
        "-speedup-Average.csv": _matrix(run, speedup, _speedups(run), 3),
        "-checksum.txt": _checksums(run),
    }


def _run(campaign: Campaign, comparisons: Sequence[ComparisonResult]) -> _Run:
    cells = {
        (c.kernel, (variant_name(c.target, s.cell.variant), s.cell.tuning)): s for c in comparisons for s in c.cells
    }
    # Baselines first: the first column is the reference of the speedups and of the checksums.
    order = {
        (variant_name(s.cell.target, s.cell.variant), s.cell.tuning): (
            target_order(s.cell.target), s.cell.variant != "native", s.cell.tuning != "default", s.cell.tuning,
        )
        for c in comparisons for s in c.cells
    }  # fmt: skip
    return _Run(
        kernels=tuple(dict.fromkeys(c.kernel for c in comparisons)),
        columns=tuple(sorted(order, key=lambda column: order[column])),
        cells=cells,
        work={c.kernel: c for c in comparisons},
        repetitions={c.kernel: _repetitions(campaign, c) for c in comparisons},
    )


def _repetitions(campaign: Campaign, comparison: ComparisonResult) -> int:
    """Return the repetitions that a total time stands for: the suite's number, the same for every variant."""
    declared = campaign.kernels.get(comparison.kernel, {}).get("repetitions")
    measured = max((r.repetitions for s in comparison.cells for r in s.records), default=0)
    return int(declared or measured or 1)


def _seconds(cell: CellSummary | None) -> float | None:
    """Return the mean wall time of a repetition over the walks' means: RAJAPerf's average over passes."""
    if cell is None or cell.status != "ok":
        return None
    means = [float(np.mean(r.wall_seconds)) for r in cell.records if counts(r) and r.wall_seconds]
    return float(np.mean(means)) if means else None


def _total_times(run: _Run) -> dict[tuple[str, Column], float | None]:
    return {
        (kernel, column): None if seconds is None else seconds * run.repetitions[kernel]
        for kernel in run.kernels
        for column in run.columns
        for seconds in [_seconds(run.cells.get((kernel, column)))]
    }


def _speedups(run: _Run) -> dict[tuple[str, Column], float | None]:
    times = _total_times(run)
    found: dict[tuple[str, Column], float | None] = {}
    for (kernel, column), time in times.items():
        reference = times[kernel, run.columns[0]]
        found[kernel, column] = reference / time if reference and time else None
    return found


def _matrix(run: _Run, title: str, entries: Mapping[tuple[str, Column], float | None], digits: int) -> str:
    first = max(len("Variant  "), *(len(kernel) for kernel in run.kernels)) + 1
    widths = [max(digits + 2, len(variant), len(tuning)) for variant, tuning in run.columns]
    lines = [title + " , " * len(run.columns)]
    for part, heading in enumerate(("Variant  ", "Tuning  ")):
        names = [f"{column[part]:<{width}}" for column, width in zip(run.columns, widths, strict=True)]
        lines.append(" , ".join([f"{heading:<{first}}", *names]))
    for kernel in run.kernels:
        values = [entries[kernel, column] for column in run.columns]
        shown = [_NOT_RUN if value is None else f"{value:.{digits}f}" for value in values]
        cells = [f"{text:>{width}}" for text, width in zip(shown, widths, strict=True)]
        lines.append(" , ".join([f"{kernel:<{first}}", *cells]))
    return "\n".join(lines) + "\n"


_HEADINGS = (
    "Kernel", "Variant", "Tuning", "Problem size", "Checksum", "Mean time per rep (sec.)",
    "Mean Bandwidth (GiB per sec.)", "Mean flops (gigaFLOP per sec.)",
)  # fmt: skip
_RIGHT = (3, 5, 6, 7)


def _kernel_run_data(run: _Run) -> str:
    rows = [
        _run_data_row(kernel, column, cell, run.work[kernel])
        for kernel in run.kernels
        for column in run.columns
        if (cell := run.cells.get((kernel, column))) is not None and (_seconds(cell) or cell.verification.checksum)
    ]
    table = [_HEADINGS, *rows]
    widths = [max(len(row[i]) for row in table) + (3 if i in _RIGHT else 2) for i in range(len(_HEADINGS))]
    aligned = [[f"{row[i]:{'>' if i in _RIGHT else '<'}{width}}" for i, width in enumerate(widths)] for row in table]
    return "\n".join(" , ".join(row) for row in aligned) + "\n"


def _run_data_row(kernel: str, column: Column, cell: CellSummary, work: ComparisonResult) -> tuple[str, ...]:
    seconds = _seconds(cell)
    bandwidth = work.bytes_moved / seconds / 2**30 if seconds and work.bytes_moved is not None else None
    rate = work.flops / seconds / 1e9 if seconds and work.flops is not None else None
    figures = (_NOT_RUN if value is None else f"{value:#.6g}" for value in (seconds, bandwidth, rate))
    return (kernel, *column, str(cell.actual_size), _result(cell), *figures)


def _result(cell: CellSummary) -> str:
    return "PASSED" if cell.status != "wrong" and cell.verification.checksum else "FAILED"


def _checksums(run: _Run) -> str:
    names = [f"{variant}-{tuning}" for variant, tuning in run.columns]
    first = max(len(text) for text in (*names, *run.kernels)) + 1
    lines = [
        "=" * 99, "Checksum Report ", "=" * 99, f"{'Kernel  ':<{first}}", "." * 56,
        f"{'Variants  ':<{first}}{'Result  ':<8}{'Tolerance  ':<28}{'Checksum  ':<28}{'Checksum Diff  ':<28}",
        f"{'  ':<{first}}{'  ':<8}{'  ':<28}{'  ':<28}{'(vs. the reference value)  ':<28}", "-" * 88,
    ]  # fmt: skip
    for kernel in run.kernels:
        lines += [f"{kernel:<{first}}", "." * 56]
        for name, column in zip(names, run.columns, strict=True):
            lines.append(_checksum_line(name, first, run.cells.get((kernel, column))))
        lines += ["", "-" * 55]
    return "\n".join(lines) + "\n"


def _checksum_line(name: str, width: int, cell: CellSummary | None) -> str:
    if cell is None or not cell.verification.checksum:
        return f"{name:<{width}}{'Not Run':<8}" + f"{'Not Run':<28}" * 3
    v: Verification = cell.verification
    figures = (v.tolerance, v.checksum, v.relative_difference)
    return f"{name:<{width}}{_result(cell):<8}" + "".join(f"{_twenty_digits(figure):<28}" for figure in figures)


def _twenty_digits(number: float | str) -> str:
    """Return 20 significant digits, trailing zeros included, as a C++ stream with `showpoint` prints them."""
    try:
        value = Context(prec=20).create_decimal(number)
    except InvalidOperation:
        return str(number)
    exponent = value.adjusted()
    if value and not -5 < exponent < 20:
        mantissa, power = f"{value:.19e}".split("e")
        return f"{mantissa}e{int(power):+03d}"
    return f"{value:.{19 - exponent if value else 19}f}" + ("." if exponent == 19 else "")
