"""What kparity measures: suites of kernel files.

    from kparity.suites import entries

    for entry in entries("rajaperf"):
        arguments = entry.arguments(1000)
        entry.spec.repeat(arguments, 1)
        print(entry.full_name, entry.checksum(arguments))

A suite is a folder `<group>/<kernel>.py`; a kernel file's existence registers it, and the `SPEC` in it says the rest.
"""

from .discovery import entries, suites
from .entries import BrokenKernel, Entries, Entry, SuiteError
from .rajaperf.checksum import Judgement, checksum, judge
from .rajaperf.published import expected_checksum
from .spec import Arguments, Array, Spec, Work, arrays_in, each

__all__ = [
    "Arguments",
    "Array",
    "BrokenKernel",
    "Entries",
    "Entry",
    "Judgement",
    "Spec",
    "SuiteError",
    "Work",
    "arrays_in",
    "checksum",
    "each",
    "entries",
    "expected_checksum",
    "judge",
    "suites",
]
