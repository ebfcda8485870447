from __future__ import annotations

from pathlib import Path

import pytest

from kparity.harness.errors import UsageError
from kparity.harness.selection import (
    positive_size,
    select_broken,
    select_kernels,
    select_sides,
    unknown_name,
)
from kparity.suites import BrokenKernel

from .fakes import daxpy_entry

ENTRIES = [
    daxpy_entry(name="DAXPY"),
    daxpy_entry(name="INIT3"),
    daxpy_entry(name="REDUCE3_INT", features=("Forall", "Reduction")),
    daxpy_entry(name="NESTED_INIT", features=("Kernel",)),
]
BROKEN = BrokenKernel(Path("suite/basic/torn.py"), 3, "SyntaxError: invalid syntax")


def names(**options: list[str]) -> list[str]:
    return [entry.spec.name for entry in select_kernels(ENTRIES, **options)]  # type: ignore[arg-type]


def test_kernels_go_by_full_bare_and_group_name_in_any_case() -> None:
    assert names(kernels=["Basic_DAXPY"]) == ["DAXPY"]
    assert names(kernels=["init3", "daxpy"]) == ["DAXPY", "INIT3"]
    assert names(kernels=["basic"]) == names() == ["DAXPY", "INIT3", "REDUCE3_INT", "NESTED_INIT"]


def test_exclusion_and_features_narrow_the_choice() -> None:
    assert names(kernels=["Basic"], exclude_kernels=["DAXPY", "INIT3"]) == ["REDUCE3_INT", "NESTED_INIT"]
    assert names(features=["reduction"]) == ["REDUCE3_INT"]
    assert names(exclude_features=["Forall"]) == ["NESTED_INIT"]


def test_an_unknown_name_gets_the_nearest_ones() -> None:
    with pytest.raises(UsageError, match="no kernel or group is named `DAXPI`; did you mean `DAXPY`"):
        names(kernels=["DAXPI"])
    with pytest.raises(UsageError, match="did you mean `Reduction`"):
        names(features=["Reducton"])
    with pytest.raises(UsageError, match="leaves no kernel"):
        names(kernels=["DAXPY"], exclude_kernels=["DAXPY"])


def test_a_name_like_none_gets_the_whole_list() -> None:
    assert "there are Kernel, Launch" in str(unknown_name("zzz", ["Kernel", "Launch"], "feature"))


def test_a_broken_file_is_known_by_its_path() -> None:
    assert select_broken([BROKEN], ["TORN"], []) == [BROKEN]
    assert select_broken([BROKEN], ["Basic_torn"], []) == [BROKEN]
    assert select_broken([BROKEN], [], []) == [BROKEN]
    assert select_broken([BROKEN], ["DAXPY"], []) == []
    assert select_broken([BROKEN], [], ["Basic"]) == []
    assert select_kernels(ENTRIES, kernels=["TORN"], broken=[BROKEN]) == []


def test_variants_go_by_our_names_and_rajaperfs() -> None:
    assert select_sides([], [], []).variants == ("checked", "native")
    assert select_sides(["checked"], [], []).variants == ("checked",)
    only = select_sides(["Base_CUDA"], [], [])
    assert (only.variants, only.targets) == (("native",), ("cuda",))
    both = select_sides(["OpenMP", "Seq"], [], [])
    assert (both.variants, both.targets) == (("checked", "native"), ("cpu", "cpu1"))
    hip = select_sides(["hip_on_cuda"], [], ["cuda"])
    assert (hip.variants, hip.targets) == (("hip_on_cuda",), ("cuda",))
    assert select_sides(["HIP"], [], []).targets == ("hip",)
    assert select_sides([], ["native"], []).variants == ("checked",)
    assert select_sides([], ["CUDA"], []).without == {"cuda"}


def test_contradictions_are_errors() -> None:
    with pytest.raises(UsageError, match="leave nothing"):
        select_sides(["native"], ["native"], [])
    with pytest.raises(UsageError, match="leave nothing"):
        select_sides(["CUDA"], [], ["cpu"])
    with pytest.raises(UsageError, match="did you mean `Base_CUDA`"):
        select_sides(["Base_CUDO"], [], [])
    with pytest.raises(UsageError, match="leave `cuda` out of --targets"):
        select_sides([], ["Base_CUDA"], [])


@pytest.mark.parametrize(
    ("text", "size"), [("1", 1), ("1000000", 1_000_000), ("1e6", 1_000_000), (" 33554432 ", 33_554_432)]
)
def test_sizes_are_whole_numbers(text: str, size: int) -> None:
    assert positive_size(text) == size


@pytest.mark.parametrize("text", ["0", "-5", "many", "1.5", "nan", "inf", "1e999", "", "0x10", "-1e6"])
def test_what_is_no_size_is_an_error_that_repeats_it(text: str) -> None:
    with pytest.raises(UsageError, match="--size"):
        positive_size(text)
