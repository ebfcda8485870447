"""Random kernels of every kind, each with a number from which it can be made again."""

from __future__ import annotations

import random

from .choices import Strategy
from .mixing import mixed
from .random_ordered import ordered_text
from .random_parallel import kernel_text
from .random_products import product_text
from .random_teams import team_text

KINDS: dict[str, tuple[Strategy[str], int]] = {  # with how often they come, in a hundred
    "1": (kernel_text(1), 24),
    "2": (kernel_text(2), 15),
    "3": (kernel_text(3), 14),
    "teams": (team_text(), 36),
    "ordered": (ordered_text(), 4),
    "products": (product_text(), 11),
}


def text_of(number: int, kind: str = "") -> str:
    """Return the kernel of a number, as source text; of one kind, or of any."""
    chooser = random.Random(number)
    chosen = kind or chooser.choices([*KINDS], [often for _, often in KINDS.values()])[0]
    text = KINDS[chosen][0].make(chooser)
    return text if chosen == "ordered" else mixed(text, chooser)  # device functions have no place in the order
