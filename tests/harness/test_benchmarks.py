"""asv finds this project's benchmarks, under the names that the store uses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kparity.compiler import Kernel
from kparity.harness import compile_time
from kparity.harness.asv_store import UNITS
from kparity.harness.checking_cost import checking_seconds
from kparity.harness.compile_time import CompileTimeError, compile_seconds
from kparity.harness.kernel_files import kernels_in
from kparity.suites import entries

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def discovered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """What asv's discovery says; in a process of its own, because it imports the folder under another name."""
    configuration = json.loads((ROOT / "asv.conf.json").read_text())
    out = tmp_path_factory.mktemp("asv") / "benchmarks.json"
    script = "import sys; from asv_runner.discovery import _discover; _discover(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", script, str(ROOT / configuration["benchmark_dir"]), str(out)],
        cwd=out.parent, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {benchmark["name"]: benchmark for benchmark in json.loads(out.read_text())}


def test_every_kernel_has_its_series(discovered: dict[str, dict[str, object]]) -> None:
    kernels = [entry.full_name.replace("_", ".", 1) for entry in entries("rajaperf")]
    assert len(kernels) >= 16
    expected = {f"rajaperf.{k}.{m}" for k in kernels for m in ("time", "wall", *UNITS)}
    expected |= {f"compiler.{k}.{m}" for k in kernels for m in ("cold", "cached", "checking")}
    assert set(discovered) == expected


def test_names_parameters_and_versions_are_those_of_the_store(discovered: dict[str, dict[str, object]]) -> None:
    triad = discovered["rajaperf.Stream.TRIAD.time"]
    assert triad["param_names"] == ["variant", "target", "tuning", "size"]
    assert triad["params"] == [["'checked'", "'native'"], ["'cpu1'", "'cpu'", "'cuda'"], ["'default'"], ["1000000"]]
    units = {b["name"].rpartition(".")[2]: b["unit"] for b in discovered.values()}
    assert units == {**dict.fromkeys(("time", "wall", "cold", "cached", "checking"), "seconds"), **UNITS}
    assert {b["version"] for b in discovered.values()} == {"1"}, (
        "a computed version would forget the history at each edit"
    )


def test_checking_is_timed_anew_each_time() -> None:
    (kernel,) = (k for k in kernels_in(entries("rajaperf")["Stream_COPY"].path) if isinstance(k, Kernel))
    typed = kernel.typed
    samples = checking_seconds(kernel)
    assert len(samples) == 3 and all(0 < s < 5 for s in samples) and len(set(samples)) > 1
    assert kernel.typed is typed and kernel.anew().typed is not typed


def test_the_compiler_is_timed_cold_and_from_its_cache() -> None:
    cold = compile_seconds("rajaperf", "Stream_COPY", "cpu1", cached=False, samples=1)
    cached = compile_seconds("rajaperf", "Stream_COPY", "cpu1", cached=True, samples=1)
    assert 0 < cached[0] < cold[0]


def test_a_compiler_that_fails_is_quoted() -> None:
    with pytest.raises(CompileTimeError, match=r"Stream_COPIE for cpu1 failed:(.|\n)*no kernel `Stream_COPIE`"):
        compile_seconds("rajaperf", "Stream_COPIE", "cpu1", cached=False, samples=1)


def test_a_sample_that_missed_the_cache_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_time, "_sample", lambda *_: {"seconds": 1.0, "from_cache": False})
    with pytest.raises(CompileTimeError, match="did not come from the cache"):
        compile_seconds("rajaperf", "Stream_COPY", "cpu1", cached=True, samples=1)
