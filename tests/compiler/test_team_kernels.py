"""The interpreter's meaning of teams is NumPy's."""

from __future__ import annotations

import pytest

from .interpreter import interpret
from .team_kernels import CASES, assert_computed


@pytest.mark.parametrize("name", CASES)
def test_the_interpreter_computes_what_numpy_does(name: str) -> None:
    case = CASES[name]
    assert_computed(case, interpret(case.kernel(), case.arguments()))
