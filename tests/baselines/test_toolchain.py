"""Which compilers are found, in which order, and what is said where there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kparity.baselines import toolchain
from kparity.baselines.resources import Resources, resources
from kparity.compiler import TargetUnavailable


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def gcc(path: Path, *, clang: bool = False, version: str = "12.2.0") -> Path:
    major, minor, patch = version.split(".")
    names = ["__clang_major__", "__clang_minor__", "__clang_patchlevel__"] if clang else [
        "__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__"
    ]  # fmt: skip
    lines = [
        f'#define __VERSION__ "{version}"',
        *(f"#define {n} {v}" for n, v in zip(names, (major, minor, patch), strict=True)),
    ]
    if clang:
        lines.append("#define __clang__ 1")
    printed = "\n".join(f"echo '{line}'" for line in lines)
    return program(path, f'case "$1" in -dumpmachine) echo x86_64-linux-gnu;; *) {printed};; esac')


def nvcc(folder: Path, version: str = "13.0.88") -> Path:
    return program(folder / "bin" / "nvcc", f"echo 'Cuda compilation tools, release 13.0, V{version}'")


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only what a test installs is there: its PATH is one empty folder, but for the shell's echo."""
    for name in ("KPARITY_CXX", "KPARITY_NVCC", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "path"
    path.mkdir()
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setattr("kparity.baselines.toolchain.DEFAULT_CUDA", tmp_path / "no-cuda")
    monkeypatch.setattr("kparity.baselines.toolchain.util.find_spec", lambda name: None)
    return path


def test_no_compiler() -> None:
    with pytest.raises(TargetUnavailable, match=r"`g\+\+` is not on PATH; apt-get install g\+\+"):
        toolchain.cpp_compiler()


def test_gcc_on_path(bare_machine: Path) -> None:
    gcc(bare_machine / "g++")
    compiler = toolchain.openmp_compiler()
    assert (str(compiler), compiler.path) == ("g++ 12.2.0", str(bare_machine / "g++"))


def test_an_upgrade_is_noticed(bare_machine: Path) -> None:
    """The probe is kept, but not beyond a change of the program."""
    gcc(bare_machine / "g++")
    old = toolchain.cpp_compiler()
    new_path = gcc(bare_machine / "g++", version="13.1.0")
    os.utime(new_path, (1, 1))
    assert toolchain.cpp_compiler().version == "13.1.0"
    assert toolchain.cpp_compiler().identity != old.identity


def test_clang_is_for_one_thread_only(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KPARITY_CXX", str(gcc(bare_machine / "c++-19", clang=True, version="19.1.7")))
    assert str(toolchain.cpp_compiler()) == "clang++ 19.1.7"
    with pytest.raises(TargetUnavailable, match=r"clang\+\+ 19.1.7 brings an OpenMP runtime of its own: .*g\+\+"):
        toolchain.openmp_compiler()


def test_a_compiler_that_does_not_run(bare_machine: Path) -> None:
    program(bare_machine / "g++", "exit 1")
    with pytest.raises(TargetUnavailable, match="does not run as a C\\+\\+ compiler"):
        toolchain.cpp_compiler()


def test_cuda_needs_a_host_compiler(bare_machine: Path) -> None:
    nvcc(bare_machine.parent / "cuda").rename(bare_machine / "nvcc")
    with pytest.raises(TargetUnavailable, match=r"`g\+\+` is not on PATH"):
        toolchain.cuda_compiler()


def test_no_nvcc(bare_machine: Path) -> None:
    gcc(bare_machine / "g++")
    with pytest.raises(TargetUnavailable, match=r"pip install 'kparity\[cuda-toolchain\]'"):
        toolchain.cuda_compiler()


def test_order_of_nvcc(bare_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named, on PATH, CUDA_HOME; one that does not run is passed over."""
    gcc(bare_machine / "g++")
    home, named = nvcc(tmp_path / "home", "13.0.1"), nvcc(tmp_path / "named", "13.0.2")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    broken = program(bare_machine / "nvcc", "exit 1")
    assert toolchain.cuda_compiler().path == str(home)
    nvcc(tmp_path / "path-cuda", "13.0.3").rename(broken)
    assert toolchain.cuda_compiler().version == "13.0.3"
    monkeypatch.setenv("KPARITY_NVCC", str(named))
    assert toolchain.cuda_compiler().version == "13.0.2"


def test_pips_nvcc_needs_its_library_folder(
    bare_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gcc(bare_machine / "g++")
    toolkit = tmp_path / "site-packages" / "nvidia" / "cu13"
    nvcc(toolkit)
    (toolkit / "lib").mkdir()
    (toolkit / "lib" / "libcudart_static.a").touch()
    spec = type("Spec", (), {"submodule_search_locations": [str(toolkit.parent)]})
    monkeypatch.setattr("kparity.baselines.toolchain.util.find_spec", lambda name: spec if name == "nvidia" else None)
    compiler = toolchain.cuda_compiler()
    assert (compiler.path, compiler.flags) == (str(toolkit / "bin" / "nvcc"), (f"-L{toolkit / 'lib'}",))


def test_the_host_compiler_is_part_of_the_identity(
    bare_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gcc(bare_machine / "g++")
    monkeypatch.setenv("CUDA_HOME", str(nvcc(tmp_path / "cuda").parents[1]))
    usual = toolchain.cuda_compiler()
    host = gcc(tmp_path / "gcc-11" / "g++", version="11.4.0")
    monkeypatch.setenv("KPARITY_CXX", str(host))
    chosen = toolchain.cuda_compiler()
    assert usual.flags == () and chosen.flags == ("-ccbin", str(host))
    assert usual.identity != chosen.identity


def test_architecture_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # also on a machine that has one
    toolchain.device_architecture.cache_clear()
    assert toolchain.device_architecture() == "sm_90"
    toolchain.device_architecture.cache_clear()


REPORT = """\
ptxas info    : 4 bytes gmem
ptxas info    : Compiling entry function '_Z3dotIL10kp_mapping0EEvPKdS2_Pdl9kp_ticket' for 'sm_90'
ptxas info    : Function properties for _Z3dotIL10kp_mapping0EEvPKdS2_Pdl9kp_ticket
    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 64 bytes smem, 8 bytes cmem[2]
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
"""


def test_resources_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    dot, plain = "_Z3dotIL10kp_mapping0EEvPKdS2_Pdl9kp_ticket", "plain"
    wanted = [Resources(14, 16, 24, 8, 64, 1), Resources(10, 0, 0, 0, 0, 0)]
    assert resources(REPORT) == dict(zip((dot, plain), wanted, strict=True))  # no demangler on this PATH
    monkeypatch.setenv("PATH", os.defpath)
    assert list(resources(REPORT).values()) == wanted
    assert set(resources(REPORT)) in ({"dot<0>", plain}, {dot, plain})


def test_a_report_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing that can be read for k"):
        resources("ptxas info    : Compiling entry function 'k' for 'sm_90'\nsomething else\n")
