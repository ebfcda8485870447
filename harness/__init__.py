"""kparity's harness: plans, runs, verifies, records and reports.

The command line is `kparity.harness.cli`; this is the front door for Python.

>>> import kparity.harness as kh                # doctest: +SKIP
>>> frame = kh.load("kparity-results/nightly")  # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

    from .records import Campaign

__all__ = ["load", "load_campaign"]


def load(path: str | Path) -> pandas.DataFrame:
    """Read a campaign's folder into a table.

    Parameters
    ----------
    path : str or Path
        Folder that `kparity run` wrote.

    Returns
    -------
    pandas.DataFrame
        As `kparity.harness.frame.load` describes it.

    Raises
    ------
    FolderError
        The folder holds no campaign.
    """
    from . import frame  # pandas takes a second to import: not for every command

    return frame.load(path)


def load_campaign(path: str | Path) -> Campaign:
    """Read a campaign's folder into records; raises FolderError if it holds none."""
    from .journal import load as load_records

    return load_records(path)
