"""Structs, tables, packs, layouts and bools as parameters, on every target against the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..sources import kernel
from .parameter_cases import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.__name__)
def test_kinds_of_parameters(case: Any, agree: Any) -> None:
    case(agree)


def test_a_bool_is_any_byte_that_is_not_zero(run: Any) -> None:
    one = kernel(
        'def k(y: Out[i32, "n"], m: Ref[bool, "n"]):\n    for i in parallel(n):\n        y[i] = 1 if m[i] else 0'
    )
    m = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    assert run(one, y=np.zeros(4, np.int32), m=m)["y"].tolist() == [0, 1, 1, 1]
