"""The HTML page: whole, closed in itself, and never saying more than was measured."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from kparity.harness.records import Campaign
from kparity.harness.report import render

from .sample_campaign import KERNELS, SIZES, sample_campaign

VOID = {"meta", "br", "input", "link", "img", "hr", "wbr"}


class Page(HTMLParser):
    """Elements by id, references, and the text of each element with an id or in a table row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.rows: list[tuple[dict[str, str], str]] = []
        self._row: tuple[dict[str, str], list[str]] | None = None
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.references += [given[key] for key in ("href", "src", "data", "action") if key in given]
        if tag == "tr":
            self._row = (given, [])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """SVG's empty elements."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()
        if tag == "tr" and self._row:
            self.rows.append((self._row[0], " ".join(" ".join(self._row[1]).split())))
            self._row = None

    def handle_data(self, data: str) -> None:
        if self._row:
            self._row[1].append(data)


@pytest.fixture(scope="module")
def text() -> str:
    return render(sample_campaign())


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_is_well_formed_and_needs_nothing_from_outside(text: str, page: Page) -> None:
    assert all(reference.startswith("#") for reference in page.references)
    assert not re.search(r"https?://|@import|url\(", text)


def test_ids_are_unique_and_links_lead_somewhere(page: Page) -> None:
    assert len(page.ids) == len(set(page.ids))
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert set(KERNELS) <= set(page.ids)


def test_head_line_counts_every_verdict(text: str) -> None:
    heading = " ".join(re.findall(r"<h1>(.*?)</h1>", text, re.S)[0].split())
    numbers = [int(n) for n in re.findall(r"\d+", heading)]
    assert heading.startswith(f"{numbers[0]} of 96 comparisons at parity")
    assert sum(numbers) - 96 == 96, heading


def row(
    page: Page, kernel: str, target: str, size: int = SIZES[0], clock: str = "device"
) -> tuple[dict[str, str], str]:
    wanted = {"data-kernel": kernel.lower(), "data-target": target, "data-size": str(size), "class": f"clock {clock}"}
    return next((given, shown) for given, shown in page.rows if wanted.items() <= given.items())


def test_undecided_is_not_parity(page: Page) -> None:
    given, shown = row(page, "Basic_IF_QUAD", "cpu")
    assert given["data-verdict"] == "undecided"
    assert "undecided" in shown and "parity" not in shown


@pytest.mark.parametrize(
    ("kernel", "target", "why"),
    [("Lcals_HYDRO_1D", "cpu1", "checked wrong"), ("Basic_TRAP_INT", "cuda", "native failed")],
)
def test_a_failed_cell_has_no_ratio_and_says_why(page: Page, kernel: str, target: str, why: str) -> None:
    given, shown = row(page, kernel, target)
    assert given["data-verdict"] == "none"
    assert why in shown and "no verdict" in shown
    assert not re.search(r"\b[01]\.\d{3}\b(?! [mµn]?s)", shown), shown


def test_messages_sources_and_code_are_escaped_and_whole(text: str) -> None:
    assert "<- not markup" not in text
    shown = unescape(re.sub(r"<[^>]+>", "", text))
    assert '# <- not markup & "quoted"' in shown
    assert '1 error detected in the compilation of "trap_int.cpp".' in shown
    assert "fma.rn.f64 %fd2, %fd1, %fd1, %fd1;" in shown


def test_evidence_guards_and_unsafe_are_shown(text: str) -> None:
    assert "different threads write different i" in text
    assert "largest index lpz + jp + kp must be &lt; nn" in text
    safety = re.sub(r"\s+", " ", text.split('id="safety"')[1].split("</section>")[0])
    assert "<p>None.</p>" in safety


def test_uses_of_unsafe_are_listed() -> None:
    campaign = sample_campaign(walks=1, faults=False, sizes=SIZES[:1])
    proof = {"obligation": "race", "access": "a[p[i]]", "tier": 5, "detail": "p is a permutation <by>", "line": 3}
    facts = {**campaign.kernels["Stream_ADD"], "evidence": [proof]}
    text = render(replace(campaign, kernels={**campaign.kernels, "Stream_ADD": facts}))
    safety = text.split('id="safety"')[1].split("</section>")[0]
    assert "p is a permutation &lt;by&gt;" in safety and "None." not in safety


def test_quick_mode_says_that_it_gives_no_verdict() -> None:
    text = render(sample_campaign(walks=1, faults=False, sizes=SIZES[:1]))
    assert "No verdicts." in text
    given = [given for given, _ in Page(text).rows if "data-verdict" in given]
    assert {g["data-verdict"] for g in given} == {"none"}
    assert "48 comparisons, no verdicts" in " ".join(text.split())


@pytest.mark.parametrize(
    "campaign",
    [
        Campaign("empty", {}, [], {}),
        Campaign("only-kernels", {}, [], {"Stream_ADD": {"source": "x"}}),
        replace(sample_campaign(walks=1, sizes=SIZES[:1]), kernels={}, provenance={}),
        replace(
            sample_campaign(walks=1, sizes=SIZES[:1]),
            records=[replace(r, device_seconds=[]) for r in sample_campaign(walks=1, sizes=SIZES[:1]).records],
        ),
    ],
    ids=["empty", "no-records", "no-facts", "no-device-clock"],
)
def test_what_is_missing_does_not_break_the_page(campaign: Campaign) -> None:
    assert Page(render(campaign)).ids


def test_the_same_campaign_gives_the_same_page(text: str) -> None:
    assert render(sample_campaign()) == text
