"""Each probe on machines that lack the thing, and on one that has it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from kparity.compiler import TargetUnavailable
from kparity.harness import machine
from kparity.harness.machine import Finding


def by_name(found: Iterable[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in found}


@pytest.fixture
def no_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with an empty PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("KPARITY_CXX", "KPARITY_NVCC"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_programs")
def test_missing_compilers_name_their_remedy() -> None:
    found = by_name(machine._compilers())
    assert set(found) == {"C++", "C++ with OpenMP", "CUDA C++"}
    for finding in found.values():
        assert not finding.is_there and "apt-get install g++" in finding.remedy


@pytest.mark.toolchain
@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ on PATH")
def test_a_compiler_is_shown_with_version_and_path() -> None:
    finding = by_name(machine._compilers())["C++"]
    assert re.fullmatch(r"g\+\+ \d+\.\d+\.\d+ \(/.*g\+\+\)", finding.found)


def test_a_missing_cuda_toolchain_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> bytes:
        raise TargetUnavailable("not on this machine")

    monkeypatch.setattr(machine.cuda_tools, "ptxas", lambda: None)
    monkeypatch.setattr(machine.cuda_tools, "libdevice", missing)
    found = by_name(machine._cuda_code())
    assert set(found) == {"ptxas", "libdevice"}
    for finding in found.values():
        assert not finding.is_there and "kparity[cuda-toolchain]" in finding.remedy


def test_a_cuda_toolchain_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.cuda_tools, "ptxas", lambda: Path("/toolkit/bin/ptxas"))
    monkeypatch.setattr(machine.cuda_tools, "ptxas_version", lambda: "Build cuda_13.0")
    monkeypatch.setattr(machine.cuda_tools, "libdevice", lambda: b"BC")
    found = by_name(machine._cuda_code())
    assert found["ptxas"].found == "Build cuda_13.0 (/toolkit/bin/ptxas)"
    assert found["libdevice"].found == "2 bytes of bitcode"


@pytest.mark.parametrize(
    ("environment", "folder"),
    [({"KPARITY_CACHE": "here"}, "here"), ({"KPARITY_CACHE": "", "XDG_CACHE_HOME": "xdg"}, "xdg/kparity")],
)
def test_the_cache_folder_follows_the_environment(
    environment: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, str(tmp_path / value) if value else "")
    (finding,) = machine._cache()
    assert finding.found.startswith(f"{tmp_path / folder}, ")
    assert (tmp_path / folder).is_dir()


def test_an_unusable_cache_folder_names_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KPARITY_CACHE", str(tmp_path / "file" / "below"))
    (finding,) = machine._cache()
    assert not finding.is_there and "set KPARITY_CACHE" in finding.remedy


def test_tools_for_amd_gpus_say_what_they_are_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise TargetUnavailable("no")

    for name in ("lld", "device_library"):
        monkeypatch.setattr(machine.hip_tools, name, missing)
    monkeypatch.setattr(machine.shutil, "which", lambda name: "/bin/hipcc" if name == "hipcc" else None)
    found = by_name([*machine._amd_code(), *machine._amd_compilers()])
    assert "links code objects" in found["lld"].remedy and "'kparity[amd-toolchain]'" in found["lld"].remedy
    assert "exp, log, sin" in found["ocml"].remedy and "'kparity[amd-toolchain]'" in found["ocml"].remedy
    assert found["hipcc"].found == "/bin/hipcc" and "apt-get install clang-19" in found["clang++"].remedy


def test_target_that_works_and_one_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "targets", lambda: {"cpu1": None, "cuda": "no driver:\n  install one"})
    assert list(machine._targets()) == [
        Finding("target", "cpu1", "works"),
        Finding("target", "cuda", remedy="no driver: install one"),
    ]


def test_findings_of_this_machine_are_complete_and_one_line_each() -> None:
    found = machine.findings()
    assert {f.part for f in found} == {"target", "compiler", "CUDA", "AMD", "library", "folder"}
    assert len({(f.part, f.name) for f in found}) == len(found)
    for finding in found:
        assert bool(finding.found) != bool(finding.remedy), finding
        assert "\n" not in finding.found + finding.remedy
    assert os.environ["KPARITY_CACHE"] in by_name(found)["cache"].found
