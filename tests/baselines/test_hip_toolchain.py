"""Which HIP compiler is found for which architecture, and what is read from what it makes."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from kparity.baselines import hip_toolchain
from kparity.baselines.code_objects import MAGIC, code_objects
from kparity.compiler import KparityError, TargetUnavailable

HIPCC = "echo 'HIP version: 5.2.21153-0'; echo 'Debian clang version 15.0.6'"
CLANG = "echo 'Debian clang version 19.1.7 (3)'"


def compiler(path: Path, version: str, knows: str) -> Path:
    """A compiler that answers for its version, and fails for architectures other than those it knows."""
    otherwise = 'echo "clang: error: invalid target ID"; exit 1'
    path.write_text(f'#!/bin/sh\ncase "$*" in --version) {version};; {knows}) ;; *) {otherwise};; esac\n')
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "path"
    path.mkdir()
    monkeypatch.delenv("KPARITY_HIPCC", raising=False)
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setenv("KPARITY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hip_toolchain, "ROCM", tmp_path / "no-rocm")
    monkeypatch.setattr(hip_toolchain, "DEVICE_LIBRARIES", (str(tmp_path / "bitcode"),))
    monkeypatch.setattr(hip_toolchain, "HEADERS", (str(tmp_path / "usr"),))
    return path


def rocm_libraries(root: Path) -> None:
    (root / "usr" / "include" / "hip").mkdir(parents=True)
    (root / "usr" / "include" / "hip" / "hip_runtime.h").touch()
    (root / "bitcode").mkdir()
    (root / "bitcode" / "ocml.bc").touch()
    (root / "bitcode" / "oclc_isa_version_90a.bc").touch()


def test_no_compiler() -> None:
    with pytest.raises(TargetUnavailable, match=r"no HIP compiler for gfx90a: apt-get install hipcc"):
        hip_toolchain.hip_compiler("gfx90a")


def test_each_architecture_gets_the_first_compiler_that_makes_code_for_it(bare_machine: Path) -> None:
    hipcc = compiler(bare_machine / "hipcc", HIPCC, "*gfx90a*")
    clang = compiler(bare_machine / "clang++-19", CLANG, "*gfx90a*|*gfx942*")
    old, new = hip_toolchain.hip_compiler("gfx90a"), hip_toolchain.hip_compiler("gfx942")
    assert (str(old), old.path) == ("hipcc 5.2.21153 (clang 15.0.6)", str(hipcc))
    assert (str(new), new.path) == ("clang++ 19.1.7", str(clang))
    with pytest.raises(TargetUnavailable, match=r"gfx950 \(.*hipcc: .*invalid target ID.*clang\+\+-19: .*invalid"):
        hip_toolchain.hip_compiler("gfx950")


def test_a_named_compiler_is_the_only_one(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler(bare_machine / "hipcc", HIPCC, "*gfx90a*")
    monkeypatch.setenv("KPARITY_HIPCC", str(compiler(bare_machine / "clang++-19", CLANG, "*gfx90a*")))
    assert hip_toolchain.hip_compiler("gfx90a").name == "clang++"
    monkeypatch.setenv("KPARITY_HIPCC", "clang++-7")
    with pytest.raises(TargetUnavailable, match="KPARITY_HIPCC names `clang\\+\\+-7`, which is not on PATH"):
        hip_toolchain.hip_compiler("gfx90a")


def test_clang_is_told_where_rocm_is(bare_machine: Path, tmp_path: Path) -> None:
    """Libraries of before an architecture get the one constant that they lack of it."""
    rocm_libraries(tmp_path)
    compiler(bare_machine / "clang++-19", CLANG, '*ir*) for a; do o=$a; done; echo > "$o";; *gfx90a*|*gfx1100*')
    known = hip_toolchain.hip_compiler("gfx90a")
    assert known.flags[:2] == (f"--rocm-path={tmp_path / 'usr'}", f"--rocm-device-lib-path={tmp_path / 'bitcode'}")
    folder = Path(hip_toolchain.hip_compiler("gfx1100").flags[1].partition("=")[2])
    assert {file.name for file in folder.iterdir()} == {
        "ocml.bc", "oclc_isa_version_90a.bc", "oclc_isa_version_1100.bc",
    }  # fmt: skip
    assert folder.is_relative_to(tmp_path / "cache")


@pytest.mark.parametrize(
    ("architecture", "number"), [("gfx90a", 9010), ("gfx942", 9402), ("gfx1100", 11000), ("gfx1201", 12001)]
)
def test_numbers_of_architectures(architecture: str, number: int) -> None:
    assert hip_toolchain.isa_number(architecture) == number


def test_architecture_of_the_device(bare_machine: Path) -> None:
    hip_toolchain.device_architecture.cache_clear()
    assert hip_toolchain.device_architecture() == "gfx90a"
    tool = bare_machine / "rocm_agent_enumerator"
    tool.write_text("#!/bin/sh\necho gfx000\necho gfx942\n")
    tool.chmod(0o755)
    hip_toolchain.device_architecture.cache_clear()
    assert hip_toolchain.device_architecture() == "gfx942"
    hip_toolchain.device_architecture.cache_clear()


def bundle(entries: dict[str, bytes]) -> bytes:
    table = sum(24 + len(name) for name in entries)
    header, body = MAGIC + struct.pack("<Q", len(entries)), b""
    start = len(header) + table
    for name, part in entries.items():
        header += struct.pack("<QQQ", start + len(body), len(part), len(name)) + name.encode()
        body += part
    return header + body


def test_code_objects_of_a_library() -> None:
    both = {
        "host-x86_64-unknown-linux--": b"",
        "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-": b"one",
        "hipv4-amdgcn-amd-amdhsa--gfx942": b"two",
    }
    assert code_objects(b"an ELF file" + bundle(both)) == {"gfx90a": b"one", "gfx942": b"two"}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\x7fELF", "no offload bundle"),
        (MAGIC + b"\x01", "cannot be read"),
        (bundle({"hip-amdgcn-amd-amdhsa--gfx90a": b"body"})[:-1], "cut short"),
    ],
)
def test_what_is_no_bundle_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(KparityError, match=message):
        code_objects(raw)
