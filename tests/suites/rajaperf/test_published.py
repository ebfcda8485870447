"""The published checksums are complete and found by requested size."""

from decimal import Decimal

import pytest

from kparity.suites import expected_checksum
from kparity.suites.rajaperf.published import _table


def test_all_82_kernels_are_there_at_every_size():
    sizes: dict[str, set[int]] = {}
    for kernel, size, repetitions in _table():
        assert repetitions in (1, 3)
        sizes.setdefault(kernel, set()).add(size)
    assert len(sizes) == 82
    assert all(found >= {1_000, 10_000, 100_000, 1_000_000} for found in sizes.values())
    assert len(_table()) == 2 * sum(map(len, sizes.values()))


def test_groups():
    groups: dict[str, int] = {}
    for name in {kernel for kernel, _, _ in _table()}:
        group = name.partition("_")[0]
        groups[group] = groups.get(group, 0) + 1
    assert groups == {"Algorithm": 8, "Apps": 20, "Basic": 20, "Comm": 5, "Lcals": 11, "Polybench": 13, "Stream": 5}


@pytest.mark.parametrize(
    ("kernel", "size", "repetitions", "expected"),
    [
        ("Basic_TRAP_INT", 1_000, 3, "26.425032066061231006"),
        ("Polybench_JACOBI_2D", 100_000, 1, "40296.077870529282698"),
        ("Stream_DOT", 1_000, 1, "19.993168800305785027"),  # the default tuning, not the compensated ones
        ("Algorithm_MEMCPY", 10_000, 1, "0"),
    ],
)
def test_values(kernel: str, size: int, repetitions: int, expected: str):
    assert expected_checksum(kernel, size, repetitions) == Decimal(expected)


def test_none_where_nothing_was_published():
    assert expected_checksum("Stream_DOT", 1_001, 1) is None
    assert expected_checksum("Stream_DOT", 1_000, 2) is None
    assert expected_checksum("Stream_NONE", 1_000, 1) is None
