"""No module of kparity is imported a second time under another name (`compiler.…` beside `kparity.compiler.…`).

Runs last (tests/conftest.py), so it sees what every other test has imported.
"""

from __future__ import annotations

import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]


def names_by_file() -> dict[Path, list[str]]:
    """Names under which each source file of the mapped folders is imported now."""
    roots = [ROOT / folder for folder in FOLDERS.values()]
    found = defaultdict(list)
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and any((path := Path(file).resolve()).is_relative_to(root) for root in roots):
            found[path].append(name)
    return found


def expected_name(path: Path) -> str:
    for package, folder in FOLDERS.items():
        if path.is_relative_to(ROOT / folder):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            return ".".join((package, *parts)).removesuffix(".__init__")
    raise AssertionError(path)


def test_each_file_is_imported_under_its_one_name() -> None:
    import kparity.compiler  # noqa: F401  (so that the test says something when it runs alone)

    imported = names_by_file()
    assert ROOT / "compiler" / "__init__.py" in imported, "the tests import another copy of kparity than this one"
    wrong = {str(path): names for path, names in imported.items() if names != [expected_name(path)]}
    assert not wrong


def test_top_level_names_stay_free() -> None:
    assert not {folder for folder in FOLDERS.values() if folder in sys.modules}
