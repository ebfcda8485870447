"""A GPU's streams by their address, as launches get them."""

from __future__ import annotations

from typing import Any


class _Lent:
    """What CUDA's stream protocol asks of an object that has a stream."""

    def __init__(self, address: int) -> None:
        self._address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._address


def current_stream() -> int:
    """Return the address of CuPy's current stream."""
    import cupy

    return int(cupy.cuda.get_current_stream().ptr)


def stream_at(address: int) -> Any:
    """Return CuPy's view of a stream: a context that makes it the current one; 0 is the null stream."""
    import cupy

    return stream_of(cupy, address)


def stream_of(cupy: Any, address: int) -> Any:
    """Return the same, by the module given."""
    return cupy.cuda.Stream.from_external(_Lent(address)) if address else cupy.cuda.Stream.null
