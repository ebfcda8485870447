"""Numbers as people read them."""

from __future__ import annotations

from .comparison import Outcome

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
NOTHING = "–"


def seconds_text(seconds: float | None) -> str:
    """Return a duration with four digits: `1.234 ms`."""
    if seconds is None:
        return NOTHING
    unit, name = next((u for u in _UNITS if seconds >= u[0]), _UNITS[-1])
    return f"{_digits(seconds / unit, 4)} {name}"


def count_text(count: int | None) -> str:
    """Return an integer with a narrow no-break space between thousands; no size is each kernel's own."""
    if count is None:
        return "own"
    return f"{count:,}".replace(",", "\u202f")


def place_text(size: int | None) -> str:
    """Return what stands behind a target: `size 10⁶`, or that each kernel has a size of its own."""
    return "own sizes" if size is None else f"size {size_text(size)}"


def size_text(size: int) -> str:
    """Return a problem size the way people name it: `10⁶`, `2²⁵`, else with separators."""
    for base in (10, 2):
        exponent = _exact_log(size, base)
        if exponent >= (5 if base == 10 else 10):
            return f"{base}{str(exponent).translate(_SUPERSCRIPT)}"
    return count_text(size)


def rate_text(bytes_per_second: float | None) -> str:
    """Return a bandwidth in GB/s (10^9 bytes), three digits."""
    return NOTHING if bytes_per_second is None else _digits(bytes_per_second / 1e9, 3)


def ratio_text(value: float | None) -> str:
    """Return a speedup with three decimals, or two for large ones."""
    if value is None:
        return NOTHING
    return f"{value:.3f}" if value < 10 else f"{value:.2f}"


def interval_text(low: float | None, high: float | None) -> str:
    """Return the interval of a speedup."""
    return NOTHING if low is None or high is None else f"[{ratio_text(low)}, {ratio_text(high)}]"


def outcome_text(outcome: Outcome) -> str:
    """Return a speedup with its interval if it has one."""
    if outcome.ratio is None:
        return ratio_text(outcome.estimate)
    return f"{ratio_text(outcome.estimate)} {interval_text(outcome.ratio.low, outcome.ratio.high)}"


_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _exact_log(number: int, base: int) -> int:
    exponent = 0
    while number > 1 and number % base == 0:
        number //= base
        exponent += 1
    return exponent if number == 1 else 0


def _digits(value: float, digits: int) -> str:
    """Return `value` with that many significant digits, never in exponent form."""
    before = len(str(int(abs(value)))) if abs(value) >= 1 else 1
    return f"{value:.{max(0, digits - before)}f}"
