"""Mistakes and mishaps that end a command, each with the exit code that scripts can rely on."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit status means; `docs/exit-codes.md` is the user's page of this table."""

    OK = 0
    FAILED = 1
    USAGE = 2
    UNAVAILABLE = 3
    FOLDER = 4
    BUSY = 5
    DISK_FULL = 6
    INTERNAL = 70
    INTERRUPTED = 130
    TERMINATED = 143


class HarnessError(Exception):
    """A command cannot go on; the message says what happened, where, and what to do.

    Attributes
    ----------
    exit_code : ExitCode
        Status that the command ends with.
    """

    exit_code: ExitCode = ExitCode.FAILED


class UsageError(HarnessError):
    """An option or a name on the command line is not usable."""

    exit_code = ExitCode.USAGE


class CannotJudge(HarnessError):
    """The gate has no answer: rules, campaign or baseline cannot be used."""

    exit_code = ExitCode.USAGE


class NotPossibleHere(HarnessError):
    """The machine lacks what the command needs: a target, memory, a compiler."""

    exit_code = ExitCode.UNAVAILABLE


class FolderError(HarnessError):
    """A results folder cannot be created, written, read or resumed."""

    exit_code = ExitCode.FOLDER


class FolderBusy(HarnessError):
    """Another run holds the results folder."""

    exit_code = ExitCode.BUSY


class DiskFull(HarnessError):
    """The results folder's disk is full; everything recorded before is kept."""

    exit_code = ExitCode.DISK_FULL


class SourcesChanged(HarnessError):
    """The sources changed while a campaign ran; its walks so far are kept, later ones would measure something else."""


class WorkerCannotStart(HarnessError):
    """Worker processes die before they reach any work: a fault of the installation, not of a kernel."""

    exit_code = ExitCode.INTERNAL


class Interrupted(HarnessError):
    """The user or the system stopped the command; the state is saved."""

    exit_code = ExitCode.INTERRUPTED


class Terminated(Interrupted):
    """The command received SIGTERM; the state is saved."""

    exit_code = ExitCode.TERMINATED
