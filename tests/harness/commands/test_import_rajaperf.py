"""`kparity import-rajaperf DIR`: what RAJAPerf writes comes back as records, and nothing of another size."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from kparity.harness import rajaperf_files
from kparity.harness.cell_summary import summarize
from kparity.harness.cli import main
from kparity.harness.errors import ExitCode, FolderError
from kparity.harness.journal import load
from kparity.harness.rajaperf_reader import find_runs
from kparity.harness.records import Campaign

from ..sample_campaign import SIZES, sample_campaign, write_campaign

OURS = sample_campaign(walks=5, sizes=SIZES[:1])

RUN_DATA = """\
Kernel          , Variant   , Tuning    ,   Problem size , Checksum ,   Mean time per rep (sec.) ,   Mean Bandwidth (GiB per sec.) ,   Mean flops (gigaFLOP per sec.)
Stream_TRIAD    , Base_CUDA , block_256 ,        1000000 , PASSED   ,                5.00000e-06 ,                         4470.35 ,                          400.000
Stream_TRIAD    , RAJA_CUDA , block_256 ,        1000000 , FAILED   ,                6.00000e-06 ,                         4470.35 ,                          400.000
Stream_TRIAD    , Base_Seq  , default   ,        1000000 , PASSED   ,                    Not run ,                         Not run ,                          Not run
Stream_COPY     , Base_CUDA , block_256 ,         999999 , PASSED   ,                4.00000e-06 ,                         4470.35 ,                          400.000
"""  # noqa: E501 - as RAJAPerf writes it
DETAILS = """\
Kernels run without MPI
Kernel , Problem size , Reps , Iterations/rep , Kernels/rep , BytesMoved/rep , FLOPS/rep , BytesTouched/rep , BytesRead/rep , BytesWritten/rep , BytesModifyWritten/rep , BytesAtomicModifyWritten/rep , BytesAllocated/rep
Stream_TRIAD , 1000000 , 1000 , 1000000 , 1 , 24000000 , 2000000 , 24000000 , 16000000 , 8000000 , 0 , 0 , 24000000
Stream_COPY , 999999 , 1800 , 1000000 , 1 , 16000000 , 0 , 16000000 , 8000000 , 8000000 , 0 , 0 , 16000000
"""  # noqa: E501 - as RAJAPerf writes it
MINIMUM = """\
Min Runtime Report (sec.)  ,  ,  ,
Variant      , Base_CUDA , RAJA_CUDA , Base_Seq
Tuning       , block_256 , block_256 , default
Stream_TRIAD ,  0.004900 ,  0.005900 ,  Not run
Stream_COPY  ,  0.007100 ,   Not run ,  Not run
"""
CHECKSUMS = """\
Stream_TRIAD
........................................................
Base_CUDA-block_256   PASSED  1e-10   160928301.92739281   1.2e-16
RAJA_CUDA-block_256   FAILED  1e-10   160928301.5          2.6e-09
Base_Seq-default      Not Run Not Run Not Run              Not Run
"""


def output(folder: Path, details: str = DETAILS) -> Path:
    folder.mkdir(parents=True)
    parts = {
        "-kernel-run-data.csv": RUN_DATA, "-kernel-details.csv": details, "-timing-Minimum.csv": MINIMUM,
        "-checksum.txt": CHECKSUMS,
    }  # fmt: skip
    for ending, text in parts.items():
        (folder / f"RAJAPerf{ending}").write_text(text)
    return folder


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return write_campaign(OURS, tmp_path / "ours")


def test_variants_stand_beside_ours(tmp_path: Path, campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import-rajaperf", str(output(tmp_path / "theirs")), "--into", str(campaign)]) == ExitCode.OK
    out = capsys.readouterr().out
    assert "3 results of 1 run are in" in out
    assert "left out, for there is no such size" in out and "Stream_COPY cuda (RAJAPerf ran 999999 elements)" in out
    cells = {c.variant: s for c, s in summarize(load(campaign).records).items() if c.variant.startswith("rajaperf_")}
    base = cells["rajaperf_Base_CUDA"]
    assert (base.cell.size, base.cell.target, base.cell.tuning) == (1_000_000, "cuda", "block_256")
    assert base.wall_seconds == pytest.approx(5e-6) and base.device_seconds is None
    assert base.verification.checksum == "160928301.92739281" and base.records[0].repetitions == 1000
    assert base.records[0].conditions["passes"]["minimum"] == pytest.approx(4.9e-6)
    assert cells["rajaperf_RAJA_CUDA"].status == "wrong" and cells["rajaperf_Base_Seq"].status == "skipped"
    assert "differs by 2.6e-09" in cells["rajaperf_RAJA_CUDA"].message
    rows = list(csv.DictReader((campaign / "results.csv").read_text().splitlines()))
    assert [r["wall_seconds"] for r in rows if r["variant"] == "rajaperf_Base_CUDA"]
    text = (campaign / "RAJAPerf-kernel-run-data.csv").read_text()
    assert "RAJA_CUDA" in text and "rajaperf_" not in text


def test_importing_again_replaces(tmp_path: Path, campaign: Path) -> None:
    theirs = str(output(tmp_path / "theirs"))
    for _ in range(2):
        assert main(["import-rajaperf", theirs, "--into", str(campaign)]) == ExitCode.OK
    assert sum(r.cell.variant.startswith("rajaperf_") for r in load(campaign).records) == 3


def test_several_runs_are_walks_and_can_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(5):
        output(tmp_path / "theirs" / f"run-{number}")
    new = tmp_path / "new"
    assert main(["import-rajaperf", str(tmp_path / "theirs"), "--outdir", str(new)]) == ExitCode.OK
    imported = load(new)
    assert {r.walk for r in imported.records} == set(range(5))
    assert imported.kernels["Stream_TRIAD"]["work"]["1000000"]["flops"] == 2_000_000
    assert imported.provenance["imported"]["ranks"] == 1
    capsys.readouterr()
    ours = write_campaign(OURS, tmp_path / "ours")
    assert main(["compare", str(ours), str(new), "--format", "csv"]) == ExitCode.USAGE, "of an unknown machine"
    assert main(["compare", str(ours), str(new), "--anyway", "--format", "csv"]) == ExitCode.OK
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    (row,) = [r for r in rows if (r["campaign"], r["kernel"], r["target"]) == ("new", "Stream_TRIAD", "cuda")]
    assert row["variant"] == "rajaperf_Base_CUDA" and float(row["seconds"]) == pytest.approx(5e-6)
    assert float(row["change"]) == pytest.approx(6.65e-6 / 5e-6, rel=0.02) and row["change_verdict"] == "faster"


def test_another_size_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    large = write_campaign(sample_campaign(walks=1, sizes=SIZES[1:]), tmp_path / "large")
    before = sorted(path.name for path in large.iterdir())
    assert main(["import-rajaperf", str(output(tmp_path / "theirs")), "--into", str(large)]) == ExitCode.USAGE
    assert "has a size that" in capsys.readouterr().err
    assert sorted(path.name for path in large.iterdir()) == before


def test_several_ranks_are_refused_unless_told(
    tmp_path: Path, campaign: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ranks = DETAILS.replace("Kernels run without MPI", "Kernels run with 4 MPI ranks")
    theirs = output(tmp_path / "theirs" / "four", ranks)
    command = ["import-rajaperf", str(tmp_path / "theirs"), "--into", str(campaign)]
    assert main(command) == ExitCode.USAGE
    assert "ran in 4 MPI ranks at once" in capsys.readouterr().err
    assert main([*command, "--anyway"]) == ExitCode.OK
    output(theirs.parent / "one")
    assert main([*command, "--anyway"]) == ExitCode.USAGE
    assert "runs with 1 and 4 MPI ranks are different experiments" in capsys.readouterr().err


def test_our_own_files_come_back(tmp_path: Path) -> None:
    """What we write in RAJAPerf's formats is read as RAJAPerf's is."""
    right = replace(OURS, records=[r for r in OURS.records if r.status == "ok"])
    for name, text in rajaperf_files.render(Campaign("r", {}, right.records, OURS.kernels)).items():
        (tmp_path / name).write_text(text)
    (run,) = find_runs(tmp_path)
    times = {key: entry for key, entry in run.entries.items() if entry.seconds}
    assert times["Stream_TRIAD", "Checked_CUDA", "default"].seconds == pytest.approx(6.66e-6, rel=0.01)
    assert run.checksums["Stream_TRIAD", "Base_CUDA", "default"].checksum.startswith("160928301.9273928")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("-kernel-run-data.csv", "", "is empty"),
        ("-kernel-run-data.csv", "a , b\n", "run-data.csv:1: not the columns that RAJAPerf writes"),
        ("-kernel-run-data.csv", RUN_DATA.replace("5.00000e-06", "fast"), "run-data.csv:2: .*could not convert"),
        ("-kernel-run-data.csv", RUN_DATA + "Stream_ADD , Base_CUDA\n", "run-data.csv:6: not a line"),
        ("-kernel-details.csv", "nothing here\n", "no line of column names"),
        ("-kernel-details.csv", DETAILS.replace(" 1800 ", " x "), "kernel-details.csv:4: not a line"),
        ("-timing-Minimum.csv", "title\n", "lines of variants and tunings are missing"),
        ("-timing-Minimum.csv", MINIMUM.replace("0.004900", "soon"), "timing-Minimum.csv:4"),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    folder = output(tmp_path / "theirs")
    (folder / f"RAJAPerf{name}").write_text(text)
    with pytest.raises(FolderError, match=message):
        find_runs(folder)


def test_a_folder_without_output_and_one_that_is_taken(
    tmp_path: Path, campaign: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import-rajaperf", str(campaign), "--outdir", str(tmp_path / "new")]) == ExitCode.FOLDER
    assert "holds no output of RAJAPerf" in capsys.readouterr().err
    assert main(["import-rajaperf", str(output(tmp_path / "theirs")), "--outdir", str(campaign)]) == ExitCode.USAGE
    assert "add to it with --into" in capsys.readouterr().err
