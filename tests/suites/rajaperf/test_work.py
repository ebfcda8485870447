"""The work that each kernel declares, as RAJAPerf has it, beside a count of what the typed program does."""

from __future__ import annotations

import pytest

from kparity.suites import Entry, Work, entries

from ...compiler.counting import counted

SIZE = 200
# What is interpreted takes a millisecond an access: one zone, one standard intersection, one element suffice.
SIZES = {"EDGE3D": 8, "INTSC_HEXHEX": 1, "INTSC_HEXRECT": 8}
LONGEST = 12  # words that say nothing


@pytest.mark.slow
@pytest.mark.parametrize("entry", entries("rajaperf"), ids=lambda entry: entry.full_name)
def test_declared_work_is_counted_or_its_difference_explained(entry: Entry) -> None:
    spec = entry.spec
    size = SIZES.get(spec.name, SIZE)
    found = counted(spec.program, entry.arguments(size))
    work = Work(found.bytes_read, found.bytes_written, found.flops, found.bytes_atomic)
    explained = bool(spec.work_differs)
    assert (spec.work(size) != work) == explained, f"declared {spec.work(size)}, counted {work}"
    assert not explained or len(spec.work_differs) > LONGEST
