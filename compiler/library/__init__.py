"""What programs call without writing it: collectives, in the language itself."""

from .scan import exclusive_scan, inclusive_scan

__all__ = ["exclusive_scan", "inclusive_scan"]
