"""Options, skips and isolation that hold for every test."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

_LAST = "tests/packaging/test_single_import.py"  # judges what all the others have imported
_cache = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files to what is rendered now")


def pytest_configure(config: pytest.Config) -> None:
    """Give the session a cache folder of its own: compiled code is shared by its tests, never with the user's."""
    folder = tempfile.mkdtemp(prefix="kparity-test-cache-")
    config.stash[_cache] = folder
    os.environ["KPARITY_CACHE"] = folder


def pytest_unconfigure(config: pytest.Config) -> None:
    if folder := config.stash.get(_cache, ""):
        shutil.rmtree(folder, ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    on_gpu = [item for item in items if item.get_closest_marker("cuda")]
    if on_gpu and (reason := _why_no_cuda()):
        for item in on_gpu:
            item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=lambda item: item.nodeid.startswith(_LAST))  # stable: the order of the others is kept


def _why_no_cuda() -> str | None:
    from kparity.compiler import targets

    return targets()["cuda"]


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))
