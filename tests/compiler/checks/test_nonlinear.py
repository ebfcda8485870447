"""A question to z3 has the same answer, at the same cost, in every process: budgets are operations, not clocks."""

from __future__ import annotations

import os
import subprocess
import sys


def _asked(seed: int) -> list[str]:
    command = [sys.executable, "-m", "tests.compiler.checks.questions", str(seed)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_answers_and_costs_depend_on_the_question_alone() -> None:
    first, second = _asked(1), _asked(2)
    assert len(first) > 20
    assert any("IMPOSSIBLE" in line for line in first)
    assert first == second
