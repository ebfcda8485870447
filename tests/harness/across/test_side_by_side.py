"""Rows, changes and what is not in every campaign."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from kparity.harness.across import page, texts
from kparity.harness.across.comparable import differences
from kparity.harness.across.places import Side
from kparity.harness.across.side_by_side import Row, SideBySide, side_by_side
from kparity.harness.records import Campaign
from kparity.harness.statistics import change, change_since, quotient, speedup

from ..sample_campaign import SIZES, altered, sample_campaign

FIRST = sample_campaign(walks=6, faults=False, sizes=SIZES[:1])
SLOWER = altered(FIRST, "later", {"Stream_TRIAD": 1.2, "Stream_ADD": 0.8, "Stream_DOT": 1.05}, commit="other")


def beside(*campaigns: Campaign) -> SideBySide:
    return side_by_side([Side(f"c{i}", one) for i, one in enumerate(campaigns)], margin=0.05)


def row(table: SideBySide, kernel: str, target: str = "cuda") -> Row:
    return next(r for r in table.rows if (r.kernel, r.target) == (kernel, target))


def test_changes_are_found_and_nothing_else() -> None:
    table = beside(FIRST, SLOWER)
    found = {(r.kernel, e.judgement) for r in table.rows if (e := r.entries[1]) and e.judgement != "parity"}
    assert found == {("Stream_TRIAD", "slower"), ("Stream_ADD", "faster"), ("Stream_DOT", "undecided")}
    triad = row(table, "Stream_TRIAD").entries[1]
    assert triad is not None and triad.change is not None and triad.relative is not None
    assert triad.change.value == pytest.approx(1 / 1.2, rel=0.01)
    assert triad.change.low < 1 / 1.2 < triad.change.high
    assert triad.relative.value == pytest.approx(1 / 1.2, rel=0.01), "the native side did not change"


def test_any_number_of_campaigns_and_the_mean_of_each() -> None:
    table = beside(FIRST, SLOWER, FIRST)
    assert len(table.rows) == 48 and {len(r.entries) for r in table.rows} == {3}
    assert table.means[0] is None
    expected = math.exp(-(math.log(1.2) + math.log(0.8) + math.log(1.05)) / 16)
    assert table.means[1] is not None and table.means[1].value == pytest.approx(expected, rel=1e-9)
    assert table.means[2] is not None and table.means[2].value == pytest.approx(1.0, rel=1e-12)


def test_kernels_of_one_campaign_only_are_listed() -> None:
    fewer = replace(SLOWER, records=[r for r in SLOWER.records if r.cell.kernel != "Stream_MUL"])
    table = beside(FIRST, fewer)
    assert {r.kernel for r in table.partial} == {"Stream_MUL"} and len(table.rows) == 45
    (line,) = texts.absent_lines(table)
    assert line.startswith("only in c0: Stream_MUL cpu1")
    assert "Stream_MUL cuda 10⁶" in page.render(table, [])


def test_a_failed_side_has_no_change() -> None:
    broken = replace(
        SLOWER,
        records=[
            replace(r, status="wrong", message="x[1] is 2", device_seconds=[], wall_seconds=[])
            if (r.cell.kernel, r.cell.variant) == ("Stream_TRIAD", "checked")
            else r
            for r in SLOWER.records
        ],
    )
    entry = row(beside(FIRST, broken), "Stream_TRIAD").entries[1]
    assert entry is not None and entry.cell.status == "wrong"
    assert (entry.seconds, entry.change, entry.judgement) == (None, None, "none")


def test_too_few_walks_give_no_verdict() -> None:
    quick = sample_campaign(walks=4, faults=False, sizes=SIZES[:1])
    assert {e.judgement for r in beside(FIRST, quick).rows for e in r.entries if e} == {"none"}


def test_targets_of_different_names_are_matched() -> None:
    def only(target: str) -> Campaign:
        return replace(FIRST, records=[r for r in FIRST.records if r.cell.target == target])

    sides = [Side("a:cpu", only("cpu"), "cpu"), Side("b:cuda", only("cuda"), "cuda")]
    table = side_by_side(sides, margin=0.05)
    assert len(table.rows) == 16 and not table.partial
    assert {d.name for d in differences(sides)} >= {"devices model", "compilers"}


def test_a_campaign_without_a_checked_side_shows_its_fastest() -> None:
    other = replace(
        FIRST,
        records=[
            replace(r, cell=replace(r.cell, variant="rajaperf_Base_CUDA")) for r in FIRST.records
            if r.cell.variant == "native"
        ],
    )  # fmt: skip
    entry = row(beside(FIRST, other), "Stream_COPY").entries[1]
    assert entry is not None and entry.cell.cell.variant == "rajaperf_Base_CUDA" and entry.change is not None


def test_every_format_has_every_row() -> None:
    table = beside(FIRST, SLOWER)
    found = differences([Side("c0", FIRST), Side("c1", SLOWER)])
    assert [d.respect for d in found] == ["sources"]
    value = json.loads(texts.json_text(table, found), parse_constant=lambda name: pytest.fail(name))
    assert len(value["cells"]) == 96 == len(texts.csv_text(table).splitlines()) - 1
    text = texts.markdown(table, found)
    changed = text.split("#### Changed")[1].split("<details>")[0]
    assert "Stream_TRIAD" in changed and "Stream_COPY" not in changed
    html = page.render(table, found, ["sizes differ"])
    assert html.count("<tr class=") == 48 and "sizes differ" in html and "http" not in html.replace("http-equiv", "")


def test_intervals_cover_what_they_promise() -> None:
    noise = np.random.default_rng(5)
    nights = noise.normal(0.0, 0.02, (2000, 9))
    inside = [
        r.low < 1.0 < r.high for night in nights for r in [change_since(list(np.exp(night[:8])), math.exp(night[8]))]
    ]
    assert np.mean(inside) == pytest.approx(0.9, abs=0.02)
    inside = [r.low < 1.0 < r.high for night in nights for r in [change(np.exp(night[:5]), np.exp(night[4:]))]]
    assert np.mean(inside) > 0.88
    halves = [quotient(speedup(night[:5]), speedup(night[4:])) for night in nights]
    assert np.mean([r.low < 1.0 < r.high for r in halves]) > 0.88


def test_too_few_replicates_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 5"):
        change([1.0] * 4, [1.0] * 9)
    with pytest.raises(ValueError, match="at least 5"):
        change_since([1.0] * 4, 1.0)
