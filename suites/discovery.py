"""Finds suites, and the kernels of a suite by the existence of their files.

A suite is a package registered as an entry point of the group `kparity.suites`, or any folder given by its path. Its
kernels are the files `<group>/<kernel>.py` whose names do not begin with an underscore. A suite's package may bring its
own `Fill` (source of initial data) and `expected_checksum` (published results); RAJAPerf's data and no results are the
default.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from .entries import BrokenKernel, Entries, Entry, SuiteError, never_published
from .rajaperf.fills import Fill
from .spec import Spec

ENTRY_POINTS = "kparity.suites"
BUILT_IN = {"rajaperf": "kparity.suites.rajaperf"}  # there even where the distribution is not installed


def suites() -> tuple[str, ...]:
    """Return the names of the suites that are installed. None of them is imported for it."""
    return tuple(sorted({*BUILT_IN, *(point.name for point in entry_points(group=ENTRY_POINTS))}))


def entries(suite: str | Path = "rajaperf") -> Entries:
    """Find the kernels of a suite.

    Imports the kernel files, which compiles nothing.

    Parameters
    ----------
    suite : str or Path
        A name that `suites` returns, or a folder.

    Returns
    -------
    Entries
        The kernels in the order of groups and file names; files that cannot be used are in its `broken`.

    Raises
    ------
    SuiteError
        There is no such suite, it cannot be imported, or it has no kernel files.
    """
    importlib.invalidate_caches()  # files may be newer than the import system's listing of their folder
    name, package = _package(suite)
    usable: dict[str, Entry] = {}
    broken: list[BrokenKernel] = []
    for group, path in _kernel_files(package):
        found = _load(name, package, group, path)
        if isinstance(found, Entry) and (taken := usable.get(found.full_name)):
            found = BrokenKernel(path, _line_of_spec(path), f"`{found.full_name}` is the name of {taken.path} already")
        if isinstance(found, BrokenKernel):
            broken.append(found)
        else:
            usable[found.full_name] = found
    if not usable and not broken:
        raise SuiteError(f"suite `{name}`: no kernel files `<group>/<kernel>.py` in {', '.join(package.__path__)}")
    return Entries(tuple(usable[name] for name in sorted(usable)), broken)


def _package(suite: str | Path) -> tuple[str, ModuleType]:
    """Return a suite's name and the package, or stand-in for one, that holds its groups."""
    if isinstance(suite, str) and suite in suites():
        return suite, _registered(suite)
    folder = Path(suite)
    if folder.is_dir():
        folder = folder.resolve()
        return folder.name, _folder_package(folder)
    if isinstance(suite, Path) or os.sep in suite:
        raise SuiteError(f"no suite at {suite}: it is not a folder")
    raise SuiteError(f"no suite `{suite}`: there are {', '.join(suites())}; a folder may be given by its path")


def _registered(name: str) -> ModuleType:
    points = [point for point in entry_points(group=ENTRY_POINTS) if point.name == name]
    target = points[0].value if points else BUILT_IN[name]
    try:
        package = points[0].load() if points else importlib.import_module(target)
    except Exception as error:
        raise SuiteError(f"suite `{name}`: importing {target} failed: {type(error).__name__}: {error}") from error
    if not isinstance(package, ModuleType) or not hasattr(package, "__path__"):
        raise SuiteError(f"suite `{name}`: {target} is not a package")
    return package


def _folder_package(folder: Path) -> ModuleType:
    """Make a package of a folder, whether it has an `__init__.py` or not, under a name that nothing else has."""
    name = f"kparity_suite_{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    initial = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(name, initial, submodule_search_locations=[str(folder)])
    assert spec and spec.loader
    package = sys.modules[name] = importlib.util.module_from_spec(spec)
    if not initial.exists():
        return package
    try:
        spec.loader.exec_module(package)
    except Exception as error:
        del sys.modules[name]
        raise SuiteError(f"{initial}:{_fault_line(error, initial)}: {_fault(error)}") from error
    return package


def _kernel_files(package: ModuleType) -> Iterator[tuple[str, Path]]:
    for root in map(Path, package.__path__):
        for path in sorted(root.glob("*/*.py")):
            if not (path.name.startswith("_") or path.parent.name.startswith(("_", "."))):
                yield path.parent.name, path


def _load(suite: str, package: ModuleType, group: str, path: Path) -> Entry | BrokenKernel:
    for part in (group, path.stem):
        if not part.isidentifier():
            return BrokenKernel(
                path, 1, f"`{part}` cannot be imported by that name: use letters, digits and underscores"
            )
    try:
        module = importlib.import_module(f"{package.__name__}.{group}.{path.stem}")
    except (Exception, SystemExit) as error:
        return BrokenKernel(path, _fault_line(error, path), _fault(error))
    spec = getattr(module, "SPEC", None)
    if spec is None:
        return BrokenKernel(path, 1, "the file defines no `SPEC`: end it with `SPEC = Spec(...)` (from kparity.suites)")
    if not isinstance(spec, Spec):
        return BrokenKernel(path, _line_of_spec(path), f"`SPEC` is a {type(spec).__name__}, not a kparity.suites.Spec")
    fill = getattr(package, "Fill", Fill)
    published = getattr(package, "expected_checksum", never_published)
    return Entry(spec, suite, group.capitalize(), path, fill, published)


def _fault(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _fault_line(error: BaseException, path: Path) -> int:
    """Line of `path` that an error came from: a syntax error's, or the innermost one of the traceback."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno or 1
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return lines[-1] or 1 if lines else 1


def _line_of_spec(path: Path) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.startswith("SPEC")), 1)
