"""Profiles for Hatchet and Thicket; read back by both of them where they are installed."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from kparity.harness.hatchet_export import profiles
from kparity.harness.records import Campaign, Record
from kparity.harness.report_files import write_report

from .sample_campaign import SIZES, sample_campaign


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return sample_campaign()


def profile(campaign: Campaign, variant: str = "checked", walk: int = 1) -> dict[str, Any]:
    wanted = {"target": "cpu1", "variant": variant, "size": SIZES[0], "walk": walk}
    (found,) = [p for p in profiles(campaign) if wanted.items() <= p["metadata"].items()]
    return found


def record_of(campaign: Campaign, kernel: str, variant: str, walk: int) -> Record:
    return next(
        r
        for r in campaign.records
        if (r.cell.kernel, r.cell.target, r.cell.size, r.cell.variant, r.walk)
        == (kernel, "cpu1", SIZES[0], variant, walk)
    )


def nodes(graph: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: found for node in graph for name, found in [(node["frame"]["name"], node)]} | {
        name: found for node in graph for name, found in nodes(node["children"]).items()
    }


def test_a_tuning_has_the_median_and_what_is_above_it_the_sum(campaign: Campaign) -> None:
    found = nodes(profile(campaign)["graph"])
    triad = found["Stream_TRIAD.default"]["metrics"]
    seconds = median(record_of(campaign, "Stream_TRIAD", "checked", 1).device_seconds)
    assert triad["time"] == triad["time (inc)"] == seconds
    assert triad["bytes_moved"] == 24 * SIZES[0]
    leaves = [node["metrics"]["time"] for node in found.values() if node["frame"]["type"] == "tuning"]
    assert found["rajaperf"]["metrics"]["time (inc)"] == pytest.approx(sum(leaves))
    assert found["rajaperf"]["metrics"]["time"] == 0.0
    assert [child["frame"]["name"] for child in found["Stream_TRIAD"]["children"]] == ["Stream_TRIAD.default"]


def test_what_has_no_time_is_named_and_left_out(campaign: Campaign) -> None:
    one = profile(campaign)
    assert "Lcals_HYDRO_1D wrong" in one["metadata"]["failed"]
    assert "Lcals_HYDRO_1D" not in nodes(one["graph"])


def test_the_file_is_strict_json_of_a_profile_a_walk(campaign: Campaign, tmp_path: Path) -> None:
    (path,) = write_report(campaign, tmp_path, ["hatchet"])
    text = path.read_text(encoding="utf-8")
    assert path.name == "hatchet.json"
    assert json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON")) == profiles(campaign)
    keys = [tuple(p["metadata"][key] for key in ("target", "variant", "size", "walk")) for p in profiles(campaign)]
    assert len(set(keys)) == len(keys) == 3 * 2 * 2 * 5


def test_hatchet_reads_it(campaign: Campaign) -> None:
    hatchet = pytest.importorskip("hatchet", reason="llnl-hatchet is not installed")
    frame = hatchet.GraphFrame.from_literal(profile(campaign)["graph"])
    triad = frame.dataframe.set_index("name").loc["Stream_TRIAD.default"]
    assert triad["time"] == median(record_of(campaign, "Stream_TRIAD", "checked", 1).device_seconds)
    assert frame.inc_metrics == ["time (inc)"]


def test_thicket_reads_a_campaign(campaign: Campaign) -> None:
    thicket = pytest.importorskip("thicket", reason="llnl-thicket is not installed")
    if not hasattr(thicket, "Thicket"):
        pytest.skip("the package `thicket` here is another one")
    read = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # thicket's own
        for one in profiles(campaign)[:4]:
            read.append(thicket.Thicket.from_literal(one["graph"]))
        together = thicket.Thicket.concat_thickets(read, axis="index", disable_tqdm=True)
    assert len(together.profile) == 4
