"""Every kernel in several MPI processes at once: means with their extremes, and a fault on one rank is the cell's."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from kparity.harness.errors import ExitCode, UsageError
from kparity.harness.journal import load
from kparity.harness.options import settings_of
from kparity.harness.ranks import choose_device, over_ranks
from kparity.harness.records import Cell
from kparity.harness.supervisor import worker_environment
from kparity.harness.timing import Side, Stopwatch, TimingRule, measure

from .fakes import FakeDevice
from .test_options import parse
from .test_run import BASELINE, add_kernel, outcomes, run

LOOP = "KP_FOR(i, 0, n) { y[i] += a * x[i]; }"
needs_mpi = pytest.mark.skipif(
    not (shutil.which("mpiexec") and find_spec("mpi4py") and shutil.which("g++")), reason="needs MPI, mpi4py and g++"
)


@needs_mpi
@pytest.mark.slow
@pytest.mark.toolchain
def test_a_walk_of_two_ranks_keeps_the_mean_and_the_extremes(tmp_path: Path) -> None:
    add_kernel(tmp_path / "mine", "good")
    assert run(tmp_path / "mine", tmp_path / "results", "--quick", "--ranks", "2") == ExitCode.OK
    records = load(tmp_path / "results").records
    assert len(records) == 2
    for record in records:
        assert record.conditions["ranks"] == 2
        extremes = record.conditions["over_ranks"]["device"]
        triples = list(zip(extremes["minimum"], record.device_seconds, extremes["maximum"], strict=True))
        assert len(triples) == 10
        assert all(0 < low <= mean <= high for low, mean, high in triples)
        assert record.repetitions > 1


@needs_mpi
@pytest.mark.slow
@pytest.mark.toolchain
def test_a_fault_on_one_rank_is_the_cells_and_the_rest_goes_on(tmp_path: Path) -> None:
    suite, folder = tmp_path / "mine", tmp_path / "results"
    second = 'if (getenv("PMI_RANK") && getenv("PMI_RANK")[0] == \'1\')'
    faults = {"dies": f"{second} {{ volatile int *volatile nowhere = nullptr; *nowhere = 1; }}",
              "errs": f"{second} {{ y[0] += 1.0; }}"}  # fmt: skip
    add_kernel(suite, "good")
    for name, fault in faults.items():
        add_kernel(suite, name, baseline="#include <cstdlib>\n" + BASELINE.replace(LOOP, f"{fault} {LOOP}"))
    assert run(suite, folder, "--quick", "--ranks", "2", "--time-limit", "20") == ExitCode.FAILED
    found = outcomes(folder)
    assert found.pop(("Basic_DIES", "native")) == "crashed"
    assert found.pop(("Basic_ERRS", "native")) == "failed"
    assert set(found.values()) == {"ok"}
    assert len(found) == 4
    (wrong,) = [r.message for r in load(folder).records if r.status == "failed"]
    assert wrong.startswith("rank 1: ")


def test_ranks_decide_alike_and_start_each_interval_together() -> None:
    device = FakeDevice()

    class Slower:
        """The other rank takes twice as long."""

        rank, count, waits = 0, 2, 0

        def barrier(self) -> None:
            self.waits += 1

        def greatest(self, value: float) -> float:
            return 2 * value

        def fault_elsewhere(self, own: str) -> str:
            return ""

        def gathered(self, samples: list[float]) -> list[list[float]]:
            return [samples, samples]

        def give_up(self) -> None:
            raise AssertionError

    class Program:
        runs = 0

        def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
            self.runs += 1
            device.now += repetitions * 2.0**-12

    ranks, program = Slower(), Program()
    rule = TimingRule(2.0**-7, 4, 0.05, 0.02, one_clock=False)
    watch = Stopwatch(device, rule, lambda what, cell: None, lambda: device.now, ranks=ranks)  # type: ignore[arg-type]
    side = Side(Cell("s", "G_K", "cuda", 1, "checked"), program, lambda: None)
    taken = measure([side], watch, 1000)[side.cell]
    assert taken.repetitions == 2 * 16  # the pace is that of the slower rank, and so is the number
    assert ranks.waits == program.runs


def test_gpus_are_dealt_to_the_ranks_of_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no nvidia-smi
    shown = {"CUDA_VISIBLE_DEVICES": "GPU-a,GPU-b"}
    assert [choose_device({**shown, "MPI_LOCALRANKID": str(n)}) for n in range(3)] == ["GPU-a", "GPU-b", "GPU-a"]
    assert choose_device({"SLURM_LOCALID": "1"}) == ""


def test_ranks_share_the_cores_unbound() -> None:
    alone, many = worker_environment({}, timing=True), worker_environment({}, timing=True, ranks=1000)
    assert "OMP_PROC_BIND" in alone
    assert "OMP_PROC_BIND" not in many
    assert many["OMP_NUM_THREADS"] == "1"


def test_ranks_of_nothing_are_nothing() -> None:
    assert over_ranks([[], []]) == ([], {"minimum": [], "maximum": []})


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "raja-perf.exe"
    program.touch(0o755)
    for words in (["--cluster", "x.toml"], ["--rajaperf", str(program)]):
        with pytest.raises(UsageError, match=f"--ranks and {words[0]}: one of them at a time"):
            settings_of(parse("--ranks", "2", *words), timed=True)
    assert settings_of(parse(), timed=True).ranks == 1
