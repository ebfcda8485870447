"""A row a kernel and target: both sides' figures and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kparity.baselines import Options, Request, build_many
from kparity.compiler import CompileError, KparityError, manifest_of

from .judge import Finding, Standing, findings, standing
from .sides import Figures, calls_library, checked_figures, native_figures, pairs

if TYPE_CHECKING:
    from kparity.suites import Entry


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel of the suite on one GPU.

    Attributes
    ----------
    compiler : str
        The baseline's.
    parts : list of (kernel, native, checked)
        The kernels of its program.
    verdict : {"better", "same", "worse"} or None
        The checked side's; None where there is nothing to compare.
    found : list of Finding
        In what they differ.
    message : str
        Why there is no verdict.
    """

    kernel: str
    target: str
    compiler: str
    parts: list[tuple[str, Figures, Figures]]
    verdict: Standing | None
    found: list[Finding]
    message: str = ""


def rows(entries: Sequence[Entry], target: str, architecture: str) -> Iterator[Row]:
    """Yield the rows of one target, in the suite's order.

    Parameters
    ----------
    target : {"hip", "cuda"}
    architecture : str
        `gfx90a`, `sm_90`.
    """
    requests = [Request(entry.path, manifest_of(entry.spec.program), target) for entry in entries]
    options = Options(architecture=architecture)
    with ThreadPoolExecutor(1) as pool:  # compilers of the baselines run beside the checked compiler
        for entry, built in zip(entries, _in_order(pool, requests, options), strict=True):
            where = f"{target}:{architecture}"
            try:
                if isinstance(built, KparityError):
                    raise built
                native = native_figures(built, architecture)
                checked = checked_figures(entry.spec.program, where if target == "hip" else target, architecture)
                parts = pairs(native, checked, named_only=calls_library(built))
                found = [finding for _, theirs, ours in parts for finding in findings(theirs, ours, architecture)]
                message = "" if parts else "left to a library, or messages alone"
                verdict = standing(found) if parts else None
                yield Row(entry.full_name, where, str(built.compiler), parts, verdict, found, message)
            except (KparityError, CompileError) as error:
                yield Row(entry.full_name, where, "", [], None, [], str(error).strip().splitlines()[0])


def _in_order(pool: ThreadPoolExecutor, requests: Sequence[Request], options: Options) -> Iterator[Any]:
    """Yield what is built, in order, as soon as it is."""
    waiting = [pool.submit(build_many, [request], options, 1) for request in requests]
    for future in waiting:
        yield future.result()[0]


def as_json(row: Row) -> dict[str, Any]:
    """Return a row as JSON values."""
    return {
        "kernel": row.kernel, "target": row.target, "compiler": row.compiler, "verdict": row.verdict,
        "message": row.message,
        "differs": [asdict(finding) for finding in row.found],
        "parts": [
            {"kernel": name, "native": _side(native), "checked": _side(checked)} for name, native, checked in row.parts
        ],
    }  # fmt: skip


def _side(figures: Figures) -> dict[str, Any]:
    code = figures.code
    return {
        **figures.numbers, "occupancy": figures.waves, "instructions": {**code.counts, **code.widths},
        "instructions_in_all": code.total, "innermost_loop": code.loop,
    }  # fmt: skip
