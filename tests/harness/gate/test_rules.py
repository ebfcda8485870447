"""Rules in TOML: what is read, and how a mistake is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from kparity.harness.errors import UsageError
from kparity.harness.gate.rules import KernelRules, Limit, Rules, read_rules

WHOLE = """
[gate]
margin = 0.03
measure = "speedup"
must_run = ["Stream", "DAXPY"]
weaker_tier = "allow"
worst_tier = 3

[gate.static.registers]
increase = 8
most = 128

[gate.kernels.Basic_DAXPY]
margin = 0.1
static.registers = {increase = 16}

[gate.kernels.Apps_VOL3D]
ignore = "being rewritten"

[gate.history]
nights = 30
since = "20261101-020000-a1b2"
"""


def rules(tmp_path: Path, text: str) -> Rules:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    return read_rules(path)


def test_everything_is_read(tmp_path: Path) -> None:
    found = rules(tmp_path, WHOLE)
    assert (found.margin_of("Stream_COPY"), found.margin_of("Basic_DAXPY")) == (0.03, 0.1)
    assert found.static_of("Stream_COPY") == {"registers": Limit(8, 128)}
    assert found.static_of("Basic_DAXPY") == {"registers": Limit(16, None)}
    assert found.ignored("Apps_VOL3D") == "being rewritten" and not found.ignored("Basic_DAXPY")
    assert found.kernels["Apps_VOL3D"] == KernelRules(ignore="being rewritten")
    assert (found.must_run, found.history.nights) == (("Stream", "DAXPY"), 30)


def test_defaults(tmp_path: Path) -> None:
    assert read_rules(None) == rules(tmp_path, "[run]\nwalks = 3\n") == Rules()
    assert Rules().static_of("K") == {"spill_bytes": Limit(increase=0)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gate]\nmargn = 0.1", r"\[gate\]: no key is named `margn`; did you mean `margin`"),
        ("[gaet]\nmargin = 0.1", "no table is named `gaet`; did you mean `gate`"),
        ("[gate.kernels.K]\nmargins = 1", r"kernels.K: no key is named `margins`; did you mean `margin`"),
        ("[gate.static.registers]\nmax = 1", "static.registers: no key is named `max`"),
        ("[gate]\nmargin = '5%'", "margin = '5%': a number is needed"),
        ("[gate]\nmargin = true", "margin = True: a number is needed"),
        ("[gate]\nmargin = 0", "a relative slowdown such as 0.05 is needed"),
        ("[gate]\nmust_run = 3", "must_run = 3: a list is needed"),
        ("[gate]\nmust_run = [3]", "must_run = 3: a text is needed"),
        ("[gate]\nmeasure = 'bandwidth'", "measure = 'bandwidth': one of time, speedup is needed"),
        ("[gate]\nworst_tier = 1.5", "worst_tier = 1.5: a whole number is needed"),
        ("[gate]\nkernels = 1", "kernels = 1: a table of tables is needed"),
        ("[gate.history]\nnights = 3", "at least 5 are needed"),
        ("gate = 1", "`gate` must be a table"),
        ("[gate\n", "is not TOML: .*line 1"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rules(tmp_path, text)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*none\.toml: No such file"):
        read_rules(tmp_path / "none.toml")
