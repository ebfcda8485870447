from __future__ import annotations

import pytest

from kparity.compiler.targets.team_shapes import block_box, block_threads

from ..sources import kernel


def phases_of(*shapes: str) -> str:
    """A kernel with a shared buffer and one phase of each shape, `"4, 3"`."""
    text = 'def k(y: Mut[f64, "n"]):\n    for e in teams(n):\n        s = shared(f64, 4096)\n'
    for shape in shapes:
        names = ", ".join("abc"[: shape.count(",") + 1])
        text += f"        for {names} in threads({shape}):\n            s[a] = 1.0 if a == 0 else 2.0\n"
    return text


@pytest.mark.parametrize(
    ("shapes", "box", "threads"),
    [
        (["3, 3, 3", "3, 4, 4", "4, 4, 3", "4, 4, 4"], (4, 4, 4), 64),
        (["3, 4", "4, 4, 4"], (4, 4, 4), 64),  # the plane is the box's first
        (["5, 5"], (5, 5), 32),
        (["16, 16", "16, 16"], (16, 16), 256),
        (["64", "4, 4, 4"], None, 64),  # a box of both would have 1,024
        (["2, 32", "32, 2"], None, 64),
        (["64"], None, 64),
        (["n, 4", "4, 4"], None, 256),  # sizes known at the launch take turns
        (["40, 40"], None, 256),
    ],
)
def test_phases_share_a_box_of_threads_where_it_is_no_larger_than_the_largest(
    shapes: list[str], box: tuple[int, ...] | None, threads: int
) -> None:
    typed = kernel(phases_of(*shapes)).typed
    assert (block_box(typed), block_threads(typed)) == (box, threads)
