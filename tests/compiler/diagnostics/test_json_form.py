"""The JSON form says the same as the rendering, in plain data."""

from __future__ import annotations

import json

import pytest

from kparity.compiler.diagnostics.json_form import as_json
from kparity.compiler.diagnostics.render import render

from .cases import CASES


@pytest.mark.parametrize("name", CASES)
def test_is_plain_data_and_complete(name: str) -> None:
    diagnostic = CASES[name]
    data = json.loads(json.dumps(as_json(diagnostic)))
    assert data["rendered"] == render(diagnostic)
    assert [label["text"] for label in data["labels"]] == [label.text for label in diagnostic.labels]
    assert [label["primary"] for label in data["labels"]].count(True) == 1
    assert f"error[{data['code']}]: {data['message']}\n" in data["rendered"]


def test_columns_count_characters_from_one() -> None:
    data = as_json(CASES["tabs_and_wide_characters"])
    assert data["path"] == "wide.py"
    assert [data[k] for k in ("line", "column", "end_line", "end_column")] == [4, 17, 4, 21]


def test_no_place_is_line_zero() -> None:
    assert as_json(CASES["no_place"])["line"] == 0
