"""A diagnostic is a value: code, message, labelled spans, notes, help."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import KparityError
from ..ir.source import Source, Span


@dataclass(frozen=True, slots=True)
class Label:
    """A span with a few words; the primary one is where the fault is."""

    span: Span
    text: str
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault of one kernel.

    Attributes
    ----------
    code : str
        `KP` and four digits; each has a page in `docs/errors/`.
    message : str
        One line that makes sense alone: lower case, no full stop, names in backticks.
    labels : tuple of Label
        Exactly one is primary.
    witness : str
        Concrete values that show the fault (threads, sizes, element); empty if there is none.
    notes, helps : tuple of str
        Why it is a fault; what to write instead.
    """

    code: str
    message: str
    source: Source
    labels: tuple[Label, ...]
    witness: str = ""
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()

    @property
    def span(self) -> Span:
        """Where the fault is."""
        return next(label.span for label in self.labels if label.primary)


class CompileError(KparityError):
    """A kernel that does not compile; carries every diagnostic found, in source order."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=lambda d: (d.source.path, d.span)))
        from .render import render  # the renderer imports this module

        super().__init__("\n" + "\n".join(render(d) for d in self.diagnostics))
