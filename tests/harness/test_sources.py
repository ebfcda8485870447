from __future__ import annotations

from pathlib import Path

from kparity.harness.sources import fingerprint, source_folders


def test_a_fingerprint_sees_every_change_of_a_source(tmp_path: Path) -> None:
    (tmp_path / "group").mkdir()
    source = tmp_path / "group" / "kernel.py"
    source.write_text("a = 1\n")
    first = fingerprint([tmp_path])
    assert fingerprint([tmp_path]) == first
    (tmp_path / "group" / "kernel.pyc").write_text("compiled")
    assert fingerprint([tmp_path]) == first
    source.write_text("a = 2\n")
    second = fingerprint([tmp_path])
    assert second != first
    source.rename(tmp_path / "group" / "renamed.py")
    assert fingerprint([tmp_path]) not in (first, second)


def test_kparitys_own_sources_and_a_users_suite_count(tmp_path: Path) -> None:
    names = {folder.name for folder in source_folders("rajaperf")}
    assert names == {"compiler", "suites", "baselines", "harness"}
    assert source_folders(str(tmp_path))[-1] == tmp_path
