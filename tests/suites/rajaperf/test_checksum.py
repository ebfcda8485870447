"""The checksum, against exact rational arithmetic; and its judgement."""

import math
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

from kparity.suites import Spec, Work, checksum, judge
from kparity.suites.rajaperf.checksum import BLOCK


def spec_of(*names: str, scalars: tuple[str, ...] = ()) -> Spec:
    return Spec(
        "X", program=None, size=1, repetitions=1, data=lambda n, fill: {}, reference=lambda: None,
        checksum=names, scalars=scalars, tolerance=0.0, work=lambda n: Work(0, 0, 0),
    )  # fmt: skip


def checksum_of(array: object) -> Decimal:
    return checksum(spec_of("x"), {"x": array})


def exactly(array: np.ndarray) -> Fraction:
    """The weights are defined in double arithmetic; the rest is exact."""
    total = Fraction(0)
    for j, x in enumerate(array.ravel().tolist()):
        v = (j + (0.5 if x < 0 else 1.0)) * 0.31830988618379067
        total += Fraction(v - math.floor(v) + 0.5) * abs(Fraction(x))
    return total


def to_digits(value: Fraction) -> Decimal:
    return Context(prec=20).divide(Decimal(value.numerator), Decimal(value.denominator))


@pytest.mark.parametrize("n", [1, 2, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 17])
def test_equals_the_exact_sum_to_every_digit(n: int):
    rng = np.random.default_rng(n)
    values = rng.standard_normal(n) * 10.0 ** rng.integers(-12, 12, n)
    assert checksum_of(values) == to_digits(exactly(values))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.uint64, np.bool_])
def test_other_types_enter_as_doubles(dtype: type):
    values = (np.arange(3000) % 7 - (0 if dtype in (np.uint64, np.bool_) else 3)).astype(dtype)
    assert checksum_of(values) == to_digits(exactly(values.astype(np.float64)))


def test_order_is_row_by_row_whatever_the_memory():
    values = np.random.default_rng(5).standard_normal((30, 40))
    assert checksum_of(np.asfortranarray(values)) == checksum_of(values) == checksum_of(values.ravel())
    assert checksum_of(values.T) != checksum_of(values)


def test_an_array_may_enter_in_part():
    table = np.random.default_rng(6).standard_normal((13, 40))
    spec = replace(spec_of("x"), part={"x": lambda x: x[0]})
    assert checksum(spec, {"x": table}) == checksum_of(table[0]) != checksum_of(table)


def test_sees_exchanged_elements_and_signs():
    values = np.linspace(1.0, 2.0, 100)
    exchanged = values.copy()
    exchanged[[3, 4]] = exchanged[[4, 3]]
    assert len({checksum_of(values), checksum_of(exchanged), checksum_of(-values)}) == 3


def test_negative_zero_counts_as_positive_and_the_array_is_left_alone():
    values = np.array([-0.0, -1.0, 2.0])
    assert checksum_of(values) == to_digits(exactly(values))
    assert values.tolist() == [0.0, -1.0, 2.0]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [0, BLOCK + 3, 2 * BLOCK - 1])
def test_what_is_not_finite_never_passes(value: float, place: int):
    values = np.ones(2 * BLOCK)
    values[place] = value
    result = checksum_of(values)
    assert result.is_nan()
    assert not judge(result, Decimal(1), 1e300).passed
    assert not judge(result, result, 1e300).passed


def test_a_scalar_that_is_not_finite_never_passes():
    assert checksum(spec_of("s", scalars=("s",)), {"s": np.array([math.nan])}).is_nan()


def test_scalars_enter_by_magnitude_in_order():
    arguments = {"x": np.array([2.0, 3.0]), "s": np.array([-7], np.int32), "t": 0.5}
    expected = to_digits(exactly(arguments["x"]) + Fraction(15, 2))
    assert checksum(spec_of("x", "s", "t", scalars=("s", "t")), arguments) == expected


def test_a_reduced_scalar_has_one_element():
    with pytest.raises(ValueError, match="one element, not 2"):
        checksum(spec_of("s", scalars=("s",)), {"s": np.zeros(2)})


def test_digits_are_printed_as_rajaperf_prints_them():
    assert f"{checksum(spec_of('s', scalars=('s',)), {'s': 132}):f}" == "132.00000000000000000"
    for nothing in (checksum_of(np.zeros(4)), checksum_of(np.zeros(0)), checksum(spec_of(), {})):
        assert f"{nothing:f}" == "0.0000000000000000000"


def test_relative_difference():
    assert judge(Decimal("1.5"), Decimal("1"), 0.0).relative_difference == 0.5
    assert judge(Decimal("0.5"), Decimal("-1"), 0.0).relative_difference == 1.5
    assert judge(Decimal("0.25"), Decimal("0"), 0.0).relative_difference == 0.25


@pytest.mark.parametrize(
    ("value", "tolerance", "passed"),
    [
        ("1.00000000005", 1e-10, True),
        ("1.00000000015", 1e-10, False),
        ("1.0000000000000000009", 0.0, True),  # the last two digits are the published sum's rounding
        ("1.0000000000000000011", 0.0, False),
        ("0.9999999999", 1e-14, False),
    ],
)
def test_judgement(value: str, tolerance: float, passed: bool):
    assert judge(Decimal(value), Decimal(1), tolerance).passed is passed
