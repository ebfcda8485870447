"""Writes the reports of a campaign into its folder."""

from __future__ import annotations

from pathlib import Path

from .journal import write_text
from .records import Campaign
from .report import render

HTML = "report.html"


def write_reports(campaign: Campaign, folder: Path) -> list[Path]:
    """Write the HTML report; returns the files written.

    Raises
    ------
    DiskFull, FolderError
        The folder cannot be written.
    """
    write_text(folder, HTML, render(campaign))
    return [folder / HTML]
