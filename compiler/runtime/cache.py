"""Compiled programs on disk, keyed by everything that determines them; safe for concurrent processes."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from numbers import Integral
from pathlib import Path

import numpy as np

from ..decorators import Kernel, Program
from ..frontend.functions import ReadFunction
from ..frontend.language import Marker
from ..frontend.tables import is_table
from ..targets import llvm

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_DIGEST_BYTES = hashlib.sha256().digest_size


def cache_folder() -> Path:
    """Return the folder of compiled kernels: `KPARITY_CACHE`, or `kparity` in the user's cache folder (XDG)."""
    base = (
        os.environ.get("KPARITY_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kparity"
    )
    return Path(base) / "kernels"


@functools.cache
def _compiler_digest() -> str:
    """Digest of the compiler's own source: a changed compiler never reuses old code."""
    digest = hashlib.sha256(llvm.VERSION.encode())
    for folder, _, files in sorted(os.walk(Path(__file__).parents[1])):
        for name in sorted(f for f in files if f.endswith(".py")):
            with open(
                os.path.join(folder, name), "rb", buffering=0
            ) as file:  # one read each: this is most of a cache hit
                digest.update(file.read())
    return digest.hexdigest()


def key(program: Kernel | Program, *parts: str) -> str:
    """Return the cache key: source text, the constants and kernels it names, compiler, and what `parts` adds."""
    digest = hashlib.sha256(_compiler_digest().encode())
    for part in (*_source_parts(program, set()), *parts):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _source_parts(program: ReadFunction, seen: set[ReadFunction]) -> Iterable[str]:
    seen.add(program)  # two kernels may name each other, in a comment or a string
    syntax = program.syntax
    # The path and line are part of what evidence and guards show.
    yield f"{syntax.source.path}:{syntax.source.first_line}"
    yield syntax.text
    yield str(sorted(map(str, getattr(program, "types", {}).items())))
    meanings = {
        ast.unparse(n): syntax.resolve(n) for n in ast.walk(syntax.tree) if isinstance(n, (ast.Name, ast.Attribute))
    }
    strings = [n.value for n in ast.walk(syntax.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    in_dims = {name for text in strings for name in _IDENTIFIER.findall(text)}
    meanings |= {name: syntax.environment.get(name) for name in in_dims}
    for name, meaning in sorted(meanings.items(), key=lambda item: item[0]):
        if isinstance(meaning, ReadFunction):
            if meaning not in seen:
                yield from _source_parts(meaning, seen)
        elif isinstance(meaning, (Integral, float, Marker)):
            yield f"{name}={meaning!r}"
        elif isinstance(meaning, np.ndarray) and is_table(meaning):  # may be large: an array of the caller's, by chance
            yield f"{name}={meaning.dtype} {meaning.shape} {hashlib.sha256(meaning.tobytes()).hexdigest()}"
        elif is_table(meaning):
            yield f"{name}={meaning!r}"
        elif hasattr(meaning, "__kparity_struct__"):
            yield f"{name}={meaning.__kparity_struct__!r}"


def load(name: str) -> bytes | None:
    """Return what was stored under a key; None if there is nothing, or not what was stored."""
    try:
        stored = (cache_folder() / name[:2] / name).read_bytes()
    except OSError:
        return None
    digest, content = stored[:_DIGEST_BYTES], stored[_DIGEST_BYTES:]
    return content if hashlib.sha256(content).digest() == digest else None


def store(name: str, content: bytes) -> None:
    """Store under a key, atomically. A cache that cannot be written only costs time, so it is no error."""
    folder = cache_folder() / name[:2]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            try:
                file.write(hashlib.sha256(content).digest() + content)
                file.close()
                os.replace(file.name, folder / name)
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(file.name)
    except OSError:
        return
