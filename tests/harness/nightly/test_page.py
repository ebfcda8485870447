"""The status page: what was done, what the gate said, and a line for each kernel."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kparity.harness.charts.sparkline import sparkline
from kparity.harness.nightly.page import render, trends
from kparity.harness.nightly.profile import Profile
from kparity.harness.nightly.steps import Night, Step

from ..repository import drifting, make_repository, record

OVER = Night("night-20261130-020000", [Step("run", [], 0, 61.0), Step("gate", [], 1, 2.0)], is_over=True)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repository = make_repository(tmp_path_factory.mktemp("history"))
    for number in range(7):
        one = drifting(number, 1.5 if number == 6 else 1.0)
        if number == 3:
            failed = [
                replace(r, status="failed", message="no", device_seconds=[], wall_seconds=[])
                if (r.cell.kernel, r.cell.variant) == ("Stream_TRIAD", "checked")
                else r
                for r in one.records
            ]
            one = replace(one, records=failed)
        record(repository, one)
    return repository / "asv.conf.json"


def test_trends(history: Path) -> None:
    found = {(t.kernel, t.target): t for t in trends(drifting(6), history, 60)}
    assert set(found) == {(f"Stream_{k}", t) for k in ("COPY", "TRIAD") for t in ("cpu1", "cpu", "cuda")}
    triad = found["Stream_TRIAD", "cuda"]
    assert len(triad.checked) == 7 and triad.checked[3] is None and None not in triad.native
    assert triad.change == pytest.approx(1 / 1.5, rel=0.03)
    assert found["Stream_COPY", "cuda"].change == pytest.approx(1.0, rel=0.03)
    assert len(trends(drifting(6), history, 2)[0].checked) == 2


def test_the_page(history: Path) -> None:
    gate = ["regression: Stream_TRIAD cuda: slower by 50 % <b>"]
    text = render(OVER, drifting(6), Profile(asv_config=str(history)), gate, ["night-1"])
    HTMLParser().feed(text)
    assert "night-20261130-020000: regression" in text and "slower by 50 % &lt;b&gt;" in text
    assert text.count('class="chart spark"') == 6 and "Removed: night-1." in text
    assert "http://" not in text and "https://" not in text


def test_a_night_without_a_campaign_or_a_ledger_has_a_page(tmp_path: Path) -> None:
    failed = Night("night-1", [Step("run", [], 3, 1.0)], is_over=True)
    assert "night-1: run failed (3)" in render(failed, None, Profile(), [], [])
    config = make_repository(tmp_path) / "asv.conf.json"
    assert "there is no branch ledger" in render(OVER, drifting(1), Profile(asv_config=str(config)), [], [])
    assert "night-1: running" in render(Night("night-1"), None, Profile(), [], [])


def test_a_gap_is_a_gap() -> None:
    text = sparkline([1.0, None, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], "x")
    checked = text.split('class="trend checked"')[0].rsplit('d="', 1)[1]
    assert checked.count("M") == 2 and checked.count("L") == 1
    assert "circle" not in sparkline([1.0, None], [None, None], "x"), "no end where the last night has no time"
    assert "path" not in sparkline([], [], "x")
