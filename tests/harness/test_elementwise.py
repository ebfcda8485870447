from __future__ import annotations

import numpy as np
import pytest

from kparity.harness.elementwise import compare_arrays, compare_inputs

BEFORE = np.zeros((2, 3))


def test_equal_arrays_have_no_error() -> None:
    want = np.arange(6.0).reshape(2, 3)
    assert compare_arrays("y", want.copy(), want, BEFORE, 1e-12).message == ""
    assert compare_arrays("y", want.copy(), want, BEFORE, 0.0).error == 0.0


def test_the_error_is_in_units_of_the_tolerance_of_the_largest_magnitude() -> None:
    want = np.array([0.0, 1.0, 1000.0])
    got = want + np.array([0.0, 4e-10, 0.0])
    found = compare_arrays("y", got, want, np.zeros(3), 1e-12)
    assert found.error == pytest.approx(0.4, rel=1e-5)
    assert found.message == ""


def test_a_wrong_element_is_named_with_both_values() -> None:
    want = np.ones((3, 700_000))
    got = want.copy()
    got[2, 5] = 2.5
    found = compare_arrays("y", got, want, want, 1e-12)
    assert found.error > 1
    assert found.message == "`y` at [2, 5] is 2.5, the NumPy reference has 1.0"


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_never_passes_on_either_side(poison: float) -> None:
    want, got = np.ones(4), np.ones(4)
    got[3] = poison
    assert "[3]" in compare_arrays("y", got, want, want, 1e-3).message
    both = compare_arrays("y", got, got.copy(), want, 1e-3)
    assert both.message
    assert np.isfinite(both.error)  # a record is plain JSON


def test_poison_in_the_initial_content_does_not_widen_the_tolerance() -> None:
    want = np.ones(3)
    found = compare_arrays("y", want + 1e-9, want, np.full(3, np.inf), 1e-12)
    assert found.error == pytest.approx(1000, rel=1e-3)


def test_zero_tolerance_means_equal() -> None:
    want = np.ones(3)
    assert compare_arrays("y", np.nextafter(want, 2), want, want, 0.0).message


def test_integers_must_be_equal() -> None:
    want = np.array([1, 2, 2**31 - 1], np.int32)
    got = want.copy()
    assert compare_arrays("y", got, want, want, 1e-3).error == 0
    got[1] += 1
    assert "[1] is 3, the NumPy reference has 2" in compare_arrays("y", got, want, want, 1.0).message


def test_another_shape_or_type_is_wrong() -> None:
    assert "shape" in compare_arrays("y", np.ones(3), np.ones(4), np.ones(4), 1.0).message
    assert "float32" in compare_arrays("y", np.ones(3, np.float32), np.ones(3), np.ones(3), 1.0).message


def test_inputs_are_compared_bit_by_bit() -> None:
    before = {"x": np.array([[1.0, np.nan], [0.0, 4.0]])}
    assert compare_inputs(before, {"x": before["x"].copy()}) == ""
    changed = before["x"].copy()
    changed[1, 0] = -0.0
    assert compare_inputs(before, {"x": changed}) == "the input `x` was changed at [1, 0]"
