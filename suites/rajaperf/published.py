"""The checksums that RAJAPerf itself computes.

`published_checksums.csv` holds the values of the variant Base_Seq in its default tuning, as the suite prints them, for
all 82 kernels after one and after three repetitions. They come from RAJAPerf develop 4837fb88, g++ 12.2 -O3 on x86-64
without fused multiply-add, one process; every run passed the suite's own checks.
"""

from __future__ import annotations

import csv
from decimal import Decimal
from functools import cache
from importlib.resources import files


def expected_checksum(full_name: str, size: int, repetitions: int) -> Decimal | None:
    """Return RAJAPerf's own checksum, to 20 digits.

    Parameters
    ----------
    full_name : str
        Group and kernel, `Stream_TRIAD`.
    size : int
        Requested size; 1,000, 10,000, 100,000, 1,000,000 and the kernel's default are there.
    repetitions : int
        From freshly initialised data; 1 and 3 are there.

    Returns
    -------
    Decimal or None
        None where no value was published.
    """
    return _table().get((full_name, size, repetitions))


@cache
def _table() -> dict[tuple[str, int, int], Decimal]:
    text = files(__package__).joinpath("published_checksums.csv").read_text(encoding="ascii")
    return {
        (row["kernel"], int(row["size"]), repetitions): Decimal(row[f"after_{repetitions}"])
        for row in csv.DictReader(text.splitlines())
        for repetitions in (1, 3)
    }
