"""Random kernels: the checker's verdict against the oracle's runs.

An accepted kernel is clean in every launch that its guards allow, without the barriers that the checker removes; and no
two threads share an array that earned `noalias`. A guard that does not hold means a fault, where no
condition on data and no counter with mere bounds makes the kernel safer than it looks. Of the refused kernels nearly
all show their fault.

The tests take the same kernels every time. Other ones, for as long as wanted:

    python -m tests.compiler.checks.test_fuzz teams --seed 7 --minutes 10

`1` and `2` in place of `teams` are `parallel` kernels of that many indices. Prints what it has seen after each batch;
ends with the first kernel on which checker and oracle disagree, and exit status 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seed_of
from hypothesis import strategies as st

from kparity.compiler import CompileError
from kparity.compiler.checks.prove import prove
from kparity.compiler.checks.proved import Guard, Proved
from kparity.compiler.ir.nodes import Kernel
from kparity.compiler.runtime.expression_text import evaluate, substituted

from .inspecting import faults_found
from .kernels import typed
from .oracle import Run, required
from .random_kernels import kernel_text
from .random_teams import team_text

RUNS = 10
tally: Counter[str] = Counter()


def holds(guard: Guard, sizes: Mapping[str, int]) -> bool:
    names = {name: name for name in sizes}
    return any(
        all(
            form.constant + sum(c * evaluate(substituted(n, names), sizes) for n, c in form.terms) >= 0
            for form in forms
        )
        for forms in guard.alternatives
    )


def launches(kernel: Kernel, seed: int) -> list[dict[str, int]]:
    """Small sizes, a few of them at both ends: scalars negative, extents zero."""
    chooser = random.Random(seed)
    names = [v.name for v in kernel.extents]
    found = []
    for _ in range(20 * RUNS):
        sizes = {name: chooser.choice([0, 1, 2, 3, 4, 5, 6, 7, 9, 12]) for name in names}
        sizes |= {v.name: chooser.randint(-3, 9) for v in kernel.scalars if v.type.is_integer}
        sizes |= {v.name: 1 for v in kernel.scalars if not v.type.is_integer}
        if required(kernel, sizes):
            found.append(sizes)
        if len(found) == RUNS:
            break
    return found


@pytest.mark.parametrize(("dims", "examples"), [(1, 80), (2, 40)])
def test_verdicts_agree_with_the_oracle(dims: int, examples: int) -> None:
    fuzz(kernel_text(dims), examples)
    assert min(tally["inspection passed"], tally["inspection failed"]) >= examples // 20, tally


def test_verdicts_on_teams_agree_with_the_oracle() -> None:
    fuzz(team_text(), 60)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["1", "2", "teams"])
def test_many_verdicts_agree_with_the_oracle(kind: str) -> None:
    fuzz(texts_of(kind), 500)


def texts_of(kind: str) -> st.SearchStrategy[str]:
    return team_text() if kind == "teams" else kernel_text(int(kind))


def fuzz(texts: st.SearchStrategy[str], examples: int, chosen: int | None = None) -> None:
    """Compare on random kernels: the same ones every time, or those of a seed."""
    tally.clear()

    @seed_of(chosen if chosen is not None else 0)
    @settings(
        max_examples=examples, derandomize=chosen is None, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(texts, st.integers(0, 2**32))
    def run(text: str, seed: int) -> None:
        compare(text, seed)

    run()
    if chosen is not None:
        return  # a batch may be unlucky: its tally is shown
    assert min(tally["accepted"], tally["refused"]) >= examples // 10, f"the generator is one-sided: {tally}"
    assert tally["refused without fault"] <= 0.05 * tally["refused"], f"the checker refuses too much: {tally}"


def compare(text: str, seed: int) -> None:
    kernel = typed(text)
    try:
        result = prove(kernel)
    except CompileError as error:
        tally["refused"] += 1
        runs = [Run(kernel, sizes, random.Random(seed)) for sizes in launches(kernel, seed)]
        if any(run.launch() for run in runs):
            return
        if any(run.is_endless for run in runs):  # stopped, so that nobody knows what it would have done
            tally["refused, endless"] += 1
        else:
            tally["refused without fault"] += 1
            tally[f"refused without fault: {error.diagnostics[0].code}"] += 1
        return
    tally["accepted"] += 1
    for sizes in launches(kernel, seed):
        compare_launch(text, kernel, result, sizes, seed)


def _set_list(run: Run, chooser: random.Random) -> None:
    """Let the index array hold each index once, but for a few."""
    for array, memory in run.memories.items():
        if array.name == "q":
            values = chooser.sample(range(len(memory.values)), len(memory.values))
            for element, value in zip(memory.values, values, strict=True):
                memory.values[element] = value if chooser.random() < 0.95 else chooser.randint(-1, len(values))


def compare_launch(text: str, kernel: Kernel, result: Proved, sizes: dict[str, int], seed: int) -> None:
    run = Run(kernel, sizes, random.Random(seed), result.barriers).prepare()
    if seed % 4:
        _set_list(run, random.Random(seed))
    allowed = all(holds(g, sizes) for g in result.guards)
    seen = faults_found(result, run) if allowed else []
    faults = run.launch()
    shown = f"{text}\nsizes {sizes}, faults {faults}, guards {[g.text for g in result.guards]}"
    if seen:
        tally["inspection failed"] += 1
        # A slice leaves out conditions on data, and `while` loops, which may never end.
        assert faults or run.is_endless or "d[" in text, (
            f"an inspection refuses a launch without a fault: {seen}\n{shown}"
        )
    elif allowed:
        tally["inspection passed"] += bool(result.inspections)
        assert not faults, f"accepted, but at fault:\n{shown}"
        assert not run.aliased() & result.unaliased, f"threads share what earned noalias:\n{shown}"
        assert not run.negative_divisions & result.non_negative, f"a negative dividend:\n{shown}"
    elif not faults and "teams" in text:  # one condition for several residues may be wider than they are
        tally["refused launches without fault"] += 1
    elif not any(
        word in text for word in ("d[", "q[", "c1", "c2", "while", "break", "size")
    ):  # no data, counters, products
        assert faults, f"a guard refuses a launch without a fault:\n{shown}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare checker and oracle on random kernels.")
    parser.add_argument("kind", choices=["1", "2", "teams"], help="indices of a `parallel`, or team kernels")
    parser.add_argument("--seed", type=int, default=1, help="of the first batch (default 1)")
    parser.add_argument("--minutes", type=float, default=10.0, help="until no new batch begins (default 10)")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    seed = options.seed
    while time.monotonic() < end:
        try:
            fuzz(texts_of(options.kind), 200, seed)
        except AssertionError as error:
            print(f"seed {seed}: {error}")
            return 1
        print(f"seed {seed}: {dict(sorted(tally.items()))}", flush=True)
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
