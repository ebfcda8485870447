"""Which C++ file belongs to a kernel, and what belongs to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kparity.baselines import BuildError, find_source
from kparity.baselines.sources import BASELINES, INCLUDE, abi_header, included_files, refuse_reserved_names
from kparity.compiler import Manifest, Parameter
from kparity.suites import entries

TRIAD = BASELINES / "rajaperf" / "stream" / "triad.cpp"


@pytest.mark.parametrize("name", ["triad", "rajaperf/stream/triad", TRIAD, Path("rajaperf/stream/triad")])
def test_names_of_a_baseline(name: str | Path) -> None:
    assert find_source(name) == TRIAD


def test_every_kernel_of_the_suite_has_one() -> None:
    found = {entry.path.stem: find_source(entry.path) for entry in entries("rajaperf")}
    assert len(found) >= 16
    for entry in entries("rajaperf"):
        assert found[entry.path.stem].relative_to(BASELINES).with_suffix("").parts == (
            "rajaperf", entry.group.lower(), entry.path.stem,
        )  # fmt: skip


def test_every_baseline_has_a_kernel() -> None:
    assert {path.stem for path in BASELINES.glob("rajaperf/*/*.cpp")} == {e.path.stem for e in entries("rajaperf")}


def test_a_suite_elsewhere_has_its_baseline_beside_the_kernel(tmp_path: Path) -> None:
    kernel = tmp_path / "stream" / "triad.py"
    kernel.parent.mkdir()
    kernel.touch()
    kernel.with_suffix(".cpp").touch()
    assert find_source(kernel) == kernel.with_suffix(".cpp")


@pytest.mark.parametrize("name", ["quadriad", "rajaperf/stream/quadriad", "quadriad.cpp", "s/g/quadriad.py"])
def test_a_missing_baseline_says_where_to_write_it(name: str) -> None:
    with pytest.raises(BuildError, match=r"no baseline for `.*quadriad.*`: write .*quadriad\.cpp") as caught:
        find_source(name)
    assert caught.value.command == ()


def test_a_stem_that_several_have_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for suite in ("one", "two"):
        (tmp_path / suite / "g").mkdir(parents=True)
        (tmp_path / suite / "g" / "k.cpp").touch()
    monkeypatch.setattr("kparity.baselines.sources.BASELINES", tmp_path)
    with pytest.raises(BuildError, match="say which of one/g/k, two/g/k"):
        find_source("k")


def test_includes_are_followed(tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    source.write_text('#include <cmath>\n#include "k.abi.h"\n #  include "a.h"\n')
    (tmp_path / "a.h").write_text('#include "a.h"\n#include "kparity.h"\n')
    names = {path.name for path in included_files(source)}
    asked_for = {
        "teams.h",
        "scan.h",
        "select.h",
        "sort.h",
        "memory.h",
        "library.h",
    }  # a source that needs one includes it itself
    common = {path.name for path in (INCLUDE / "kparity").iterdir()} - asked_for
    assert names == {"k.cpp", "a.h", "kparity.h", *common}


def test_the_abi_header_lists_the_members_for_the_comparison() -> None:
    manifest = Manifest.build(
        "p", [Parameter("x", "array", "f64", "Ref", ("n",)), Parameter("n", "extent", "i64", "", ())]
    )
    text = abi_header(manifest)
    assert text.startswith(manifest.header())
    assert "#define KP_MEMBERS(check) check(x) check(n)\n" in text
    assert "#define KP_MEMBER_NAMES x, n\n" in text


@pytest.mark.parametrize("name", ["new", "default", "register", "xor"])
def test_a_parameter_that_is_a_word_of_cpp_is_refused_in_one_line(name: str) -> None:
    extent = Parameter("n", "extent", "i64", "", ())
    refuse_reserved_names(Manifest.build("p", [extent]), Path("k.cpp"))
    manifest = Manifest.build("p", [Parameter(name, "array", "f64", "Ref", ("n",)), extent])
    with pytest.raises(BuildError, match=f"`{name}`, a parameter of `p`, is a word of C") as caught:
        refuse_reserved_names(manifest, Path("k.cpp"))
    assert "\n" not in str(caught.value)
