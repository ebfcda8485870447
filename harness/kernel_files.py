"""The kernels and programs that one Python file declares."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import itertools
import sys
import tokenize
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from kparity.compiler import CompileError, Kernel, Program, syntax_error

from .errors import UsageError

_numbers = itertools.count()


class FileNotUsable(UsageError):
    """A file cannot be read, or importing it fails."""


def kernels_in(path: Path) -> list[Kernel | Program]:
    """Import a file and return the kernels and programs that it defines, in the order of their lines.

    Kernels whose compile-time integers have no value are not among them.

    Raises
    ------
    CompileError
        The file is not valid Python.
    FileNotUsable
        It cannot be read, or an exception ends its import.
    """
    _parse(path)
    module = _import(path)
    own = {
        id(value): value
        for value in vars(module).values()
        if isinstance(value, (Kernel, Program))
        and _is_defined_in(value, path)
        and not (isinstance(value, Kernel) and value.statics)  # proved where they are called, for the values given
    }
    return sorted(own.values(), key=lambda one: one.function.__code__.co_firstlineno)


def _is_defined_in(compiled: Kernel | Program, path: Path) -> bool:
    return Path(compiled.function.__code__.co_filename).resolve() == path.resolve()


def _parse(path: Path) -> None:
    text = ""
    try:
        with tokenize.open(path) as file:
            text = file.read()
        ast.parse(text, str(path))
    except SyntaxError as error:
        raise CompileError((syntax_error(str(path), text, error),)) from error
    except (RecursionError, MemoryError) as error:
        raise FileNotUsable(
            f"cannot read {path}: an expression in it is nested too deeply for Python; write several statements"
        ) from error
    except (OSError, ValueError) as error:  # ValueError: bytes that are not text
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileNotUsable(f"cannot read {path}: {reason}") from error


def _import(path: Path) -> ModuleType:
    try:
        # What the file prints is not this command's output.
        with contextlib.redirect_stdout(sys.stderr), _on_search_path(_import_root(path)):
            name = _installed_name(path)
            return importlib.import_module(name) if name else _import_alone(path)
    except (Exception, SystemExit) as error:
        raise FileNotUsable(f"cannot import {path}: {_where(error, path)}{type(error).__name__}: {error}") from error


def _import_alone(path: Path) -> ModuleType:
    """Import a file under a name that is nobody else's: two files may have one stem."""
    spec = importlib.util.spec_from_file_location(f"_checked_{next(_numbers)}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError("its name does not end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


def _installed_name(path: Path) -> str | None:
    """Return the dotted name of a file inside a package, so that its relative imports work; None outside of one."""
    root = _import_root(path)
    inner = path.resolve().relative_to(root).with_suffix("").parts
    if len(inner) == 1:
        return None
    name = ".".join(inner)
    for candidate in (f"kparity.{name}", name):  # kparity's own folders are mapped to another name
        if _spec_of_top(candidate, root / inner[0]):
            return candidate
    return None


def _spec_of_top(name: str, folder: Path) -> bool:
    parts = name.split(".")
    top = ".".join(parts[:2]) if parts[0] == "kparity" else parts[0]
    spec: ModuleSpec | None = importlib.util.find_spec(top)
    return spec is not None and str(folder) in [str(Path(p).resolve()) for p in spec.submodule_search_locations or ()]


def _import_root(path: Path) -> Path:
    """Return the folder that Python would search: the file's own, or that of the outermost package around it."""
    folder = path.resolve().parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


@contextlib.contextmanager
def _on_search_path(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _where(error: BaseException, path: Path) -> str:
    """Return the last line of the file itself that the exception passed through."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == path.resolve():
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"line {line}: " if line else ""
