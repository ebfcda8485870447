"""Notices that the sources change while a campaign runs: its walks would not measure the same thing."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable, Iterator
from pathlib import Path

_SUFFIXES = frozenset({".py", ".cpp", ".h", ".hpp", ".cu", ".csv"})
_PACKAGES = ("kparity.compiler", "kparity.suites", "kparity.baselines", "kparity.harness")


def source_folders(suite: str) -> list[Path]:
    """Return the folders whose content decides what a campaign measures: kparity's own, and that of a user's suite."""
    found = (importlib.util.find_spec(package) for package in _PACKAGES)
    places = [Path(place) for spec in found if spec for place in spec.submodule_search_locations or ()]
    return [*places, Path(suite)] if Path(suite).is_dir() else places


def fingerprint(folders: Iterable[Path]) -> str:
    """Return a digest of the names and contents of all sources below some folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in _sources(folder):
            digest.update(f"{path.relative_to(folder)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _sources(folder: Path) -> Iterator[Path]:
    return iter(sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file()))
