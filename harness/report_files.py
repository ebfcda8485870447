"""The files that a campaign's report consists of, format by format."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from . import csv_export, frame, hatchet_export, json_export, markdown_export, rajaperf_files, report
from .journal import explained
from .records import Campaign

HTML = "report.html"
Files = Mapping[str, str | bytes]
FORMATS: dict[str, Callable[[Campaign], Files]] = {
    "html": lambda campaign: {HTML: report.render(campaign)},
    "csv": lambda campaign: {"results.csv": csv_export.render(campaign)},
    "markdown": lambda campaign: {"report.md": markdown_export.render(campaign)},
    "json": lambda campaign: {"report.json": json_export.render(campaign)},
    "rajaperf": rajaperf_files.render,
}
TABLES: dict[str, Callable[[Campaign], Files]] = {  # for other programs; written when asked for
    "samples": lambda campaign: {"samples.csv": frame.frame(campaign).to_csv(index=False)},
    "parquet": lambda campaign: {"samples.parquet": frame.parquet(campaign)},
    "hatchet": lambda campaign: {"hatchet.json": hatchet_export.render(campaign)},
}
WRITERS = FORMATS | TABLES


def write_report(campaign: Campaign, folder: Path, formats: Iterable[str] = tuple(FORMATS)) -> list[Path]:
    """Write a campaign's report.

    Parameters
    ----------
    campaign : Campaign
    folder : Path
        Created if need be; files of an earlier report are replaced, each at once.
    formats : iterable of str
        Keys of `WRITERS`; all of `FORMATS` if not given.

    Returns
    -------
    list of Path
        What was written, in the order of `formats`.

    Raises
    ------
    FolderError, DiskFull
        The folder cannot be created or written.
    """
    written = []
    for name in formats:
        for path, content in WRITERS[name](campaign).items():
            written.append(folder / path)
            replace_file(written[-1], content)
    return written


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader finds the old text or the new one, never a part."""
    with explained(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
        try:
            with open(handle, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
            os.chmod(draft, 0o644)
            os.replace(draft, path)
        except OSError:
            os.unlink(draft)  # a full disk needs its space back
            raise
