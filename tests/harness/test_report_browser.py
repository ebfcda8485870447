"""The pages in a browser: sorted, filtered, opened by mouse and keyboard, on a phone, in the dark, without a script."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kparity.harness.across.page import render as render_comparison
from kparity.harness.across.side_by_side import Side, side_by_side
from kparity.harness.report import render

from .sample_campaign import altered, own_sizes, sample_campaign

sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'kparity[browser]'")
KERNEL = "[data-filter=kernel]"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(sample_campaign()), encoding="utf-8")
    return path


@contextmanager
def opened(browser: Any, path: Path, place: str = "", **context: Any) -> Iterator[Any]:
    """Open a page; whatever it says on the console, raises or fetches is an error of the test."""
    page = browser.new_context(**context).new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: said.append(f"fetches {request.url}"))
    page.goto(f"{path.as_uri()}{place}")
    yield page
    assert said == [f"fetches {path.as_uri()}"]
    page.context.close()


def column(page: Any, name: str, section: str = "results") -> list[str]:
    """The visible texts of a column."""
    return page.evaluate(
        """([section, name]) => {
            const table = document.querySelector(`#${section} table`);
            const at = [...[...table.tHead.rows].at(-1).cells].findIndex(cell => cell.textContent.trim() === name);
            const shown = [...table.tBodies[0].rows].filter(row => row.offsetParent);
            return shown.map(row => row.cells[at].innerText.trim());
        }""",
        [section, name],
    )


def numbers(texts: list[str]) -> list[float]:
    return [float(text) for text in texts if text != "–"]


def test_sorts_by_mouse_and_by_keyboard_and_leaves_what_has_no_number_last(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        head = page.locator("#results thead button", has_text="Speedup")
        head.click()
        rising = column(page, "Speedup")
        assert numbers(rising) == sorted(numbers(rising)) and len(numbers(rising)) > 50
        assert rising[-1] == "–" and page.locator("#results th[aria-sort=ascending]").inner_text().startswith("Speedup")
        head.press("Enter")
        falling = column(page, "Speedup")
        assert numbers(falling) == sorted(numbers(rising), reverse=True) and falling[-1] == "–"
        page.locator("#results thead button", has_text="Kernel").press("Space")
        assert column(page, "Kernel") == sorted(column(page, "Kernel"))


def test_the_tables_of_tiers_and_code_sort_too_and_are_left_alone_by_the_filter(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        page.locator("#safety thead button", has_text="1 static").click()
        page.locator("#safety thead button", has_text="1 static").click()
        counts = numbers(column(page, "1 static", "safety"))
        assert counts == sorted(counts, reverse=True) and len(counts) == 16
        page.locator(KERNEL).fill("triad")
        assert len(column(page, "Kernel", "safety")) == 16


def test_filters_add_up_and_say_how_many_are_shown(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        every = len(column(page, "Kernel"))
        page.locator(KERNEL).fill("stream")
        found = column(page, "Kernel")
        assert found and all(name.startswith("Stream_") for name in found)
        page.locator("[data-filter=target]").select_option("cuda")
        assert set(column(page, "Target")) == {"cuda"}
        assert page.locator("#results output").inner_text() == f"{len(column(page, 'Kernel'))} of {every}"
        page.locator("[data-filter=verdict]").select_option("slower")
        assert set(column(page, "Verdict")) <= {"slower"}
        page.locator(KERNEL).fill("no such kernel")
        assert column(page, "Kernel") == []


def test_a_kernel_opens_from_its_row_by_its_address_and_by_keyboard(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        section = page.locator("#Stream_TRIAD")
        assert not section.evaluate("node => node.open")
        page.locator("#results a", has_text="Stream_TRIAD").first.click()
        assert section.evaluate("node => node.open")
        assert section.evaluate("node => Math.abs(node.getBoundingClientRect().top) < innerHeight / 2")
        assert section.get_by_text("Native baseline").is_visible()
        section.locator("> summary").press("Enter")
        assert not section.evaluate("node => node.open")
        page.get_by_role("button", name="Open all").click()
        assert page.locator("details.kernel[open]").count() == 16
    with opened(browser, report, "#Apps_VOL3D") as page:
        assert page.locator("#Apps_VOL3D").evaluate("node => node.open")


def test_the_clock_is_switched_for_cards_charts_and_table_at_once(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        before = column(page, "Speedup")
        page.get_by_role("button", name="Wall clock").click()
        assert page.locator("[data-set-clock=wall]").get_attribute("aria-pressed") == "true"
        assert column(page, "Speedup") != before and len(column(page, "Speedup")) == len(before)
        assert page.locator(".cards.device").is_hidden() and page.locator(".cards.wall").is_visible()


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_no_width_makes_the_page_itself_scroll_sideways(browser: Any, report: Path, width: int) -> None:
    with opened(browser, report, viewport={"width": width, "height": 800}) as page:
        page.get_by_role("button", name="Open all").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        wide = page.evaluate("""() => [...document.querySelectorAll("main *")].filter(node =>
            !node.closest(".scroll, pre, svg, figure") && node.getBoundingClientRect().right > innerWidth + 1
        ).map(node => node.outerHTML.slice(0, 90))""")
        assert wide == []


def test_a_phone_shows_the_verdict_beside_the_kernel(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(own_sizes(sample_campaign())), encoding="utf-8")
    with opened(browser, path, viewport={"width": 390, "height": 844}) as page:
        right = page.locator("#results tbody .verdict").first.evaluate("node => node.getBoundingClientRect().right")
        assert right <= 390
        assert page.locator("#results td.less").first.is_hidden()


ON_PAGES = ("text", "muted", "link", "faster", "parity", "slower", "bad")
IN_CODE = ("text", "comment", "string", "keyword", "number")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser: Any, report: Path, scheme: str) -> None:
    with opened(browser, report, color_scheme=scheme) as page:
        colours = page.evaluate(
            """names => {
                const root = getComputedStyle(document.documentElement);
                const probe = document.createElement("canvas").getContext("2d");
                return Object.fromEntries(names.map(name => {
                    probe.fillStyle = root.getPropertyValue("--" + name).trim();
                    return [name, probe.fillStyle];
                }));
            }""",
            ["page", "panel", "faint", *ON_PAGES, *IN_CODE],
        )
        assert (luminance(colours["page"]) < 0.1) == (scheme == "dark")
        for ground in ("page", "panel"):
            for name in ON_PAGES:
                assert contrast(colours[name], colours[ground]) >= 4.5, f"{name} on {ground}"
        for name in IN_CODE:
            assert contrast(colours[name], colours["faint"]) >= 4.5, f"{name} in code"


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it; 4.5 is asked of text."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_everything_but_the_tools_is_there_without_a_script(browser: Any, report: Path) -> None:
    with opened(browser, report, java_script_enabled=False) as page:
        assert page.locator("#results tbody tr:visible").count() > 50
        assert page.locator(".filters").is_hidden() and page.locator(".switch").is_hidden()
        page.locator("#Stream_TRIAD > summary").click()
        assert page.locator("#Stream_TRIAD").get_by_text("Native baseline").is_visible()


def test_tab_reaches_what_can_be_used_and_shows_where_it_is(browser: Any, report: Path) -> None:
    with opened(browser, report) as page:
        page.locator(KERNEL).focus()
        reached = []
        for _ in range(12):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.closest('th, label, .scroll, a')?.tagName"))
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        assert reached[:3] == ["LABEL"] * 3 and "DIV" in reached and "TH" in reached


def test_campaigns_beside_each_other_sort_and_filter(browser: Any, tmp_path: Path) -> None:
    first = sample_campaign()
    later = altered(first, "later", {"Stream_TRIAD": 1.3})
    path = tmp_path / "comparison.html"
    path.write_text(
        render_comparison(side_by_side([Side("first", first), Side("later", later)], margin=0.05), []), encoding="utf-8"
    )
    with opened(browser, path) as page:
        page.locator("#table thead button", has_text="Change").click()
        changes = numbers([t.split()[0] for t in column(page, "Change", "table") if not t.startswith("no verdict")])
        assert changes == sorted(changes) and changes[0] < 0.8
        page.locator("[data-filter=verdict]").select_option("slower")
        assert set(column(page, "Kernel", "table")) == {"Stream_TRIAD"}
