"""The folder of a campaign: append-only records, one flushed line each, and what is needed to read them back."""

from __future__ import annotations

import errno
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from filelock import FileLock, Timeout

from .errors import DiskFull, FolderBusy, FolderError
from .records import Campaign, Cell, Record

JOURNAL = "journal.jsonl"
SHARDS = "journal*.jsonl"  # other hosts and devices append to shards of their own
PLAN, PROVENANCE, KERNELS, LOCK = "plan.json", "provenance.json", "kernels.json", ".lock"


class JournalWarning(UserWarning):
    """A line of a journal is not a record; it is left where it is, and not counted."""


class Journal:
    """Appends records to a campaign's folder, each on the disk before the next begins.

    Parameters
    ----------
    folder : Path
    name : str
        Of the file; other hosts and devices have shards of their own.
    """

    def __init__(self, folder: Path, name: str = JOURNAL) -> None:
        self.path = folder / name
        with explained(folder):
            self._file: IO[bytes] = open(self.path, "ab")  # noqa: SIM115 - lives as long as the campaign runs
            if _ends_amid_line(self.path):
                self._write(b"\n")  # a torn line stays what it is and the next record stays whole

    def append(self, record: Record) -> None:
        """Write one record and force it to the disk.

        Raises
        ------
        DiskFull
            No space is left; records written before are kept.
        FolderError
            The file cannot be written for another reason.
        """
        with explained(self.path.parent):
            self._write(record.to_json().encode() + b"\n")

    def close(self) -> None:
        """Close the file; idempotent."""
        with explained(self.path.parent):
            self._file.close()

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())


class explained:
    """Turn an operating system's refusal to write into an error that says what to do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise _explanation(self.folder, error) from error


def _explanation(folder: Path, error: OSError) -> FolderError | DiskFull:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(
            f"no space is left for results in {folder}: everything recorded so far is kept; free some space and go on "
            f"with `kparity run --resume {folder}`"
        )
    return FolderError(
        f"cannot write results to {folder}: {error.strerror or error}; choose another folder with --outdir"
    )


def open_folder(folder: Path) -> FileLock:
    """Create a results folder if need be, and hold it for this process.

    Returns
    -------
    FileLock
        Held; release it when the campaign ends.

    Raises
    ------
    FolderError
        It cannot be created or written.
    FolderBusy
        Another run holds it.
    """
    lock = FileLock(folder / LOCK)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise FolderBusy(
                f"another run is writing to {folder}; wait for it to end, or choose another folder with --outdir"
            ) from None
        probe = folder / ".write-test"
        probe.write_bytes(b"x")
        probe.unlink()
    return lock


def write_text(folder: Path, name: str, text: str) -> None:
    """Replace a file of the folder, atomically; raises DiskFull or FolderError."""
    with explained(folder):
        draft = folder / f".{name}.draft"
        with open(draft, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / name)


def write_json(folder: Path, name: str, value: Mapping[str, Any]) -> None:
    """Replace a JSON file of the folder, atomically; raises DiskFull or FolderError."""
    write_text(folder, name, json.dumps(value, indent=1, default=str) + "\n")


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """Read a JSON object of the folder; empty if there is no such file.

    Raises
    ------
    FolderError
        It is there, but is not a JSON object.
    """
    path = folder / name
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FolderError(f"cannot read {path}: {error}") from error
    if not isinstance(value, dict):
        raise FolderError(f"cannot read {path}: it does not hold a JSON object")
    return value


def read_records(path: Path) -> Iterator[tuple[int, Record]]:
    """Yield the records of one journal with their line numbers; warn of a line that is none, naming file and line."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                yield number, Record.from_json(line)
            except ValueError as error:
                warnings.warn(
                    f"{path}:{number}: skipped a line that is not a record ({error}); it is kept as it is",
                    JournalWarning,
                    stacklevel=2,
                )


def merge(records: Iterable[tuple[str, Record]]) -> list[Record]:
    """Join records of several shards; idempotent.

    Parameters
    ----------
    records : iterable of (str, Record)
        Where each record stands, and the record.

    Returns
    -------
    list of Record
        In the order met, each (run, cell, walk, attempt) once.

    Raises
    ------
    FolderError
        Two records with the same key differ; both places are named.
    """
    seen: dict[tuple[str, Cell, int, int], tuple[str, Record]] = {}
    for place, record in records:
        key = (record.run, record.cell, record.walk, record.attempt)
        first_place, first = seen.setdefault(key, (place, record))
        if first != record:
            raise FolderError(
                f"{place} contradicts {first_place}: two records of {record.cell.kernel} {record.cell.variant} differ, "
                f"walk {record.walk}, attempt {record.attempt}; remove the one that does not belong to the campaign"
            )
    return [record for _, record in seen.values()]


def load(path: str | Path) -> Campaign:
    """Read a campaign back from its folder, finished or not.

    Parameters
    ----------
    path : str or Path
        The folder.

    Returns
    -------
    Campaign
        With the records of every shard, in the order written.

    Raises
    ------
    FolderError
        The folder holds no campaign, or cannot be read.

    Warns
    -----
    JournalWarning
        For each line that is not a record.
    """
    folder = Path(path)
    shards = sorted(folder.glob(SHARDS)) if folder.is_dir() else []
    plan = read_json(folder, PLAN) if folder.is_dir() else {}
    if not shards and not plan:
        raise FolderError(f"{folder} holds no campaign: there is no {JOURNAL} in it")
    placed = ((f"{shard}:{number}", record) for shard in shards for number, record in read_records(shard))
    try:
        records = merge(placed)
    except OSError as error:
        raise FolderError(f"cannot read {folder}: {error}") from error
    run = str(plan.get("run") or (records[0].run if records else folder.name))
    return Campaign(run, read_json(folder, PROVENANCE), records, read_json(folder, KERNELS))


def latest(records: Iterable[Record]) -> list[Record]:
    """Return, of several attempts at one cell and walk, the last one."""
    last: dict[tuple[Cell, int], Record] = {}
    for record in records:
        key = (record.cell, record.walk)
        if key not in last or record.attempt >= last[key].attempt:
            last[key] = record
    return list(last.values())


def _ends_amid_line(path: Path) -> bool:
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
