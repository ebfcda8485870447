"""The builder: argument blocks that differ do not compile, errors read well, results are cached by content."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from kparity.baselines import Baseline, BuildError, Options, Request, build, build_many
from kparity.compiler import KparityError, Manifest, Parameter, TargetUnavailable

pytestmark = pytest.mark.toolchain

F64 = {"y": Parameter("y", "array", "f64", "Mut", ("n",)), "x": Parameter("x", "array", "f64", "Ref", ("n",))}
N = Parameter("n", "extent", "i64", "", ())
A = Parameter("a", "scalar", "f64", "", ())


def daxpy(*members: Any) -> Manifest:
    return Manifest.build("daxpy", list(members or (F64["y"], F64["x"], A, N)))


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KPARITY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A kernel file of the test's own."""
    path = tmp_path / "kernels" / "daxpy.cpp"
    path.parent.mkdir()
    path.write_text(
        '#include "daxpy.abi.h"\n#include "factor.h"\n'
        "KP_ARGUMENTS { double *y; const double *x; double a; int64_t n; };\n"
        "KP_KERNEL daxpy(KP_MUT(double) y, KP_REF(double) x, double a, int64_t n) {\n"
        "  KP_FOR(i, 0, n) { y[i] += FACTOR * a * x[i]; }\n}\n"
        "KP_REPETITION(args, run) { run.launch(daxpy, kp_grid(args.n), args.y, args.x, args.a, args.n); }\n"
    )
    (path.parent / "factor.h").write_text("#define FACTOR 1\n")
    return path


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        pytest.param(daxpy(F64["x"], F64["y"], A, N), "`y` stands at another place", id="order"),
        pytest.param(daxpy(F64["y"], F64["x"], N, A), "`a` stands at another place", id="order of values"),
        pytest.param(
            daxpy(F64["y"], F64["x"], Parameter("a", "scalar", "i64", "", ()), N), "`a` has another type", id="type"
        ),
        pytest.param(
            daxpy(F64["y"], F64["x"], Parameter("a", "scalar", "f32", "", ()), N),
            "`a` has another type",
            id="narrow type",
        ),
        pytest.param(
            daxpy(F64["y"], Parameter("x", "array", "f64", "Mut", ("n",)), A, N), "`x` has another type", id="borrow"
        ),
        pytest.param(daxpy(F64["y"], F64["x"], A), "kp_arguments", id="one less"),
        pytest.param(
            daxpy(F64["y"], F64["x"], A, N, Parameter("m", "extent", "i64", "", ())), "‘m’|'m'", id="one more"
        ),
        pytest.param(daxpy(F64["y"], F64["x"], Parameter("b", "scalar", "f64", "", ()), N), "‘b’|'b'", id="name"),
    ],
)
def test_another_parameter_list_does_not_compile(manifest: Manifest, message: str) -> None:
    with pytest.raises(BuildError, match=message) as caught:
        build("daxpy", manifest, "cpu1")
    shown = str(caught.value)
    declared = "; ".join(p.c_declaration for p in manifest.parameters)
    assert f"help: KP_ARGUMENTS in daxpy.cpp must list what the checked kernel declares: {declared}" in shown
    assert "daxpy.cpp does not compile for cpu1 with g++" in shown.splitlines()[0]


def test_a_member_in_the_padding_is_noticed(source: Path) -> None:
    """Equal sizes do not hide a parameter too many."""
    text = source.read_text().replace("double a; int64_t n;", "double a; int64_t n; int32_t k, l;")
    source.write_text(text)
    manifest = daxpy(F64["y"], F64["x"], A, N, Parameter("k", "scalar", "i32", "", ()))
    with pytest.raises(BuildError, match=r"KP_ARGUMENTS in daxpy\.cpp must list"):
        build(source, manifest, "cpu1")


def test_an_error_in_the_source(source: Path) -> None:
    source.write_text(source.read_text().replace("y[i] +=", "z[i] +="))
    with pytest.raises(BuildError) as caught:
        build(source, daxpy(), "cpu1")
    error = caught.value
    assert error.source == source
    assert re.search(r"daxpy\.cpp:5:.*z", error.output)
    assert error.command[0].endswith("g++") and str(source) in error.command
    assert str(error).endswith(f"command: {' '.join(error.command)}")
    assert "help" not in str(error)


def test_a_failed_build_leaves_nothing_behind(source: Path, empty_cache: Path) -> None:
    source.write_text("nonsense")
    for _ in range(2):
        with pytest.raises(BuildError):
            build(source, daxpy(), "cpu1")
    assert [path.suffix for path in (empty_cache / "baselines").iterdir()] == [".lock"]


def stamp(baseline: Baseline) -> int:
    return baseline.library.stat().st_mtime_ns


def test_the_second_build_comes_from_the_cache(source: Path) -> None:
    first = build(source, daxpy(), "cpu1")
    second = build(source, daxpy(), "cpu1")
    assert (second.library, stamp(second), second.seconds) == (first.library, stamp(first), first.seconds)


def test_everything_that_decides_the_code_is_in_the_key(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {build(source, daxpy(), "cpu1").library, build(source, daxpy(), "cpu").library}
    made.add(build(source, daxpy(), "cpu1", Options(optimisation="-O1")).library)
    made.add(build(source, daxpy(), "cpu1", Options(extra=("-DKP_BLOCK=128",))).library)
    source.with_name("factor.h").write_text("#define FACTOR 2\n")
    made.add(build(source, daxpy(), "cpu1").library)
    renamed = Manifest.build("another", [F64["y"], F64["x"], A, N])
    made.add(build(source, renamed, "cpu1").library)
    monkeypatch.setattr("kparity.baselines.toolchain.processor_identity", lambda: "another CPU")
    made.add(build(source, daxpy(), "cpu1").library)
    assert len(made) == 7


def test_the_key_does_not_know_the_place(source: Path, tmp_path: Path) -> None:
    """A checkout elsewhere, with the same content, builds nothing again."""
    first = build(source, daxpy(), "cpu1")
    elsewhere = tmp_path / "elsewhere"
    source.parent.rename(elsewhere)
    second = build(elsewhere / "daxpy.cpp", daxpy(), "cpu1")
    assert second.library == first.library
    assert second.source == (elsewhere / "daxpy.cpp").read_text()


def test_code_for_a_named_processor_does_not_depend_on_this_one(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(processor="x86-64")
    if "x86" not in build(source, daxpy(), "cpu1").compiler.identity:
        pytest.skip("not an x86 compiler")
    first = build(source, daxpy(), "cpu1", options)
    monkeypatch.setattr("kparity.baselines.toolchain.processor_identity", lambda: "another CPU")
    assert build(source, daxpy(), "cpu1", options).library == first.library
    assert "ymm" not in first.code


def test_an_entry_that_cannot_be_read_is_built_again(source: Path) -> None:
    first = build(source, daxpy(), "cpu1")
    (first.library.parent / "build.json").write_text("{")
    first.library.write_bytes(b"")
    assert build(source, daxpy(), "cpu1").tunings == ("default",)


def test_a_library_that_cannot_be_loaded_is_named(source: Path) -> None:
    baseline = build(source, daxpy(), "cpu1")
    baseline.library.write_bytes(b"not a library")
    with pytest.raises(KparityError, match=r"cannot be loaded .*delete .* and build again"):
        build(source, daxpy(), "cpu1").address()


def test_processes_that_build_the_same_at_once_get_one_library(source: Path) -> None:
    """Each reports the library and when it was written."""
    script = textwrap.dedent("""
        import sys
        from kparity.baselines import build
        from kparity.compiler import Manifest, Parameter
        made = build(sys.argv[1], Manifest.from_json(sys.argv[2]), "cpu1")
        print(made.library, made.library.stat().st_mtime_ns, made.tunings)
    """)
    command = [sys.executable, "-c", script, str(source), daxpy().to_json()]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = {process.communicate(timeout=120)[0] for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(said) == 1 and "('default',)" in said.pop()


def test_build_many_keeps_the_order_and_what_works(source: Path) -> None:
    broken = source.with_name("broken.cpp")
    broken.write_text("nonsense")
    requests = [Request(path, daxpy(), "cpu1") for path in (source, broken, "daxpy")]
    good, bad, other = build_many([*requests], jobs=2)
    assert isinstance(good, Baseline) and isinstance(other, Baseline)
    assert isinstance(bad, BuildError) and bad.source == broken
    assert (good.kernel, other.kernel) == ("daxpy", "daxpy") and good.library != other.library


def test_tunings_have_addresses(source: Path) -> None:
    baseline = build(source, daxpy(), "cpu1")
    assert baseline.address() == baseline.address("default") != 0
    with pytest.raises(KparityError, match=r"daxpy has no tuning `block_256` for cpu1: choose default"):
        baseline.address("block_256")


def test_source_code_and_flags_are_there_for_the_report(source: Path) -> None:
    baseline = build(source, daxpy(), "cpu")
    assert baseline.source == source.read_text()
    assert "GOMP_parallel" in baseline.code and "GOMP_parallel" not in build(source, daxpy(), "cpu1").code
    assert {"-O3", "-march=native", "-std=c++17", "-fPIC", "-fopenmp"} <= set(baseline.flags)
    assert baseline.resources == {}
    assert str(baseline.compiler).startswith("g++ ")


def test_unknown_target() -> None:
    with pytest.raises(TargetUnavailable, match="no baselines for target `tpu`: choose cpu1, cpu, cuda or hip"):
        build("daxpy", daxpy(), "tpu")


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KPARITY_CACHE", str(tmp_path / "file"))
    with pytest.raises(KparityError, match="set KPARITY_CACHE"):
        build("daxpy", daxpy(), "cpu1")
