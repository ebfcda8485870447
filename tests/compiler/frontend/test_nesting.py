"""Kernels that are nested deeper than the compiler can follow are refused with their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kparity.compiler import CompileError
from kparity.harness.kernel_files import FileNotUsable, kernels_in

from ..sources import kernel

HEAD = 'def k(y: Mut[f64, "n"], x: Ref[f64, "n"]):\n    for i in parallel(n):\n'


def lines(count: int, first: str, more: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in (first, *[more] * count))


SUM = HEAD + f"        y[i] = 1.0\n        y[i] = {' + '.join(['x[i]'] * 700)}\n        y[i] = 2.0\n"
BRANCHES = (
    HEAD
    + "        if x[i] > 0.0:\n            y[i] = 1.0\n"
    + "        elif x[i] > 1.0:\n            y[i] = 2.0\n" * 500
)
VALUES = lines(400, "a = i", "a = min(a, i + n)") + "        y[a] = 1.0\n"


@pytest.mark.parametrize(("text", "line"), [(SUM, 5), (BRANCHES, 1005), (VALUES, 2)])
def test_too_deep_is_an_error_with_its_place(text: str, line: int) -> None:
    with pytest.raises(CompileError) as caught:
        assert kernel(text).proved
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.span.line) == ("KP0108", line)
    assert fault.message == "`k` is nested too deeply to be compiled"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + f"        y[i] = {' + '.join(['x[i]'] * 150)}\n",
        lines(3000, "y[i] = 0.0", "y[i] += x[i]"),
        lines(3000, "a = i", "a = a * 1 + 1") + "        y[min(a, n - 1) * 0 + i] = 1.0\n",
    ],
)
def test_long_is_not_deep(text: str) -> None:
    assert kernel(text).proved.kernel.name == "k"


def test_a_file_that_python_itself_cannot_read_is_said_to_be(tmp_path: Path) -> None:
    file = tmp_path / "deep.py"
    file.write_text(f"x = {'-' * 100_000}1\n")
    with pytest.raises(FileNotUsable, match=r"deep\.py"):
        kernels_in(file)
