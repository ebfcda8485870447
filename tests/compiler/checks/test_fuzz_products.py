"""Random kernels with flattened indices: the checker's verdict against the oracle's runs.

What is accepted is clean. A product is not known exactly to the sets that guards come from, so a guard may refuse more
than it must, and more is refused in vain than of kernels without products.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .random_products import product_text
from .test_fuzz import compare, tally


@pytest.mark.parametrize("examples", [60, pytest.param(600, marks=pytest.mark.slow)])
def test_verdicts_on_products_agree_with_the_oracle(examples: int) -> None:
    tally.clear()

    @settings(
        max_examples=examples, derandomize=True, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(product_text(), st.integers(0, 2**32))
    def run(text: str, seed: int) -> None:
        compare(text, seed)

    run()
    assert min(tally["accepted"], tally["refused"]) >= examples // 10, f"the generator is one-sided: {tally}"
    assert tally["refused without fault"] <= 0.3 * tally["refused"], f"the checker refuses too much: {tally}"
