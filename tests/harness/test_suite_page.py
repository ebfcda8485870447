"""The page about RAJAPerf's kernels: what it is made of, and that the one in docs/ is up to date."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from kparity.harness.suite_page import Difference, checksum_rows, differences, published_sizes, safety_rows
from kparity.suites import entries

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rajaperf.md").read_text(encoding="utf-8")
CHECKSUMS, _, SAFETY = PAGE.partition("\n## Safety")
SUITE = entries("rajaperf")


def rows(part: str) -> dict[str, list[str]]:
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| ")]
    return {name: rest for name, *rest in cells if name not in ("kernel", "---", "all")}


def test_the_page_lists_every_kernel() -> None:
    assert list(rows(CHECKSUMS)) == list(rows(SAFETY)) == [entry.full_name for entry in SUITE]


def test_every_difference_is_within_the_tolerance() -> None:
    for entry in SUITE:
        sizes, *found, tolerance = rows(CHECKSUMS)[entry.full_name]
        assert float(tolerance) == entry.spec.tolerance
        assert all(float(f) <= max(entry.spec.tolerance, 1e-18) for f in found), entry.full_name
        assert len(found) == 4 and sizes != "not run"


@pytest.mark.slow
def test_the_safety_table_is_what_the_proofs_say() -> None:
    assert list(safety_rows(SUITE)) == [line for line in SAFETY.splitlines() if line.startswith("| ")][2:]


def test_nothing_is_unsafe_or_tested_on_the_device() -> None:
    for name, (_, _, _, checked, unsafe, _, _) in rows(SAFETY).items():
        assert (checked, unsafe) == ("0", "0"), name


def written(folder: Path, *cells: dict[str, Any]) -> Path:
    usual = {"variant": "checked", "target": "cpu", "status": "ok", "message": "", "size": 1000}
    folder.mkdir()
    with open(folder / "results.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, [*usual, "kernel", "relative_difference"])
        writer.writeheader()
        writer.writerows({**usual, **cell} for cell in cells)
    return folder


def test_the_worst_of_the_published_sizes_counts(tmp_path: Path) -> None:
    first = written(
        tmp_path / "a",
        {"kernel": "A_B", "relative_difference": 1e-13},
        {"kernel": "A_B", "size": 77, "relative_difference": 0.5},  # RAJAPerf says nothing about this size
    )
    second = written(tmp_path / "b", {"kernel": "A_B", "size": 2000, "relative_difference": 1e-14})
    found = differences([first, second], {"A_B": {1000, 2000}})
    assert found == {("A_B", "checked", "cpu"): Difference(1e-13, frozenset({1000, 2000}))}


def test_a_wrong_cell_makes_no_page(tmp_path: Path) -> None:
    folder = written(tmp_path / "a", {"kernel": "A_B", "relative_difference": 1, "status": "wrong", "message": "off"})
    with pytest.raises(ValueError, match="A_B checked cpu: off"):
        differences([folder], {"A_B": {1000}})


def test_a_kernel_without_results_keeps_its_row() -> None:
    row = "| Stream_ADD | 1,000 | 1.0e-20 | 0 | 0 | 0 | 1e-10 |"
    kept = dict(zip((e.full_name for e in SUITE), checksum_rows({}, SUITE, f"x\n{row}\n"), strict=True))
    assert kept["Stream_ADD"] == row
    assert "not run" in kept["Stream_COPY"]


def test_sizes_with_published_checksums() -> None:
    assert published_sizes(SUITE["FDTD_2D"], (1000, 1001)) == {1000, 999_000}
