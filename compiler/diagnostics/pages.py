"""The page of each error code: `docs/errors`, which travels with the package as `error_pages`."""

from __future__ import annotations

import difflib
import re
from importlib.resources import files
from importlib.resources.abc import Traversable

from ..errors import KparityError


class UnknownCode(KparityError):
    """No page has this code; the message names the nearest ones."""


def error_codes() -> list[str]:
    """Return every error code, in order."""
    return sorted(page.name.removesuffix(".md") for page in _folder().iterdir() if page.name.startswith("KP"))


def error_page(code: str) -> str:
    """Return the page of an error code, in Markdown.

    Parameters
    ----------
    code : str
        `KP0401`; in lower case, without `KP` or without the leading zero as well.

    Raises
    ------
    UnknownCode
        There is no such code.
    """
    known = error_codes()
    wanted = normalise(code)
    if wanted not in known:
        same_group = [k for k in known if k[:4] == wanted[:4]]
        near = same_group or difflib.get_close_matches(wanted, known, n=3, cutoff=0.8)
        hint = f"; did you mean {', '.join(near)}?" if near else "; `kparity explain` lists the codes"
        raise UnknownCode(f"no error has the code `{code}`{hint}")
    return (_folder() / f"{wanted}.md").read_text(encoding="utf-8")


def error_title(code: str) -> str:
    """Return the title of a page, without the code."""
    return error_page(code).splitlines()[0].removeprefix(f"# {code}: ")


def normalise(code: str) -> str:
    """Spell a code as the pages are named, as far as it can be recognised."""
    match = re.fullmatch(r"\s*(?:kp)?(\d{1,4})\s*", code, re.IGNORECASE)
    return f"KP{int(match.group(1)):04}" if match else code.strip().upper()


def _folder() -> Traversable:
    return files(__package__) / "error_pages"
