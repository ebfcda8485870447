"""Compiled programs on disk, keyed by everything that determines them; safe for concurrent processes."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from ..decorators import Kernel, Program
from ..frontend.language import Marker
from ..targets import llvm

_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def cache_folder() -> Path:
    """Return the folder of compiled kernels: `KPARITY_CACHE`, or `kparity` in the user's cache folder (XDG)."""
    base = os.environ.get("KPARITY_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kparity"
    return Path(base) / "kernels"


@functools.cache
def _compiler_digest() -> str:
    """Digest of the compiler's own source: a changed compiler never reuses old code."""
    digest = hashlib.sha256(llvm.VERSION.encode())
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def key(program: Kernel | Program, *parts: str) -> str:
    """Return the cache key: source text, the constants and kernels it names, compiler, and what `parts` adds."""
    digest = hashlib.sha256(_compiler_digest().encode())
    for part in (*_source_parts(program), *parts):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _source_parts(program: Kernel | Program) -> Iterable[str]:
    syntax = program.syntax
    # The path and line are part of what evidence and guards show.
    yield f"{syntax.source.path}:{syntax.source.first_line}"
    yield syntax.text
    for dotted in sorted(set(_IDENTIFIER.findall(syntax.text))):
        meaning = _meaning(dotted, syntax.environment)
        if isinstance(meaning, (Kernel, Program)) and meaning is not program:
            yield from _source_parts(meaning)
        elif isinstance(meaning, (int, float, Marker)):
            yield f"{dotted}={meaning!r}"


def _meaning(dotted: str, environment: Any) -> Any:
    head, *rest = dotted.split(".")
    value = environment.get(head)
    for attribute in rest:
        value = getattr(value, attribute, None) if isinstance(value, ModuleType) else None
    return value


def load(name: str) -> bytes | None:
    """Return what was stored under a key, or None."""
    try:
        return (cache_folder() / name[:2] / name).read_bytes()
    except OSError:
        return None


def store(name: str, content: bytes) -> None:
    """Store under a key, atomically. A cache that cannot be written only costs time, so it is no error."""
    folder = cache_folder() / name[:2]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(content)
        os.replace(file.name, folder / name)
    except OSError:
        return
