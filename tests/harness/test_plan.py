from __future__ import annotations

from typing import Any

from kparity.harness.plan import cells_of, make_plan, sizes_of, walk_order, with_tunings
from kparity.harness.records import Cell
from kparity.harness.settings import Settings

from .fakes import daxpy_entry


def settings(**changes: Any) -> Settings:
    return Settings(**{"targets": ("cpu1", "cpu"), "sizes": (1000, 2000), **changes})


ENTRIES = [daxpy_entry(name=name) for name in ("A", "B", "C", "D")]
TUNINGS = {(f"Basic_{n}", t): ("block", "grid") for n in "ABCD" for t in ("cpu1", "cpu")}


def test_a_plan_has_every_kernel_size_target_and_variant() -> None:
    plan = make_plan(ENTRIES, settings())
    assert len(plan) == 4 * 2 * 2
    assert plan[0].sides == (
        Cell("fake", "Basic_A", "cpu1", 1000, "checked"),
        Cell("fake", "Basic_A", "cpu1", 1000, "native"),
    )
    assert len(set(cells_of(plan))) == 32


def test_sizes_default_to_the_kernels_own_and_are_scaled_and_truncated() -> None:
    assert sizes_of(1000, Settings()) == [1000]
    assert sizes_of(1000, Settings(sizes=(10, 15), size_factor=0.15)) == [1, 2]
    assert sizes_of(1000, Settings(sizes=(10, 11), size_factor=0.1)) == [1]


def test_the_native_side_splits_into_its_tunings() -> None:
    plan = with_tunings(make_plan(ENTRIES[:1], settings()), TUNINGS, settings())
    assert [(c.variant, c.tuning) for c in plan[0].sides] == [
        ("checked", "default"), ("native", "block"), ("native", "grid"),
    ]  # fmt: skip


def test_selected_tunings_concern_the_native_side_only() -> None:
    chosen = settings(tunings=("grid",))
    assert [c.tuning for c in with_tunings(make_plan(ENTRIES[:1], chosen), TUNINGS, chosen)[0].sides] == [
        "default",
        "grid",
    ]
    dropped = settings(exclude_tunings=("block", "grid"))
    assert [c.tuning for c in with_tunings(make_plan(ENTRIES[:1], dropped), TUNINGS, dropped)[0].sides] == ["default"]


def test_what_was_not_built_keeps_one_native_side() -> None:
    plan = with_tunings(make_plan(ENTRIES[:1], settings()), {}, settings())
    assert [c.variant for c in plan[0].sides] == ["checked", "native"]


def test_each_walk_has_an_order_of_its_own_that_the_seed_repeats() -> None:
    plan = make_plan(ENTRIES, settings())
    first, second = walk_order(plan, 1, 0), walk_order(plan, 1, 1)
    assert first != second
    assert walk_order(plan, 1, 0) == first
    assert walk_order(plan, 2, 0) != first
    assert set(cells_of(first)) == set(cells_of(second)) == set(cells_of(plan))


def test_comparisons_that_share_data_stay_together() -> None:
    keys = [c.data_key for c in walk_order(make_plan(ENTRIES, settings()), 3, 0)]
    assert keys[::2] == keys[1::2]
    assert len(set(keys)) == 8


def test_either_side_may_go_first() -> None:
    plan = make_plan(ENTRIES, settings())
    firsts = {c.sides[0].variant for c in walk_order(plan, 1, 0)}
    assert firsts == {"checked", "native"}
