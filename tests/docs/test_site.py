"""The pages build into a site, without a warning and without a network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FETCHED = re.compile(r"""<(?:script|img|iframe|link[^>]+stylesheet)[^>]+(?:src|href)=["']?(?:https?:)?//""")


@pytest.mark.slow
def test_the_site_builds_strictly_and_fetches_nothing(tmp_path: Path) -> None:
    for module in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(module, reason=f"{module} is not installed: pip install 'kparity[docs]'")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", str(tmp_path)]
    if can_be_alone():
        command = ["unshare", "--net", "--map-root-user", *command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    built = {str(page.relative_to(tmp_path)): page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html")}
    assert {"index.html", "tutorial.html", "errors/KP0401.html"} <= set(built)
    assert not [name for name, text in built.items() if FETCHED.search(text)]


def can_be_alone() -> bool:
    """Whether a process can be started without any network."""
    command = ["unshare", "--net", "--map-root-user", "true"]
    return bool(shutil.which("unshare")) and subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_every_error_is_in_the_list() -> None:
    listed = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs" / "errors").glob("*.md"):
        title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix(f"# {page.stem}: ")
        assert f"| [{page.stem}](errors/{page.stem}.md) | {title} |" in listed
