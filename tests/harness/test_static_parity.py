"""Figures of both sides' code, whatever their tools call them."""

from __future__ import annotations

from kparity.harness.kernel_section import kernel_sections
from kparity.harness.records import Campaign
from kparity.harness.static_parity import no_more_than_native, static_rows

FACTS = {
    "Stream_TRIAD": {
        "static": {
            "cuda": {
                "checked": {
                    "k: registers": 12, "k: spill_bytes": 0, "k: shared_bytes": 0,
                    "k_narrow: registers": 18, "k_narrow: spill_bytes": 4, "k_narrow: shared_bytes": 0,
                },
                "native": {"registers": 16, "spill_stores": 8, "spill_loads": 12, "stack": 0, "shared": 64},
            },
            "cpu": {"checked": {}, "native": {}},
        }
    },
    "Basic_DAXPY": {"static": {"hip": {"checked": {"registers": 8, "spills": 0}, "native": {"registers": 9}}}},
    "Basic_INIT3": {},
}  # fmt: skip


def test_the_largest_of_any_function_counts_and_names_are_matched() -> None:
    daxpy, triad = static_rows(FACTS)
    assert (triad.kernel, triad.target) == ("Stream_TRIAD", "cuda")
    assert triad.figures == {"registers": (16, 18), "spilled": (20, 4), "shared bytes": (64, 0)}
    assert daxpy.figures == {"registers": (9, 8), "spilled": (None, 0), "shared bytes": (None, None)}


def test_what_one_side_lacks_is_not_counted_in_its_favour() -> None:
    rows = static_rows(FACTS)
    assert [no_more_than_native(rows, figure) for figure in ("registers", "spilled", "shared bytes")] == [1, 1, 1]


def test_a_kernels_own_table_puts_both_sides_into_one_line() -> None:
    section = kernel_sections(Campaign("r", {}, [], FACTS), [])[2]
    cuda = [row for row in section.static if row[0] == "cuda"]
    assert cuda[:3] == [
        ("cuda", "registers", "16", "18"),
        ("cuda", "spilled", "20", "4"),
        ("cuda", "shared bytes", "64", "0"),
    ]
    assert ("cuda", "stack", "0", "") in cuda, "what has no counterpart stands below"
    assert ("cuda", "k narrow: registers", "", "18") in cuda, "and so does each function of several"
