"""Each probe on machines that lack the thing, and on one that has it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from kparity.harness import machine
from kparity.harness.machine import Finding


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with an empty PATH and no CUDA toolkit; returns the folder that is its PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(machine, "_cuda_folders", lambda: iter(()))
    return folder


def put_program(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def by_name(found: object) -> dict[str, Finding]:
    return {finding.name: finding for finding in found}  # type: ignore[attr-defined]


def test_missing_programs_name_their_remedy(bare: Path) -> None:
    compilers = by_name(machine._cpp_compilers())
    assert not compilers["g++"].is_there and "apt-get install g++" in compilers["g++"].remedy
    assert not compilers["clang++"].is_there and "apt-get install clang" in compilers["clang++"].remedy
    cuda = by_name(machine._cuda_toolchain())
    assert set(cuda) == {"nvcc", "ptxas", "libdevice"}
    for finding in cuda.values():
        assert not finding.is_there and "kparity[cuda-toolchain]" in finding.remedy


def test_a_compiler_is_shown_with_version_and_path(bare: Path) -> None:
    put_program(bare, "g++", "print('g++ (Somewhere 1.0) 99.1.0\\nCopyright')")
    (only,) = machine._cpp_compilers()
    assert only.found == f"g++ (Somewhere 1.0) 99.1.0 ({bare / 'g++'})"


def test_nvcc_shows_its_release_line(bare: Path) -> None:
    put_program(bare, "nvcc", "print('Copyright (c) 2005-2025\\nCuda compilation tools, release 13.0, V13.0.88')")
    assert by_name(machine._cuda_toolchain())["nvcc"].found.startswith("Cuda compilation tools, release 13.0")


def test_a_program_that_does_not_start_counts_as_missing(bare: Path) -> None:
    put_program(bare, "g++", "raise SystemExit(3)")
    finding = by_name(machine._cpp_compilers())["g++"]
    assert not finding.is_there
    assert "does not start" in finding.remedy and "apt-get install g++" in finding.remedy


def test_toolkit_folders_of_the_environment_are_searched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    libdevice = tmp_path / "nvvm" / "libdevice" / "libdevice.10.bc"
    libdevice.parent.mkdir(parents=True)
    libdevice.touch()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert by_name(machine._cuda_toolchain())["libdevice"].found == str(libdevice)


def test_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KPARITY_CACHE", str(tmp_path / "here"))
    assert machine.cache_folder() == tmp_path / "here"
    monkeypatch.delenv("KPARITY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert machine.cache_folder() == tmp_path / "xdg" / "kparity"


def test_an_unusable_cache_folder_names_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("KPARITY_CACHE", str(tmp_path / "file" / "below"))
    (finding,) = machine._cache()
    assert not finding.is_there and "set KPARITY_CACHE" in finding.remedy


def test_target_that_works_and_one_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "targets", lambda: {"cpu1": None, "cuda": "no driver:\n  install one"})
    assert list(machine._targets()) == [
        Finding("target", "cpu1", "works"),
        Finding("target", "cuda", remedy="no driver: install one"),
    ]


def test_findings_of_this_machine_are_complete_and_one_line_each() -> None:
    found = machine.findings()
    assert {f.part for f in found} == {"target", "C++ compiler", "CUDA", "library", "folder"}
    assert len({(f.part, f.name) for f in found}) == len(found)
    for finding in found:
        assert bool(finding.found) != bool(finding.remedy), finding
        assert "\n" not in finding.found + finding.remedy
    assert os.environ["KPARITY_CACHE"] in by_name(found)["cache"].found
