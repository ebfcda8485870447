"""List the packages under the folders that pyproject.toml maps, so that a new folder needs no entry in any list."""

from __future__ import annotations

import tomllib
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).resolve().parent
FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]


def packages() -> list[str]:
    """Return the mapped packages and everything importable below them, by import name."""
    return [
        name
        for package, folder in FOLDERS.items()
        for name in (package, *(f"{package}.{inner}" for inner in find_packages(str(ROOT / folder))))
    ]


setup(packages=packages())
