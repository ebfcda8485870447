"""The ledger: an orphan branch with one commit a campaign, whose tree is the campaign's manifest."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import HarnessError

BRANCH = "ledger"
_ATTEMPTS = 5  # a lost race is repaired by starting from the winner's commit
_IDENTITY = ("-c", "user.name=kparity", "-c", "user.email=kparity@localhost")


class LedgerError(HarnessError):
    """The ledger could not be read or extended; the message says what git answered."""


def append(repository: Path, manifest: Mapping[str, Any], *, branch: str = BRANCH) -> str:
    """Add one commit to the ledger, without touching work tree, index or the branch that is checked out.

    Parameters
    ----------
    repository : Path
        Any folder of the git repository.
    manifest : mapping
        What the night was made of: `run` (its id), source commit, toolchain, drivers, devices. Must be JSON.
    branch : str
        Branch to extend; created as an orphan if there is none.

    Returns
    -------
    str
        Hash of the commit. A campaign that is in the ledger already keeps its commit.

    Raises
    ------
    LedgerError
        `repository` is not one, or git refused.
    """
    run = str(manifest["run"])
    text = json.dumps(manifest, indent=2, sort_keys=True) + "\n"
    reference = f"refs/heads/{branch}"
    blob = _git(repository, "hash-object", "-w", "--stdin", input=text)
    tree = _git(repository, "mktree", input=f"100644 blob {blob}\tmanifest.json\n")
    for _ in range(_ATTEMPTS):
        parent = _tip(repository, reference)
        known = find(repository, run, branch=branch) if parent else None
        if known:
            return known
        ancestry = ("-p", parent) if parent else ()
        commit = _git(repository, *_IDENTITY, "commit-tree", tree, *ancestry, "-m", f"run {run}")
        refusal = _advance(repository, reference, commit, parent)
        if not refusal:
            return commit
    raise LedgerError(
        f"branch {branch} could not be extended, try `kparity report --record` again; git says: {refusal}"
    )


def find(repository: Path, run: str, *, branch: str = BRANCH) -> str | None:
    """Return the ledger's commit of a campaign, or None."""
    return next((commit for commit, known in commits(repository, branch=branch) if known == run), None)


def commits(repository: Path, *, branch: str = BRANCH) -> list[tuple[str, str]]:
    """Return the ledger's commits with the id of the campaign that each is about, the oldest first.

    Raises
    ------
    LedgerError
        There is no ledger.
    """
    if not _tip(repository, f"refs/heads/{branch}"):
        raise LedgerError(
            f"there is no branch {branch} in {repository}: fetch it (git fetch origin {branch}:{branch}), or record a "
            "first campaign with `kparity report DIR --record`"
        )
    listing = _git(repository, "log", "--reverse", "--format=%H %s", f"refs/heads/{branch}", "--")
    lines = (line.split(" ", 1) for line in listing.splitlines())
    return [(commit, subject.removeprefix("run ")) for commit, subject in lines]


def read(repository: Path, commit: str) -> dict[str, Any]:
    """Return the manifest that a commit of the ledger holds."""
    manifest: dict[str, Any] = json.loads(_git(repository, "cat-file", "blob", f"{commit}:manifest.json"))
    return manifest


def _tip(repository: Path, reference: str) -> str:
    """Hash that `reference` points to; empty if it does not exist."""
    return _git(repository, "for-each-ref", "--format=%(objectname)", reference)


def _advance(repository: Path, reference: str, commit: str, parent: str) -> str:
    """Move `reference` from `parent` to `commit`; return why git refused (another process was first), or nothing."""
    # An old value of zeros means "must not exist yet": git compares and swaps under its own lock.
    expected = parent or "0" * len(commit)
    command = ["git", "-C", str(repository), "update-ref", reference, commit, expected]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def _git(repository: Path, *arguments: str, input: str | None = None) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(repository), *arguments], input=input, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise LedgerError("git is not installed; the ledger is a branch of a git repository") from error
    if done.returncode:
        raise LedgerError(f"git {arguments[0]} failed in {repository}: {done.stderr.strip()}")
    return done.stdout.strip()
