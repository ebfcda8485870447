"""Where things are drawn."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import pairwise

import pytest

from kparity.harness.charts.bandwidth import BandwidthRow, bandwidth_chart
from kparity.harness.charts.ratio import RatioRow, ratio_chart
from kparity.harness.charts.roofline import RooflinePoint, roofline_chart
from kparity.harness.charts.samples import Side, sample_strips
from kparity.harness.charts.scale import Scale, linear_ticks, ratio_limits, ratio_ticks, tick_text
from kparity.harness.charts.sweep import SweepPoint, sweep_chart
from kparity.harness.comparison import compare
from kparity.harness.report_charts import by_group, sweeps

from .sample_campaign import SIZES, own_sizes, sample_campaign


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def marks(svg: str, cls: str) -> list[ElementTree.Element]:
    return [e for e in parsed(svg).iter() if e.get("class", "").startswith(cls)]


def texts(svg: str) -> list[str]:
    return ["".join(e.itertext()) for e in parsed(svg).iter("text")]


def test_a_logarithmic_scale_puts_half_and_double_equally_far_from_one() -> None:
    scale = Scale(0.25, 4.0, 0.0, 100.0, logarithmic=True)
    assert scale(1.0) == pytest.approx(50.0)
    assert scale(2.0) - scale(1.0) == pytest.approx(scale(1.0) - scale(0.5))
    assert scale(100.0) == 100.0


@pytest.mark.parametrize("values", [[1.0], [0.5, 1.1], [1.0, 30.0], [], [0.99]])
def test_ratio_limits_are_symmetric_and_hold_the_margin(values: list[float]) -> None:
    low, high = ratio_limits(values, 0.05)
    assert low * high == pytest.approx(1.0)
    assert high >= 1.1
    assert all(low <= v <= high for v in values if 1 / 8 <= v <= 8)
    ticks = ratio_ticks(low, high, 300.0)
    assert 1.0 in ticks and ticks == sorted(ticks)
    places = [Scale(low, high, 0, 300, logarithmic=True)(t) for t in ticks]
    assert all(b - a >= 37.9 for a, b in pairwise(places))


def test_an_axis_of_ratios_follows_most_values_not_a_few() -> None:
    assert ratio_limits([1.0, 1.1, 40.0], 0.05)[1] == pytest.approx(8.0)
    low, high = ratio_limits([98.0, 150.0, 300.0, 2.0], 0.05)
    assert high > 300.0 and low * high == pytest.approx(1.0)
    ticks = ratio_ticks(low, high, 300.0)
    assert len(ticks) >= 5 and max(ticks) >= 100.0


@pytest.mark.parametrize(("low", "high"), [(0.0, 11.4), (3.1e-3, 3.3e-3), (0.0, 4.7e12), (5.0, 5.0)])
def test_linear_ticks_are_round_and_inside(low: float, high: float) -> None:
    ticks = linear_ticks(low, high)
    assert 1 <= len(ticks) <= 12
    assert all(low - 1e-9 <= t <= high * (1 + 1e-9) for t in ticks)


def test_ratio_chart_shows_each_verdict_by_shape_and_reasons_in_place_of_marks() -> None:
    rows = [
        RatioRow("A", "#A", "faster", 1.3, 1.28, 1.32),
        RatioRow("B", "#B", "parity", 1.0, 0.99, 1.01),
        RatioRow("C", "#C", "undecided", 1.04, 0.97, 1.11),
        RatioRow("D", "#D", "none", None, note="checked wrong: <x>"),
        RatioRow("E", "#E", "none", 1.02, note="1 valid walk"),
    ]
    svg = ratio_chart(rows, 0.05, "Speedup")
    assert [m.tag for m in marks(svg, "mark faster")] == ["path"]
    assert [m.tag for m in marks(svg, "mark parity")] == ["circle"]
    assert len(marks(svg, "mark")) == 4
    assert len(marks(svg, "whisker")) == 3
    assert "checked wrong: <x>" in texts(svg)
    whisker = marks(svg, "whisker undecided")[0]
    assert (
        float(whisker.get("x1", ""))
        < float(marks(svg, "mark undecided")[0].get("cx", ""))
        < float(whisker.get("x2", ""))
    )
    band = marks(svg, "band")[0]
    inside = float(band.get("x", "")), float(band.get("x", "")) + float(band.get("width", ""))
    assert inside[0] < float(marks(svg, "mark parity")[0].get("cx", "")) < inside[1]


def test_bandwidth_chart_relates_to_the_copy() -> None:
    rows = [BandwidthRow("A", "#A", 10e9, 5e9), BandwidthRow("B", "#B", None, None), BandwidthRow("C", "#C", 8e9, None)]
    svg = bandwidth_chart(rows, 10e9, "Bandwidth")
    assert "50%" in texts(svg) and "no time" in texts(svg)
    native, checked = marks(svg, "mark native"), marks(svg, "mark checked")
    assert (len(native), len(checked)) == (2, 1)
    roof = float(marks(svg, "roof")[0].get("x1", ""))
    assert float(native[0].get("cx", "")) == pytest.approx(roof)


def test_roofline_labels_do_not_cover_each_other() -> None:
    points = [RooflinePoint(f"KERNEL_{i}", "#k", 0.1 * (1 + 0.02 * i), 1e9 * (1 + 0.02 * i), 1e9) for i in range(8)]
    svg = roofline_chart(points, 10e9, "Roofline")
    labels = [e for e in parsed(svg).iter("text") if "".join(e.itertext()).startswith("KERNEL")]
    assert len(labels) == 8
    boxes = []
    for label in labels:
        width = 6.4 * len("KERNEL_0")
        x = float(label.get("x", "")) - (width if label.get("text-anchor") == "end" else 0)
        boxes.append((x, float(label.get("y", "")), width))
    for i, (x, y, width) in enumerate(boxes):
        for other_x, other_y, other_width in boxes[:i]:
            assert abs(y - other_y) >= 12 - 1e-6 or x + width <= other_x or other_x + other_width <= x


def test_a_roofline_of_many_is_wide_and_keeps_every_name_in_a_tooltip() -> None:
    points = [RooflinePoint(f"KERNEL_{i}", "#k", 0.1 * (1 + 0.002 * i), 1e9 * (1 + 0.002 * i), 1e9) for i in range(60)]
    svg = roofline_chart(points, 10e9, "Roofline", is_wide=True)
    titles = {"".join(e.itertext()).split(":")[0] for e in parsed(svg).iter("title")}
    assert titles == {p.label for p in points}
    assert 0 < sum(text.startswith("KERNEL") for text in texts(svg)) < 60, "what has no room is left out"
    assert parsed(svg).get("viewBox", "").startswith("0 0 1264 ")


def test_the_roof_does_not_stretch_the_axis() -> None:
    svg = roofline_chart([RooflinePoint("A", "#A", 0.1, 1e9, 1e9), RooflinePoint("B", "#B", 1e6, 2e9, 2e9)], 1e10, "R")
    ticks = [e for e in parsed(svg).iter("text") if e.get("text-anchor") == "end"]
    assert all("⁶" not in "".join(e.itertext()) for e in ticks)


@pytest.mark.parametrize(
    ("tick", "shown"), [(0.1, "0.1"), (1000.0, "1000"), (1e5, "10⁵"), (1e9, "10⁹"), (2e5, "200000")]
)
def test_long_powers_of_ten_are_written_as_powers(tick: float, shown: str) -> None:
    assert tick_text(tick) == shown


def test_roofline_of_nothing_is_nothing() -> None:
    assert roofline_chart([RooflinePoint("A", "#A", 0.1, None, None)], 1e9, "Roofline") == ""


def test_strips_have_a_row_a_walk_and_a_stroke_a_median() -> None:
    sides = [Side("checked", [[1.0, 1.1], [], [1.2]], [1.05, None, 1.2]), Side("native t", [[2.0]], [2.0])]
    svg = sample_strips(sides, "Samples")
    assert len(marks(svg, "sample checked")) == 2
    assert len(marks(svg, "median")) == 3
    assert len(marks(svg, "sample native")) == 1
    assert sample_strips([Side("checked", [[]], [None])], "Samples") == ""


def test_text_in_pictures_is_escaped_and_numbers_are_short() -> None:
    svg = ratio_chart([RatioRow("<A & B>", "#A", "parity", 1.0, 0.999, 1.001)], 0.05, 'x "quoted"')
    assert "<A & B>" in texts(svg)
    assert not [
        v for e in parsed(svg).iter() for v in e.attrib.values() if len(v.rsplit(".", 1)[-1]) > 3 and _is_number(v)
    ]


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def test_a_sweep_has_a_line_a_side_that_rises_with_the_rate() -> None:
    native = [SweepPoint(1000, 1.0), SweepPoint(10_000, 5.0), SweepPoint(100_000, 40.0)]
    svg = sweep_chart({"native": native, "checked": native[:2]}, "GB/s", "a sweep")
    (line, _) = marks(svg, "trend")
    points = [tuple(map(float, point.split())) for point in line.get("d", "")[1:].split("L")]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    assert len(marks(svg, "mark")) == 5
    assert {"1000", "10000", "100000", "GB/s"} <= set(texts(svg))
    assert sweep_chart({"native": native[:1], "checked": []}, "GB/s", "one size") == ""


def test_a_campaign_with_three_sizes_has_sweeps_and_one_with_two_has_none() -> None:
    assert sweeps(compare(sample_campaign(walks=5, sizes=SIZES)), "device") == []
    found = sweeps(compare(sample_campaign(walks=5, sizes=(10_000, 100_000, 1_000_000))), "device")
    assert {(s.kernel, s.target) for s in found} >= {("Stream_TRIAD", "cuda"), ("Basic_TRAP_INT", "cpu1")}
    chart = next(s for s in found if (s.kernel, s.target) == ("Basic_TRAP_INT", "cpu1"))
    assert "10⁹ elements/s" in texts(chart.svg)  # it moves no declared bytes


def test_more_rows_than_a_screen_holds_are_a_chart_a_group() -> None:
    few = compare(own_sizes(sample_campaign()))
    assert by_group(few) == [("", few)]
    many = [replace(c, kernel=f"{group}_{c.kernel}") for group in ("Apps", "Basic") for c in few]
    assert [(group, len(part)) for group, part in by_group(many)] == [("Apps", 16), ("Basic", 16)]
