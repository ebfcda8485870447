"""Files that RAJAPerf's own scripts read."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kparity.harness import rajaperf_files
from kparity.harness.rajaperf_files import _twenty_digits
from kparity.harness.records import Campaign

from .sample_campaign import SIZES, sample_campaign


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    return sample_campaign(sizes=SIZES[:1])


@pytest.fixture(scope="module")
def files(campaign: Campaign) -> dict[str, str]:
    return rajaperf_files.render(campaign)


def matrix(text: str) -> dict[str, list[str]]:
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text))]
    return {row[0]: row[1:] for row in rows[1:]}


def test_one_size_gives_plain_names_and_several_a_folder_each(files: dict[str, str]) -> None:
    names = ["-kernel-run-data.csv", "-timing-Average.csv", "-speedup-Average.csv", "-checksum.txt"]
    assert list(files) == [f"RAJAPerf{name}" for name in names]
    several = rajaperf_files.render(sample_campaign(walks=1, faults=False))
    assert {path.split("/")[0] for path in several} == {f"size_{size}" for size in SIZES}
    assert rajaperf_files.render(Campaign("r", {}, [], {})) == {}


def test_timing_is_the_total_of_the_same_repetitions_for_every_variant(
    campaign: Campaign, files: dict[str, str]
) -> None:
    timing = matrix(files["RAJAPerf-timing-Average.csv"])
    assert files["RAJAPerf-timing-Average.csv"].startswith("Mean Runtime Report (sec.)  ,  , ")
    variants = ["Base_Seq", "Checked_Seq", "Base_OpenMP", "Checked_OpenMP", "Base_CUDA", "Checked_CUDA"]
    assert timing["Variant"] == variants
    assert timing["Tuning"] == ["default"] * 6
    wall = [np.mean(r.wall_seconds) for r in campaign.records if _is(r.cell, "Stream_TRIAD", "cpu1", "native")]
    repetitions = max(r.repetitions for r in campaign.records if r.cell.kernel == "Stream_TRIAD")
    assert float(timing["Stream_TRIAD"][0]) == pytest.approx(np.mean(wall) * repetitions, abs=1e-6)


def _is(cell: object, kernel: str, target: str, variant: str) -> bool:
    return (getattr(cell, "kernel"), getattr(cell, "target"), getattr(cell, "variant")) == (kernel, target, variant)  # noqa: B009


def test_speedup_is_over_the_first_variant_and_absent_without_a_time(files: dict[str, str]) -> None:
    timing, speedup = (matrix(files[f"RAJAPerf-{name}-Average.csv"]) for name in ("timing", "speedup"))
    assert "ref var = Base_Seq" in files["RAJAPerf-speedup-Average.csv"].splitlines()[0]
    first, second = (float(x) for x in timing["Apps_VOL3D"][:2])
    assert float(speedup["Apps_VOL3D"][1]) == pytest.approx(first / second, abs=1e-3)
    assert speedup["Apps_VOL3D"][0] == "1.000"
    assert timing["Lcals_HYDRO_1D"][1] == speedup["Lcals_HYDRO_1D"][1] == "Not run"
    assert timing["Basic_TRAP_INT"][4] == "Not run"


def test_run_data_is_read_by_pandas(files: dict[str, str]) -> None:
    data = pd.read_csv(io.StringIO(files["RAJAPerf-kernel-run-data.csv"]), skipinitialspace=True)
    data.columns = data.columns.str.strip()
    wrong = data[(data.Kernel.str.strip() == "Lcals_HYDRO_1D") & (data.Variant.str.strip() == "Checked_Seq")]
    assert list(wrong.Checksum.str.strip()) == ["FAILED"]
    assert "Not run" in str(wrong["Mean time per rep (sec.)"].iloc[0])
    triad = data[(data.Kernel.str.strip() == "Stream_TRIAD") & (data.Variant.str.strip() == "Base_CUDA")].iloc[0]
    seconds, rate = float(triad["Mean time per rep (sec.)"]), float(triad["Mean Bandwidth (GiB per sec.)"])
    assert rate == pytest.approx(24 * SIZES[0] / seconds / 2**30, rel=1e-4)


def test_checksums_have_twenty_digits_and_name_what_was_not_run(files: dict[str, str]) -> None:
    text = files["RAJAPerf-checksum.txt"]
    block = text.split("Lcals_HYDRO_1D")[1].split("-----")[0]
    line = next(x for x in block.splitlines() if x.startswith("Checked_Seq-default"))
    assert line.split()[1:4] == ["FAILED", "1.0000000000000000364e-10", "160928301.92739281000"]
    trap = text.split("Basic_TRAP_INT")[1].split("-----")[0]
    assert "Not Run" in next(x for x in trap.splitlines() if x.startswith("Base_CUDA-default"))


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("160928301.92739281", "160928301.92739281000"),
        (0.0, "0.0000000000000000000"),
        ("12345678901234567890", "12345678901234567890."),
        (1.5e-7, "1.4999999999999999321e-07"),
        ("1e30", "1.0000000000000000000e+30"),
        ("nan", "NaN"),
    ],
)
def test_digits_as_a_stream_with_showpoint_prints_them(number: float | str, shown: str) -> None:
    assert _twenty_digits(number) == shown


def test_declared_repetitions_come_before_measured_ones(campaign: Campaign) -> None:
    kernels = {**campaign.kernels, "Stream_COPY": {**campaign.kernels["Stream_COPY"], "repetitions": 1800}}
    text = rajaperf_files.render(replace(campaign, kernels=kernels))["RAJAPerf-timing-Average.csv"]
    wall = [np.mean(r.wall_seconds) for r in campaign.records if _is(r.cell, "Stream_COPY", "cpu1", "native")]
    assert float(matrix(text)["Stream_COPY"][0]) == pytest.approx(np.mean(wall) * 1800, rel=1e-5)
