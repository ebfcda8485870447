"""Seeded random arguments for the element-wise test, where published data is too regular to show an index error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kparity.suites import Entry, each

_INTEGERS = 1000  # magnitude of integer noise: sums of it stay far from the ends of 32 bits


def random_arguments(
    entry: Entry, size: int, rng: np.random.Generator, template: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """Return random arguments of a kernel.

    Parameters
    ----------
    entry : Entry
        Its spec's own `random` is used if it has one.
    size : int
        Requested problem size.
    rng : numpy.random.Generator
    template : mapping, optional
        Initial data of that size, if it was made already; it is not changed.

    Returns
    -------
    mapping
        By default the initial data with noise in [-1, 1) in every float array, and in [-1000, 1000) in every 32-bit
        integer array; scalars, 64-bit integers (indices) and booleans stay what they are.
    """
    if entry.spec.random is not None:
        return entry.spec.random(size, rng)
    initial = entry.arguments(size) if template is None else template
    return {name: each(lambda a: _noise(a, rng), value) for name, value in initial.items()}


def _noise(value: Any, rng: np.random.Generator) -> Any:
    if value.dtype.kind == "f":
        noise = rng.random(value.shape, dtype=value.dtype.type)
        noise *= 2
        noise -= 1
        return noise
    if value.dtype.kind in "iu" and value.dtype.itemsize == 4:
        return rng.integers(0 if value.dtype.kind == "u" else -_INTEGERS, _INTEGERS, value.shape, value.dtype.type)
    return value
