"""The AMD code objects that a library or an offload bundle carries."""

from __future__ import annotations

import re
import struct

from kparity.compiler import KparityError

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
MAGICS = (MAGIC, b"CCOB\x02", b"CCOB\x03")  # of compressed ones, too


def code_objects(raw: bytes) -> dict[str, bytes]:
    """Return the device code in a file that a HIP compiler made.

    Parameters
    ----------
    raw : bytes
        A shared library, an executable or an offload bundle; what stands before the bundle is passed over.

    Returns
    -------
    dict
        Architecture (`gfx90a`) -> ELF file.

    Raises
    ------
    KparityError
        There is no bundle in it, or its table leads outside.
    """
    start = raw.find(MAGIC)
    if start < 0:
        raise KparityError("no offload bundle: the file was not made by a HIP compiler, or its bundle is compressed")
    found: dict[str, bytes] = {}
    at = start + len(MAGIC) + 8
    try:
        (count,) = struct.unpack_from("<Q", raw, start + len(MAGIC))
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", raw, at)
            name = raw[at + 24 : at + 24 + length].decode()
            at += 24 + length
            part = raw[start + offset : start + offset + size]
            if len(part) != size:
                raise KparityError("the offload bundle is cut short: build again")
            if architecture := re.search(r"gfx\w+", name):
                found[architecture[0]] = part
    except (struct.error, UnicodeDecodeError) as error:
        raise KparityError(f"the offload bundle cannot be read: {error}") from error
    return found
