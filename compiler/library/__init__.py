"""What programs call without writing it: collectives, in the language itself."""

from .compaction import compact
from .scan import exclusive_scan, inclusive_scan
from .sorting import sort, sort_pairs

__all__ = ["compact", "exclusive_scan", "inclusive_scan", "sort", "sort_pairs"]
