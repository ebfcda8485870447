"""Kernels are asked for by position or by name."""

import pytest

from kparity.suites import Entries, SuiteError, entries

FOUND = entries("rajaperf")


@pytest.mark.parametrize("name", ["TRIAD", "Stream_TRIAD", "triad", "stream_triad"])
def test_by_name(name: str):
    assert FOUND[name].full_name == "Stream_TRIAD"


def test_is_a_sequence_in_the_order_of_names():
    names = [entry.full_name for entry in FOUND]
    assert names == sorted(names)
    assert FOUND[0].full_name == names[0]
    assert [entry.full_name for entry in FOUND[-2:]] == names[-2:]
    assert FOUND[3] in FOUND


def test_an_unknown_name_offers_the_nearest():
    with pytest.raises(SuiteError, match=r"no kernel `TRAID`; did you mean TRIAD"):
        FOUND["TRAID"]
    with pytest.raises(SuiteError, match=r"no kernel `zzzzzz`$"):
        FOUND["zzzzzz"]


def test_a_bare_name_in_two_groups_must_be_full():
    first, second = FOUND["TRIAD"], FOUND["ADD"]
    twice = Entries([first, type(first)(first.spec, "other", "Other", second.path)])
    with pytest.raises(SuiteError, match="Stream_TRIAD or Other_TRIAD"):
        twice["TRIAD"]
    assert twice["Other_TRIAD"].group == "Other"
