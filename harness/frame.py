"""A campaign as a pandas table: one row a sample."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cell_summary import counts
from .errors import NotPossibleHere
from .journal import latest
from .journal import load as load_campaign
from .records import Campaign, Record

if TYPE_CHECKING:
    import pandas as pd


def load(path: str | Path) -> pd.DataFrame:
    """Read a campaign's folder.

    Parameters
    ----------
    path : str or Path
        The folder that `kparity run` wrote.

    Returns
    -------
    pandas.DataFrame
        As `frame` makes it.

    Raises
    ------
    FolderError
        The folder holds no campaign, or cannot be read.

    Examples
    --------
    >>> import kparity.harness as harness
    >>> samples = harness.load("results/night-17")  # doctest: +SKIP
    >>> samples.groupby(["kernel", "target", "variant"]).device_seconds.median()  # doctest: +SKIP
    """
    return frame(load_campaign(path))


def frame(campaign: Campaign) -> pd.DataFrame:
    """Return a campaign as a table.

    Returns
    -------
    pandas.DataFrame
        One row a sample of the last attempt at each cell and walk, with the columns `run`, `suite`, `kernel`, `target`,
        `size`, `actual_size`, `variant`, `tuning`, `walk`, `status`, `message`, `counts`, `repetitions`, `sample`,
        `device_seconds`, `wall_seconds` (seconds a repetition) and the kernel's declared `bytes_moved` and `flops`.
        A record without samples has one row with missing values, so that a failure does not vanish.
        `counts` is False where the walk takes no part in a mean: it failed, or the device was throttled.
    """
    import pandas as pd  # here: the command line must not wait for it

    from .comparison import compare

    work = {(c.kernel, c.target, c.size): (c.bytes_moved, c.flops) for c in compare(campaign)}
    rows = [row for record in latest(campaign.records) for row in _rows(record, work)]
    return pd.DataFrame(rows, columns=pd.Index(_COLUMNS)).astype(_TYPES)


def parquet(campaign: Campaign) -> bytes:
    """Return the table as a Parquet file.

    Raises
    ------
    NotPossibleHere
        pyarrow is not installed.
    """
    file = io.BytesIO()
    try:
        frame(campaign).to_parquet(file, engine="pyarrow", index=False)
    except ImportError as error:
        raise NotPossibleHere("Parquet files need pyarrow: pip install 'kparity[parquet]'") from error
    return file.getvalue()


def _rows(record: Record, work: dict[tuple[str, str, int], tuple[int | None, int | None]]) -> list[tuple[Any, ...]]:
    cell = record.cell
    moved, flops = work[cell.kernel, cell.target, cell.size]
    head = (
        record.run, cell.suite, cell.kernel, cell.target, cell.size, record.actual_size or cell.size, cell.variant,
        cell.tuning, record.walk, record.status, record.message, counts(record), record.repetitions,
    )  # fmt: skip
    device, wall = record.device_seconds, record.wall_seconds
    count = max(len(device), len(wall), 1)
    return [
        (*head, i, device[i] if i < len(device) else None, wall[i] if i < len(wall) else None, moved, flops)
        for i in range(count)
    ]


_TYPES = {
    "size": "int64", "actual_size": "int64", "walk": "int64", "counts": "bool", "repetitions": "int64",
    "sample": "int64", "device_seconds": "float64", "wall_seconds": "float64", "bytes_moved": "Int64", "flops": "Int64",
}  # fmt: skip
_COLUMNS = [
    "run", "suite", "kernel", "target", "size", "actual_size", "variant", "tuning", "walk", "status", "message",
    "counts", "repetitions", "sample", "device_seconds", "wall_seconds", "bytes_moved", "flops",
]  # fmt: skip
