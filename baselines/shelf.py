"""Folders of what is kept between runs."""

from __future__ import annotations

import os
from pathlib import Path

from kparity.compiler import KparityError


def shelf(name: str) -> Path:
    """Return a folder below `KPARITY_CACHE`, else below the user's cache folder; made if it is not there.

    Raises
    ------
    KparityError
        It cannot be made.
    """
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kparity"
    folder = Path(os.environ.get("KPARITY_CACHE") or user) / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = "set KPARITY_CACHE to a folder that can"
        raise KparityError(f"{folder} cannot be made ({error.strerror}): {remedy}") from error
    return folder
