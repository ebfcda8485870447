"""The bins of RAJAPerf's histograms: runs of random lengths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .fills import Fill


def bin_numbers(n: int, bins: int, fill: Fill) -> npt.NDArray[np.int64]:
    """Return the (n,) bin of each element: how many of the first `bins` - 1 random cuts lie at or before i / n.

    Takes one random array of `bins` numbers of the kernel's initial data.
    """
    cuts = np.sort(fill.random(bins))[:-1]
    return np.searchsorted(cuts, np.arange(n) / n, side="right").astype(np.int64)
