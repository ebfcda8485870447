"""Where a kernel's C++ stands, and what it is compiled together with."""

from __future__ import annotations

import re
from pathlib import Path

from kparity.compiler import KparityError, Manifest

BASELINES = Path(__file__).resolve().parent
INCLUDE = BASELINES / "include"

# What Python lets a parameter be called and C++17 does not.
_RESERVED = """
    alignas alignof and_eq asm auto bitand bitor bool case catch char char16_t char32_t compl const const_cast constexpr
    decltype default delete do double dynamic_cast enum explicit export extern false float friend goto inline int long
    mutable namespace new not_eq noexcept nullptr operator or_eq private protected public register reinterpret_cast
    short signed sizeof static static_assert static_cast struct switch template this thread_local throw true typedef
    typeid typename union unsigned using virtual void volatile wchar_t xor xor_eq
"""
_INCLUDE_LINE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class BuildError(KparityError):
    """A baseline that does not exist or does not compile.

    Attributes
    ----------
    source : Path
        The C++ file; where it was expected, if there is none.
    command : tuple of str
        What was run; empty if nothing was.
    output : str
        The compiler's own words.
    """

    def __init__(self, message: str, source: Path, command: tuple[str, ...] = (), output: str = "") -> None:
        super().__init__(message)
        self.source = source
        self.command = command
        self.output = output


def find_source(kernel: str | Path) -> Path:
    """Return the C++ file of a kernel.

    Parameters
    ----------
    kernel : str or Path
        A `.cpp` file; the `.py` file of a suite's kernel (the baseline stands beside it, or under the same suite, group
        and stem in this package); or a name in this package: `rajaperf/stream/triad`, or the stem if only one has it.

    Raises
    ------
    BuildError
        There is no such file, or more than one kernel has that stem.
    """
    path = Path(kernel)
    if path.suffix == ".cpp":
        candidates = [path.resolve()]
    elif path.suffix == ".py":
        inside = BASELINES.joinpath(*path.resolve().with_suffix(".cpp").parts[-3:])
        candidates = [path.resolve().with_suffix(".cpp"), inside]
    elif len(path.parts) == 1:
        named = BASELINES / "<suite>" / "<group>" / f"{path.name}.cpp"
        candidates = sorted(BASELINES.glob(f"*/*/{path.name}.cpp")) or [named]
    else:
        candidates = [BASELINES / f"{path}.cpp"]
    found = [candidate for candidate in candidates if candidate.is_file()]
    if not found:
        raise BuildError(f"no baseline for `{kernel}`: write {' or '.join(map(str, candidates))}", candidates[-1])
    if len(path.parts) == 1 and len(found) > 1:
        names = ", ".join(str(file.relative_to(BASELINES).with_suffix("")) for file in found)
        raise BuildError(f"`{kernel}` is the name of several baselines: say which of {names}", found[0])
    return found[0]


def refuse_reserved_names(manifest: Manifest, source: Path) -> None:
    """Raise BuildError if a parameter of the checked kernel has a name that no C++ can spell."""
    if found := [parameter.name for parameter in manifest.parameters if parameter.name in _RESERVED.split()]:
        raise BuildError(
            f"{source} cannot be compiled: `{found[0]}`, a parameter of `{manifest.program}`, is a word of C++ itself; "
            "give it another name in the checked kernel, and here",
            source,
        )


def abi_header(manifest: Manifest) -> str:
    """Return the text of `<kernel>.abi.h`: the manifest's struct, and its members for kparity.h to compare."""
    names = [parameter.name for parameter in manifest.parameters]
    return manifest.header() + "\n".join((
        f"typedef {manifest.program}_args kp_manifest;",
        "#define KP_MEMBERS(check) " + " ".join(f"check({name})" for name in names),
        f"#define KP_MEMBER_NAMES {', '.join(names)}",
        "",
    ))  # fmt: skip


def included_files(source: Path) -> list[Path]:
    """Return `source` and every file that it includes by a quoted name, at whatever depth; generated ones left out."""
    found: list[Path] = []
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.append(path)
        for name in _INCLUDE_LINE.findall(path.read_text(encoding="utf-8")):
            waiting += [place.resolve() for folder in (path.parent, INCLUDE) if (place := folder / name).is_file()][:1]
    return sorted(found)
