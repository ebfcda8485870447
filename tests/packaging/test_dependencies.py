"""What the product imports is what it declares: a library that another one happens to bring is not enough."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FOLDERS: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]
OPTIONAL = {"cupy": "cuda", "mpi4py": "mpi", "parsl": "cluster"}  # modules that come with an extra


def normalised(requirement: str) -> str:
    """Name of a requirement, as package indexes compare it."""
    name = re.split(r"[\s<>=!~\[;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def nodes_of(root: ast.AST, in_functions: bool) -> Iterator[ast.AST]:
    yield root
    for child in ast.iter_child_nodes(root):
        if in_functions or not is_later(child):
            yield from nodes_of(child, in_functions)


def is_later(node: ast.AST) -> bool:
    """Whether importing the file does not execute what is inside: a function, or what type checkers alone see."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def third_party_imports(*, in_functions: bool = True) -> dict[str, set[str]]:
    """Top-level modules from outside, with the files that import them, or import them when they are imported."""
    found: dict[str, set[str]] = {}
    for folder in FOLDERS.values():
        for path in (ROOT / folder).rglob("*.py"):
            for node in nodes_of(ast.parse(path.read_text(encoding="utf-8")), in_functions):
                match node:
                    case ast.Import(names=names):
                        modules = [alias.name for alias in names]
                    case ast.ImportFrom(module=str(module), level=0):
                        modules = [module]
                    case _:
                        continue
                for top in {module.split(".")[0] for module in modules} - sys.stdlib_module_names - {"kparity"}:
                    found.setdefault(top, set()).add(str(path.relative_to(ROOT)))
    return found


def test_every_import_is_a_declared_dependency() -> None:
    declared = {normalised(requirement) for requirement in PROJECT["project"]["dependencies"]}
    providers = packages_distributions()
    undeclared = {}
    for module, files in third_party_imports().items():
        if module in OPTIONAL:
            assert any(
                normalised(requirement).startswith(module)
                for requirement in PROJECT["project"]["optional-dependencies"][OPTIONAL[module]]
            )
        elif not {normalised(name) for name in providers.get(module, [])} & declared:
            undeclared[module] = sorted(files)
    assert not undeclared


def test_every_declared_dependency_is_imported() -> None:
    providers = packages_distributions()
    used = {normalised(name) for module in third_party_imports() for name in providers.get(module, [])}
    declared = {normalised(requirement) for requirement in PROJECT["project"]["dependencies"]}
    assert declared - used == set()


def test_optional_modules_are_imported_where_they_are_used() -> None:
    """Without its extra the product still imports: only what needs the module fails."""
    assert third_party_imports().keys() >= OPTIONAL.keys()
    assert third_party_imports(in_functions=False).keys() & OPTIONAL.keys() == set()
