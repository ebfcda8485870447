"""CSV, Markdown, JSON, the data frame and the terminal table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas
import pytest
from rich.console import Console

from kparity.harness import csv_export, frame, journal, json_export, markdown_export, table
from kparity.harness.errors import NotPossibleHere
from kparity.harness.records import Campaign
from kparity.harness.report_files import write_report

from .sample_campaign import SIZES, sample_campaign


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return sample_campaign()


def test_csv_has_a_row_a_cell(campaign: Campaign) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_export.render(campaign))))
    assert len(rows) == 16 * 3 * 2 * 2
    triad = next(r for r in rows if (r["kernel"], r["target"], r["size"]) == ("Stream_TRIAD", "cuda", str(SIZES[1])))
    assert triad["status"] == "ok" and triad["device_verdict"] == "parity"
    assert float(triad["bytes_per_second"]) == pytest.approx(24 * SIZES[1] / float(triad["device_seconds"]))
    pair = [float(r["device_seconds"]) for r in rows if (r["kernel"], r["target"], r["size"]) == _key(triad)]
    # The speedup is of samples taken together, so it is near the quotient of the times, not equal to it.
    assert pair[1] / pair[0] == pytest.approx(float(triad["device_speedup"]), rel=1e-3), "native over checked"


def _key(row: dict[str, str]) -> tuple[str, str, str]:
    return row["kernel"], row["target"], row["size"]


def test_csv_of_a_failed_cell_has_its_message_and_no_time(campaign: Campaign) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_export.render(campaign))))
    failed = next(r for r in rows if r["status"] == "failed")
    assert failed["message"].startswith("trap_int.cpp(12): error") and failed["message"].count("\n") == 3
    assert failed["device_seconds"] == failed["device_speedup"] == failed["bytes_per_second"] == ""


def test_json_is_strict_and_agrees_with_the_csv(campaign: Campaign) -> None:
    value = json.loads(json_export.render(campaign), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert value["run"] == campaign.run and value["margin"] == 0.05
    assert len(value["cells"]) == 192
    assert set(value["cells"][0]) == set(csv_export.COLUMNS)
    cuda = next(s for s in value["summary"] if (s["target"], s["size"]) == ("cuda", SIZES[0]))
    assert cuda["device"]["mean"]["count"] == 13
    assert cuda["device"]["verdicts"]["slower"] == 1


def test_markdown_shows_what_is_not_at_parity_first(campaign: Campaign) -> None:
    text = markdown_export.render(campaign)
    notable = text.split("#### Not at parity")[1].split("<details>")[0]
    assert "Apps_VOL3D" in notable and "Stream_COPY" not in notable
    assert "▼ slower" in notable and "checked wrong" in notable
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.replace("\\|", "").count("|") in (9, 10, 11) for line in lines)


def test_markdown_does_not_let_a_message_become_markup() -> None:
    assert markdown_export._escaped("a | b <script> `c`\nd") == "a \\| b &lt;script> \\`c\\` d"


def test_frame_has_a_row_a_sample_and_keeps_failures(campaign: Campaign) -> None:
    samples = frame.frame(campaign)
    good = samples[(samples.kernel == "Stream_TRIAD") & (samples.target == "cpu") & (samples["size"] == SIZES[0])]
    assert len(good) == 2 * 5 * 10
    assert good.device_seconds.dtype == np.float64 and (good.bytes_moved == 24 * SIZES[0]).all()
    failed = samples[samples.status == "failed"]
    assert len(failed) == 5 * 2 and failed.device_seconds.isna().all() and not failed.counts.any()
    throttled = samples[(samples.kernel == "Stream_MUL") & (samples.walk == 3) & ~samples.counts]
    assert set(throttled.variant) == {"native"}


def test_frame_loads_a_folder(campaign: Campaign, tmp_path: Path) -> None:
    (tmp_path / journal.JOURNAL).write_text("".join(r.to_json() + "\n" for r in campaign.records[:3]))
    assert len(frame.load(tmp_path)) == 30


@pytest.mark.parametrize("width", [80, 120])
def test_table_fits_its_width_and_says_why_there_is_no_verdict(campaign: Campaign, width: int) -> None:
    out = io.StringIO()
    table.render(campaign, Console(file=out, width=width, color_system=None))
    lines = out.getvalue().splitlines()
    assert max(len(line) for line in lines) <= width
    text = "\n".join(lines)
    assert "undecided" in text and "slower" in text
    hydro = next(line for line in lines if line.startswith("Lcals_HYDRO_1D") and "cpu1" in line)
    assert "wrong" in hydro and "no verdict" in hydro
    assert "checked wrong: x[17] is 0.125" in " ".join(text.split())
    assert "geometric mean" in text and "13 of 16 kernels" in text


def test_table_of_nothing_says_so() -> None:
    out = io.StringIO()
    table.render(Campaign("r", {}, [], {}), Console(file=out, width=80))
    assert out.getvalue() == "No comparison has been measured.\n"


def test_samples_as_files_are_the_frame(campaign: Campaign, tmp_path: Path) -> None:
    (path,) = write_report(campaign, tmp_path, ["samples"])
    table = frame.frame(campaign)
    again = pandas.read_csv(path, dtype={c: str(t) for c, t in table.dtypes.items() if c in ("bytes_moved", "flops")})
    assert list(again.columns) == list(table.columns) and len(again) == len(table)
    assert again.device_seconds.equals(table.device_seconds)
    documented = (Path(__file__).resolve().parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    assert all(f"`{column}`" in documented for column in table.columns)


def test_parquet_keeps_types_or_says_what_is_missing(campaign: Campaign, tmp_path: Path) -> None:
    try:
        import pyarrow  # noqa: F401 - optional
    except ImportError:
        with pytest.raises(NotPossibleHere, match=r"pip install 'kparity\[parquet\]'"):
            write_report(campaign, tmp_path, ["parquet"])
        return
    (path,) = write_report(campaign, tmp_path, ["parquet"])
    pandas.testing.assert_frame_equal(pandas.read_parquet(path), frame.frame(campaign))
