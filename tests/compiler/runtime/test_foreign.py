"""Arrays of other libraries on the host: borrowed without a copy, refused where only a copy would do."""

from __future__ import annotations

import array
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kparity.compiler import LaunchError, empty
from kparity.compiler import array as owned

from ..sources import kernel

AXPY = kernel("""
    def axpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] += a * x[i]
    """)
FILL = kernel("""
    def fill(y: Out[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] = a
    """)


def refused(y: Any, x: Any) -> str:
    with pytest.raises(LaunchError) as caught:
        AXPY(y, x, 2.0)
    return str(caught.value)


@pytest.mark.parametrize("library", ["numpy", "array", "memmap", "mmap", "pandas"])
def test_writable_memory_is_written_in_place(library: str, tmp_path: Path) -> None:
    x: Any = np.ones(512)
    if library == "array":
        y: Any = array.array("d", [1.0] * 512)
    elif library == "memmap":
        y = np.memmap(tmp_path / "y", np.float64, "w+", shape=512)
        y[:] = 1.0
    elif library == "mmap":
        raw = mmap.mmap(-1, 4096)
        raw.write(np.ones(512).tobytes())
        y = memoryview(raw).cast("d")
    elif library == "pandas":
        pandas = pytest.importorskip("pandas")
        y = np.ones(512)
        x = pandas.DataFrame({"a": np.ones(512), "b": np.zeros(512)})["a"]
    else:
        y = np.ones(512)
    AXPY(y, x, 2.0)
    assert np.asarray(y).tolist() == [3.0] * 512


def test_a_tensor_of_pytorch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    y, x = torch.zeros(100, dtype=torch.float64), torch.ones(100, dtype=torch.float64)
    AXPY(y, x, 2.0)
    assert y.tolist() == [2.0] * 100
    data = np.zeros(100)
    assert "KP0803" in refused(torch.from_numpy(data), data)
    with_gradient = torch.ones(100, dtype=torch.float64, requires_grad=True)
    message = refused(y, with_gradient)
    assert "KP0804" in message and "does not lend its memory" in message and "detach" in message
    assert "float64" in refused(y, torch.ones(100))


def test_an_array_of_jax_is_read_only() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.config.update("jax_enable_x64", True)
    x, y = jax.numpy.ones(100), np.zeros(100)
    AXPY(y, x, 2.0)
    assert y.tolist() == [2.0] * 100
    assert "`y` is read-only" in refused(jax.numpy.zeros(100), x)


def test_columns_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    y = np.zeros(3)
    AXPY(y, pandas.Series([1.0, 2.0, 3.0]), 1.0)
    assert y.tolist() == [1.0, 2.0, 3.0]
    assert "`y` is read-only" in refused(pandas.Series([1.0, 2.0, 3.0]), y)
    message = refused(y, pandas.Series([1, None, 3], dtype="Int64"))
    assert "can only be copied" in message and "Int64" in message and "`.to_numpy()`" in message


def test_an_array_of_pyarrow() -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    y = np.zeros(3)
    AXPY(y, pyarrow.array([1.0, 2.0, 3.0]), 1.0)
    assert y.tolist() == [1.0, 2.0, 3.0]
    assert "KP0804" in refused(y, pyarrow.array([1.0, None, 3.0]))


def test_bytes_are_read_only() -> None:
    data = memoryview(np.ones(3).tobytes()).cast("d")
    y = np.zeros(3)
    AXPY(y, data, 1.0)
    assert y.tolist() == [1.0] * 3 and "`y` is read-only" in refused(data, y)


def test_what_is_no_array_is_said() -> None:
    assert "`x` is a list, not an array" in refused(np.zeros(3), [1.0, 2.0, 3.0])
    assert "`x` is a str, not an array" in refused(np.zeros(3), "abc")


def test_one_memory_seen_twice_is_found() -> None:
    y = np.zeros(8)
    assert "KP0803" in refused(y, memoryview(y))


def test_results_are_given_away_without_a_copy() -> None:
    y = empty(64)
    FILL(y, 2.0)
    with y.read() as view:
        place = view.__array_interface__["data"][0]
    given = y.into_numpy()
    assert given.tolist() == [2.0] * 64 and given.__array_interface__["data"][0] == place
    given[0] = 1.0
    with pytest.raises(LaunchError, match=r"given away at .*test_foreign.py"):
        FILL(y, 3.0)


def test_what_is_borrowed_or_empty_is_not_given_away() -> None:
    with pytest.raises(LaunchError, match="holds nothing"):
        empty(3).into_numpy()
    y = owned([1.0])
    with y.read(), pytest.raises(LaunchError, match="KP0807"):
        y.into_numpy()
