"""A pytest plugin that plants a defect: one module of the compiler is another than its file says, in this process.

Loaded by `planted.py`, which names the defect in the environment; without that it does nothing.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType, ModuleType

ENVIRONMENT = "KPARITY_TEST_DEFECT"


@dataclass(frozen=True)
class Defect:
    """A change of the compiler's text that makes it unsound.

    Attributes
    ----------
    name : str
        What the compiler does wrong.
    module : str
        Below `kparity.compiler`.
    old, new : str
        `old` stands in the module exactly once.
    found_by : str
        A test that fails with it: file below `tests/`, and the rest of its name.
    """

    name: str
    module: str
    old: str
    new: str
    found_by: str

    def planted(self, source: str) -> str:
        """Return the module's text with the defect; raises ValueError if the text is not what it was."""
        if source.count(self.old) != 1 or self.old == self.new:
            raise ValueError(f"`{self.old}` stands {source.count(self.old)} times in {self.module}: adapt the defect")
        return source.replace(self.old, self.new)


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, defect: Defect) -> None:
        super().__init__(name, path)
        self.defect = defect

    def get_code(self, fullname: str) -> CodeType:
        """Compile the changed text, past the cache of compiled modules."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.defect.planted(self.get_data(path).decode()).encode(), path)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, defect: Defect) -> None:
        self.defect = defect

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != f"kparity.compiler.{self.defect.module}":
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        assert found is not None and found.origin is not None, f"{fullname} has no file"
        return importlib.util.spec_from_loader(fullname, _Loader(fullname, found.origin, self.defect))


def plant(defect: Defect) -> None:
    """Plant a defect in the module, which must not have been imported yet."""
    assert f"kparity.compiler.{defect.module}" not in sys.modules, "too late: the module is imported"
    sys.meta_path.insert(0, _Finder(defect))


if name := os.environ.get(ENVIRONMENT):
    from tests.compiler.checks.defects import DEFECTS

    plant(next(d for d in DEFECTS if d.name == name))
