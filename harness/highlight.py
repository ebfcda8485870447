"""Source text as HTML with its words marked."""

from __future__ import annotations

from html import escape

from pygments import highlight as _highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_LONGEST = {"python": 200_000, "cpp": 200_000}  # characters; beyond, plain text keeps the page usable
_LONGEST_LISTING = 4_000  # of generated code: a suite's listings in colour took 15 MB of a page


def highlighted(source: str, language: str) -> str:
    """Return HTML for a `pre`: escaped, with a span a word of interest (class names as Pygments has them, `t-` before).

    Parameters
    ----------
    source : str
        Any text.
    language : str
        A Pygments lexer: `python`, `cpp`, `ptx`, `gas`. An unknown one, or a very long text, is escaped only.
        Lines of a source language get a span each (class `l`), so that the page can number them.
    """
    if len(source) > _LONGEST.get(language, _LONGEST_LISTING):
        return escape(source)
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return escape(source)
    marked = str(_highlight(source, lexer, HtmlFormatter(nowrap=True, classprefix="t-")))
    if language not in _LONGEST:
        return marked
    # Pygments closes its spans at each line end, so lines can be wrapped.
    return "\n".join(f'<span class="l">{line}</span>' for line in marked.rstrip("\n").split("\n")) if source else ""
