"""Expected diagnostics, read from the comments of a file of kernels.

    x[i] = x[i + 1]  # error: [KP0401] "data race on `x`"

A comment behind code speaks of its own line, one alone on a line of the next line with code. The code must be the
diagnostic's, the quoted text must occur in its message; a number before the code is the column, from 1. Several
expectations stand behind each other. `# guard: "text"` expects a launch guard in the same way.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

from kparity.compiler import Diagnostic
from kparity.compiler.checks.proved import Guard

_EXPECTATION = re.compile(
    r'#\s*(?P<kind>error|guard):\s*(?:(?P<column>\d+)\s+)?(?:\[(?P<code>KP\d{4})\])?\s*(?:"(?P<text>[^"]*)")?\s*(?=#|$)'
)
_MEANT = re.compile(r"#\s*(error|guard)\b")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expected diagnostic or guard; `column` 0 and an empty `text` match anything."""

    kind: str  # `error` or `guard`
    line: int
    column: int
    code: str
    text: str

    def is_met_by(self, found: Diagnostic | Guard) -> bool:
        """Whether this is the diagnostic or guard that was expected."""
        if found.span.line != self.line or (self.column and found.span.column + 1 != self.column):
            return False
        if isinstance(found, Guard):
            return self.kind == "guard" and self.text in found.text
        return self.kind == "error" and self.code == found.code and self.text in found.message


def read_expectations(path: Path) -> list[Expectation]:
    """Return every expectation of a file, in the order of lines; raises ValueError for a malformed one."""
    text = path.read_text(encoding="utf-8")
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    code_lines = sorted({t.start[0] for t in tokens if t.type not in _NO_CODE and t.string.strip()})
    found: list[Expectation] = []
    for token in tokens:
        if token.type == tokenize.COMMENT and _MEANT.search(token.string):
            line = next(n for n in code_lines if n >= token.start[0])
            found.extend(_read_comment(token.string, line, path))
    return found


_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def _read_comment(comment: str, line: int, path: Path) -> list[Expectation]:
    matches = list(_EXPECTATION.finditer(comment))
    if "".join(m.group() for m in matches).rstrip() != comment.rstrip():
        raise ValueError(f"{path}:{line}: not an expectation: {comment}")
    if any((m["kind"] == "error") != bool(m["code"]) for m in matches):
        raise ValueError(f"{path}:{line}: an error needs a code, and a guard has none: {comment}")
    return [Expectation(m["kind"], line, int(m["column"] or 0), m["code"] or "", m["text"] or "") for m in matches]


def unmet(expected: list[Expectation], found: list[Diagnostic | Guard]) -> list[str]:
    """Return one line for each expectation without a diagnostic, and each diagnostic without an expectation."""
    left = list(found)
    problems: list[str] = []
    for one in expected:
        match = next((f for f in left if one.is_met_by(f)), None)
        if match is None:
            problems.append(f"line {one.line}: expected {one.kind} {one.code} {one.text!r}: it did not come")
        else:
            left.remove(match)
    return problems + [f"line {f.span.line}: unexpected {_shown(f)}" for f in left]


def _shown(found: Diagnostic | Guard) -> str:
    if isinstance(found, Guard):
        return f"guard: {found.text}"
    return f"error at column {found.span.column + 1}: [{found.code}] {found.message}"
