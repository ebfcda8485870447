"""Where the text of a kernel comes from: files, reloads, closures, decorators, notebooks."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kparity.compiler import CompileError, Kernel, KparityError, kernel

from ..sources import module

TEXT = '''\
"""A module."""
from kparity.compiler import Mut, f64, kernel, parallel


@kernel
def scale(y: Mut[f64, "n"]):
    for i in parallel(n):
        y[i] *= 2.0
'''


def load(path: Path, text: str, newline: str = "\n") -> Any:
    path.write_text(text, encoding="utf-8", newline=newline)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def result(one: Kernel) -> float:
    y = np.ones(3)
    one(y)
    return float(y[0])


def test_a_file(tmp_path: Path) -> None:
    made = load(tmp_path / "scales.py", TEXT)
    source = made.scale.syntax.source
    assert (source.path, source.first_line) == (str(tmp_path / "scales.py"), 5)
    assert source.lines == tuple(TEXT.splitlines()[4:])
    assert result(made.scale) == 2.0


def test_lines_that_end_as_on_windows(tmp_path: Path) -> None:
    made = load(tmp_path / "dos.py", TEXT.replace("y[i] *= 2.0", "y[i] *= wrong"), newline="\r\n")
    assert b"\r\n" in (tmp_path / "dos.py").read_bytes()
    assert made.scale.syntax.source.lines[-1] == "        y[i] *= wrong"
    with pytest.raises(CompileError, match=r"unknown name `wrong`") as caught:
        assert made.scale.typed
    assert "\r" not in str(caught.value)


def test_what_was_imported_is_compiled_not_what_the_file_says_later(tmp_path: Path) -> None:
    made = load(tmp_path / "edited.py", TEXT)
    (tmp_path / "edited.py").write_text(TEXT.replace("2.0", "3.0"), encoding="utf-8")
    linecache.checkcache()
    assert result(made.scale) == 2.0


def test_a_module_loaded_again_has_its_new_text(tmp_path: Path) -> None:
    assert result(load(tmp_path / "again.py", TEXT).scale) == 2.0
    assert result(load(tmp_path / "again.py", TEXT.replace("2.0", "30.0")).scale) == 30.0


def test_a_deleted_file(tmp_path: Path) -> None:
    made = load(tmp_path / "gone.py", TEXT)
    (tmp_path / "gone.py").unlink()
    linecache.clearcache()
    assert result(made.scale) == 2.0


def test_text_without_a_file_says_what_to_do() -> None:
    names: dict[str, Any] = {}
    exec(TEXT, names)
    with pytest.raises(KparityError, match="define them with `def` in a file"):
        assert names["scale"].typed


def test_kernels_of_one_name_in_one_module() -> None:
    made = module("""
        kernels = []
        for factor in (2.0, 3.0):
            @kernel
            def scale(y: Mut[f64, "n"]):
                for i in parallel(n):
                    y[i] *= 5.0
            kernels.append(scale)

        @kernel
        def scale(y: Mut[f64, "n"]):
            for i in parallel(n):
                y[i] *= 7.0
        kernels.append(scale)
        """)
    assert [result(k) for k in made["kernels"]] == [5.0, 5.0, 7.0]


def test_kernels_in_functions_and_methods_of_their_closure() -> None:
    made = module('''
        def outer(factor):
            def inner():
                shift = 1.0

                @kernel
                def affine(y: Mut[f64, "n"]):
                    """Doc."""
                    for i in parallel(n):
                        """More."""
                        y[i] = factor * y[i] + shift
                return affine
            return inner()
        ''')["outer"]
    assert [result(made(f)) for f in (2.0, 10.0)] == [3.0, 11.0]


def noted(function: Any) -> Any:
    """A decorator that keeps a function's name and wraps it."""

    @functools.wraps(function)
    def wrapper(*arguments: Any) -> Any:
        return function(*arguments)

    return wrapper


def test_other_decorators() -> None:
    made = module(
        """
        @noted
        @kernel
        @noted
        @noted
        def scale(y: Mut[f64, "n"]):
            for i in parallel(n):
                y[i] *= 4.0
        """,
        noted=noted,
    )
    y = np.ones(2)
    made["scale"](y)
    assert y.tolist() == [4.0, 4.0]
    inner = made["scale"].__wrapped__
    assert isinstance(inner, Kernel) and inner.name == "scale" and inner.__doc__ is None


@pytest.mark.parametrize("thing", [len, int, 3, functools.partial(len)])
def test_only_functions_become_kernels(thing: Any) -> None:
    with pytest.raises(TypeError, match="@kernel stands above a function"):
        kernel(thing)


def test_a_kernel_keeps_its_name_and_documentation(tmp_path: Path) -> None:
    made = load(tmp_path / "documented.py", TEXT.replace("    for i", '    """Double."""\n    for i', 1))
    assert (made.scale.__name__, made.scale.__doc__) == ("scale", "Double.")
    assert repr(made.scale) == "<kernel documented.scale>"
    assert "documented" not in sys.modules
