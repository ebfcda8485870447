"""A spec refuses what no kernel can have."""

from typing import Any

import pytest

from kparity.suites import Spec, Work

GOOD: dict[str, Any] = {
    "name": "X", "program": None, "size": 10, "repetitions": 2, "data": lambda n, fill: {}, "reference": lambda: None,
    "checksum": ("x", "s"), "scalars": ("s",), "tolerance": 0.0, "work": lambda n: Work(8 * n, 0, n),
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "two words"}, "'two words' is not made of letters, digits and underscores"),
        ({"name": ""}, "name: ''"),
        ({"checksum": "x"}, r'written `\("x",\)`'),
        ({"scalars": ("t",)}, "scalars: t not in checksum"),
        ({"part": {"y": lambda y: y[0]}}, "part: y not in checksum"),
        ({"size": 0}, "at least 1"),
        ({"repetitions": 0}, "at least 1"),
        ({"tolerance": -1.0}, "not negative"),
        ({"tolerance": float("nan")}, "not negative"),
        ({"rtol": -1e-9}, "not negative"),
    ],
)
def test_refused(change: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        Spec(**GOOD | change)


def test_defaults():
    spec = Spec(**GOOD)
    assert spec.actual_size(123) == 123
    assert (spec.features, spec.random, spec.rtol) == ((), None, 1e-12)


def test_repetitions_have_numbers_where_the_reference_asks_for_them():
    seen: list[int] = []
    Spec(**GOOD | {"reference": lambda repetition: seen.append(repetition)}).repeat({}, 3)
    Spec(**GOOD | {"reference": lambda repetition: seen.append(repetition)}).repeat({}, 2, first=5)
    Spec(**GOOD | {"reference": lambda x: x.append("called")}).repeat({"x": seen}, 2)
    assert seen == [0, 1, 2, 5, 6, "called", "called"]


def test_modified_and_atomic_bytes_move_twice():
    assert Work(bytes_read=16, bytes_written=8, flops=2, bytes_atomic=4).bytes_moved == 32
