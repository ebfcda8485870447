from __future__ import annotations

from typing import Any

from kparity.harness.plan import Comparison
from kparity.harness.records import Campaign, Cell, Record, Status
from kparity.harness.standing import imprecise, next_attempt, pending


def cell(variant: str, kernel: str = "G_A", target: str = "cuda") -> Cell:
    return Cell("s", kernel, target, 10, variant)


def comparison(kernel: str = "G_A", target: str = "cuda") -> Comparison:
    return Comparison("s", kernel, target, 10, (cell("checked", kernel, target), cell("native", kernel, target)))


def record(cell: Cell, walk: int, status: Status = "ok", **changes: Any) -> Record:
    return Record("r", cell, walk, 0, status, **changes)


def test_a_fresh_walk_has_everything_to_do() -> None:
    plan = [comparison("G_A"), comparison("G_B")]
    assert pending(plan, [record(cell("checked"), 0)], 1) == plan


def test_what_is_done_in_this_walk_is_left_out_side_by_side() -> None:
    left = pending([comparison()], [record(cell("native"), 0)], 0)
    assert [one.sides for one in left] == [(cell("checked"),)]
    assert pending([comparison()], [record(cell("native"), 0), record(cell("checked"), 0)], 0) == []


def test_what_failed_in_any_walk_is_not_tried_again() -> None:
    failed: list[Status] = ["wrong", "failed", "crashed", "timeout", "out_of_memory"]
    for status in failed:
        left = pending([comparison()], [record(cell("native"), 2, status)], 5)
        assert [one.sides for one in left] == [(cell("checked"),)]


def test_what_was_interrupted_is_repeated() -> None:
    records = [record(cell("native"), 0, "interrupted")]
    assert pending([comparison()], records, 0) == [comparison()]
    assert next_attempt(records, cell("native"), 0) == 1
    assert next_attempt(records, cell("native"), 1) == 0


def campaign(target: str, spread: float, walks: int = 5) -> Campaign:
    records = []
    for walk in range(walks):
        noise = 1.0 + spread * (walk - 2)
        for variant, seconds in (("checked", 1e-3), ("native", 2e-3 * noise)):
            records.append(record(cell(variant, target=target), walk, device_seconds=[seconds], wall_seconds=[seconds]))
    return Campaign("r", {}, records, {})


def test_intervals_wider_than_the_targets_rule_need_more_walks() -> None:
    assert imprecise([comparison()], campaign("cuda", 0.001)) == []
    assert imprecise([comparison()], campaign("cuda", 0.02)) == [comparison()]
    on_cpu = comparison(target="cpu")
    assert imprecise([on_cpu], campaign("cpu", 0.02)) == []  # within 5 %
    assert imprecise([on_cpu], campaign("cpu", 0.05)) == [on_cpu]


def test_without_an_interval_there_is_nothing_to_narrow() -> None:
    assert imprecise([comparison()], campaign("cuda", 0.5, walks=4)) == []
