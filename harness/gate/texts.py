"""The gate's verdict for people, pull requests and CI servers: plain text, Markdown, JSON, JUnit XML."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

from ..markdown_export import markdown_table
from .findings import Finding, State, Verdict

HEADINGS: dict[State, str] = {
    "regression": "regression", "undecided": "cannot judge", "note": "note", "ok": "ok",
}  # fmt: skip
ANSWERS: dict[State, str] = {
    "ok": "passed", "regression": "regression", "undecided": "cannot judge", "note": "passed",
}  # fmt: skip


def lines(verdict: Verdict) -> Iterator[str]:
    """Yield the plain text: what ends the gate first, what passed as a number."""
    for obstacle in verdict.obstacles:
        yield f"cannot judge: {obstacle}"
    for state in ("regression", "undecided", "note"):
        for finding in verdict.of(state):
            yield f"{HEADINGS[finding.state]}: {finding.title}: {finding.message}"
            yield from (f"    {cause}" for cause in finding.causes)
    if verdict.state != "ok":
        yield from (f"differs, {line}" for line in verdict.differs)
    yield headline(verdict)


def headline(verdict: Verdict) -> str:
    """Return the answer in one line."""
    counts = verdict.counts
    parts = [f"{counts[state]} {words}" for state, words in HEADINGS.items() if counts[state] and state != "note"]
    answer = f"gate: {ANSWERS[verdict.state]}; {verdict.campaign} against {verdict.baseline}"
    return f"{answer}: {', '.join(parts) or 'nothing judged'}"


def markdown(verdict: Verdict) -> str:
    """Return the summary for a pull request: what ends the gate in a table, everything folded away below."""
    sign = {"ok": "✅ Passed", "regression": "❌ Regression", "undecided": "⚠️ Cannot judge", "note": ""}[verdict.state]
    parts = [f"### Gate: {sign}", headline(verdict).removeprefix("gate: ") + "."]
    if verdict.obstacles:
        parts.append("\n".join(f"- cannot judge: {text}" for text in verdict.obstacles))
    notable = [*verdict.of("regression"), *verdict.of("undecided")]
    if notable:
        parts.append(markdown_table(["", "kernel", "target, size", "what", "cause"], [_row(f) for f in notable]))
    if verdict.differs:
        parts.append("What differs:\n\n" + "\n".join(f"- `{line}`" for line in verdict.differs))
    rest = markdown_table(["", "kernel", "target, size", "what", "cause"], [_row(f) for f in verdict.findings])
    parts.append(f"<details><summary>All {len(verdict.findings)} findings</summary>\n\n{rest}\n\n</details>")
    return "\n\n".join(parts) + "\n"


def json_text(verdict: Verdict) -> str:
    """Return strict JSON."""
    value = {
        "state": verdict.state, "campaign": verdict.campaign, "baseline": verdict.baseline,
        "obstacles": list(verdict.obstacles), "differs": list(verdict.differs),
        "findings": [
            {"kernel": f.kernel, "place": f.place, "rule": f.rule, "state": f.state, "message": f.message,
             "causes": list(f.causes)} for f in verdict.findings
        ],
    }  # fmt: skip
    return json.dumps(value, indent=1, allow_nan=False) + "\n"


def junit(verdict: Verdict) -> str:
    """Return JUnit XML: a regression is a failure, what cannot be judged an error, a note a skipped test."""
    suite = ElementTree.Element("testsuite", name="kparity gate")
    for obstacle in verdict.obstacles:
        case = ElementTree.SubElement(suite, "testcase", classname="kparity.gate", name="comparable")
        ElementTree.SubElement(case, "error", message=_printable(obstacle))
    for finding in verdict.findings:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=f"kparity.gate.{finding.kernel}",
            name=f"{finding.rule} {finding.place}".strip(),
        )
        tag = {"regression": "failure", "undecided": "error", "note": "skipped"}.get(finding.state)
        if tag:
            element = ElementTree.SubElement(case, tag, message=_printable(finding.message))
            element.text = _printable("\n".join(finding.causes))
    counts = {tag: len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error", "skipped")}
    suite.attrib |= {
        "tests": str(len(suite)), "failures": str(counts["failure"]), "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
    }  # fmt: skip
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _row(finding: Finding) -> list[str]:
    return [HEADINGS[finding.state], finding.kernel, finding.place, finding.message, "; ".join(finding.causes)]


def _printable(text: str) -> str:
    """Return text without the control characters that XML cannot hold; a compiler's message may have some."""
    return "".join(c for c in text if c in "\t\n" or c >= " ")
