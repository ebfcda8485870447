"""`while`, `break`, `continue`, local arrays and device functions, against the interpreter."""

from __future__ import annotations

from typing import Any

import pytest

from ..sequential import CASES


@pytest.mark.parametrize("case", CASES)
def test_sequential_bodies(case: str, agree: Any) -> None:
    kernel, arguments = CASES[case]
    found = agree(kernel, **arguments())
    assert found["y"].any(), "the kernel computes nothing"
