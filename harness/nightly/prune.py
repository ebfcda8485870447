"""Old nights go: the newest are kept, and the first of each month."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from .steps import PREFIX

_NIGHT = re.compile(re.escape(PREFIX) + r"(\d{6})\d{2}-\d{6}")


def superfluous(names: Sequence[str], keep: int, *, monthly: bool) -> list[str]:
    """Return which nights are to be removed, the oldest first; names that are no night's are left alone.

    Examples
    --------
    >>> names = [f"night-202611{day:02}-020000" for day in (1, 2, 3, 4)]
    >>> superfluous(names, 2, monthly=True)
    ['night-20261102-020000']
    """
    nights = sorted(name for name in names if _NIGHT.fullmatch(name))
    first: dict[str, str] = {}
    for name in nights:
        first.setdefault(name[len(PREFIX) : len(PREFIX) + 6], name)
    kept = {*nights[-keep:], *(first.values() if monthly else ())}
    return [name for name in nights if name not in kept]


def prune(top: Path, keep: int, *, monthly: bool) -> list[str]:
    """Remove superfluous nights below a folder, and return their names."""
    names = [path.name for path in top.iterdir() if path.is_dir() and not path.is_symlink()]
    gone = superfluous(names, keep, monthly=monthly)
    for name in gone:
        shutil.rmtree(top / name)
    return gone
