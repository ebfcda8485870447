"""Codes are found however they are spelled, and unknown ones get a hint."""

from __future__ import annotations

import pytest

from kparity.compiler.diagnostics.pages import UnknownCode, error_codes, error_page, error_title


@pytest.mark.parametrize("spelling", ["KP0401", "kp0401", "0401", "401", " KP401 ", "Kp0401"])
def test_spellings(spelling: str) -> None:
    assert error_page(spelling).startswith("# KP0401: data race\n")


def test_titles() -> None:
    assert error_title("KP0401") == "data race"
    assert all(error_title(code) and not error_title(code).startswith("#") for code in error_codes())


def test_codes_are_in_order() -> None:
    assert error_codes() == sorted(set(error_codes()))
    assert len(error_codes()) >= 31


@pytest.mark.parametrize(("spelling", "near"), [("KP0409", "KP0401"), ("kp499", "KP0402"), ("KPO401", "KP0401")])
def test_unknown_code_names_near_ones(spelling: str, near: str) -> None:
    with pytest.raises(UnknownCode, match=f"no error has the code `{spelling}`; did you mean .*{near}"):
        error_page(spelling)


@pytest.mark.parametrize("spelling", ["", "race", "../pages", "99999"])
def test_nothing_near(spelling: str) -> None:
    with pytest.raises(UnknownCode, match="`kparity explain` lists the codes"):
        error_page(spelling)
