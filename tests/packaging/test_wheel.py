"""The wheel holds every module and data file, nothing else, and works without the source tree.

`KPARITY_WHEEL` names a wheel that was built already; else one is built from a copy of the tree, without a network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if given := os.environ.get("KPARITY_WHEEL"):
        return Path(given)
    tree = tmp_path_factory.mktemp("tree")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    for folder in FOLDERS.values():
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    code = "from setuptools.build_meta import build_wheel; print(build_wheel('dist'))"
    built = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return tree / "dist" / built.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def expected_files() -> set[str]:
    """Where each file of the mapped folders belongs."""
    wanted = set()
    for package, folder in FOLDERS.items():
        for place, _, files in os.walk(ROOT / folder, followlinks=True):  # the error pages are a link
            inside = Path(place).relative_to(ROOT / folder)
            if "__pycache__" not in inside.parts:
                wanted |= {str(PurePosixPath(package.replace(".", "/"), *inside.parts, file)) for file in files}
    return wanted


def test_every_module_and_data_file_is_in_it_and_nothing_else(names: set[str]) -> None:
    wanted = expected_files()
    assert wanted - names == set(), "missing: a folder without __init__.py, or a pattern of package-data"
    assert names - wanted == set()


def test_the_kinds_of_data_that_the_product_reads_are_among_them(names: set[str]) -> None:
    """The comparison above is with the tree; this one is with what must be in the tree."""
    for pattern in (
        "kparity/baselines/include/kparity.h",
        "kparity/baselines/rajaperf/*/daxpy.cpp",
        "kparity/suites/rajaperf/*.csv",
        "kparity/suites/rajaperf/*/daxpy.py",
        "kparity/harness/templates/*",
        "kparity/compiler/diagnostics/error_pages/KP0401.md",
        "kparity/*/py.typed",
    ):
        assert any(PurePosixPath(name).match(pattern) for name in names), pattern


def test_no_tests_documents_or_top_level_names(names: set[str]) -> None:
    assert {PurePosixPath(name).parts[0] for name in names} == {"kparity"}
    assert "kparity/__init__.py" not in names, "kparity is a namespace"
    paths = [PurePosixPath(name) for name in names]
    assert not [path for path in paths if {"test", "tests", "doc", "docs"} & set(path.parts)]
    assert not [
        path for path in paths if any(path.match(p) for p in ("test_*", "*_test.py", "tests.py", "conftest.py"))
    ]
    assert {path.parent.name for path in paths if path.suffix in {".md", ".rst", ".txt"}} == {"error_pages"}


def test_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        folder = next(name.split("/")[0] for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
        entry_points = archive.read(f"{folder}/entry_points.txt").decode()
    assert metadata["Name"] == "kparity"
    assert metadata["Version"] == PROJECT["project"]["version"]
    assert metadata["Requires-Python"] in {">=3.11,<3.15", "<3.15,>=3.11"}
    assert set(metadata.get_all("Provides-Extra", [])) == set(PROJECT["project"]["optional-dependencies"])
    assert "kparity = kparity.harness.cli:main" in entry_points
    assert "rajaperf = kparity.suites.rajaperf" in entry_points


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run_unpacked(unpacked: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code that sees the unpacked wheel and the dependencies, but not the editable install's import hook."""
    paths = [str(unpacked), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    start = f"import sys; sys.path += {paths!r}\n"  # -S: no .pth file is read, so no hook is installed
    return subprocess.run(
        [sys.executable, "-S", "-I", "-c", start + code], cwd=unpacked, capture_output=True, text=True, check=False
    )


def test_every_module_imports_from_it(unpacked: Path) -> None:
    code = """
import importlib, pathlib
root = pathlib.Path(sys.path[-3])
for path in sorted(root.glob("kparity/**/*.py")):
    if "benchmarks" not in path.parts:
        name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        module = importlib.import_module(name)
        assert module.__file__ == str(path), (module.__file__, path)
"""
    result = run_unpacked(unpacked, code)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("arguments", [["list"], ["explain", "KP0401"], ["doctor"]], ids=lambda a: a[0])
def test_the_command_line_works_from_it(unpacked: Path, arguments: list[str]) -> None:
    code = f"from kparity.harness.cli import main; sys.argv = ['kparity', *{arguments!r}]; sys.exit(main())"
    result = run_unpacked(unpacked, code)
    assert result.returncode == 0, result.stderr
    assert {"list": "DAXPY", "explain": "KP0401", "doctor": "cpu1"}[arguments[0]] in result.stdout
