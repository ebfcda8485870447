"""A file that is not Python is a diagnostic with a place."""

from __future__ import annotations

import ast

import pytest

from kparity.compiler.diagnostics.render import render
from kparity.compiler.diagnostics.syntax_error import syntax_error


def rendered(text: str) -> str:
    with pytest.raises(SyntaxError) as caught:
        ast.parse(text)
    return render(syntax_error("f.py", text, caught.value))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("def f(x)\n    pass\n", "--> f.py:1:9"),
        ("x = 1\nif x:\nprint(x)\n", "--> f.py:3:1"),
        ("def f():\n    y = (1,\n", "--> f.py:2:9"),
        ("温度 = 'open\n", "--> f.py:1:6"),
        ("def f():\n\tx = 1\n        y = 2\n", "--> f.py:3:"),
    ],
)
def test_place(text: str, place: str) -> None:
    shown = rendered(text)
    assert place in shown
    assert "^ Python's parser stops here" in shown or "^^ Python's parser stops here" in shown


def test_message_is_in_the_house_style() -> None:
    assert rendered("y = (1,\n").splitlines()[0] == "error[KP0001]: not valid Python: `(` was never closed"


def test_error_without_a_place() -> None:
    assert "--> f.py\n" in render(syntax_error("f.py", "", SyntaxError("encoding problem: utf-9")))
