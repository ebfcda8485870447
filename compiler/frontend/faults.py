"""The wording of the faults that the front end finds: one function a fault."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ..diagnostics.diagnostic import Diagnostic, Label
from ..ir.source import Source, Span
from ..ir.types import Scalar


class Fault(Exception):
    """Stops one statement; the rest of the kernel is still examined."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


class Poisoned(Exception):
    """A name whose definition had a fault was used: already reported, so silent."""


class Faults:
    """Makes diagnostics of one kernel."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def fault(
        self, code: str, message: str, span: Span, text: str = "", *,
        others: Iterable[tuple[Span, str]] = (), notes: Iterable[str] = (), helps: Iterable[str] = (),
    ) -> Fault:  # fmt: skip
        """Return a fault with one primary label."""
        labels = (Label(span, text, True), *(Label(s, t) for s, t in others))
        return Fault(Diagnostic(code, message, self.source, labels, notes=tuple(notes), helps=tuple(helps)))

    def unsupported_statement(self, what: str, span: Span, help_: str = "") -> Fault:
        """KP0101."""
        return self.fault(
            "KP0101", f"{what} is not part of the kernel language", span, "not supported here",
            helps=[help_] if help_ else [],
        )  # fmt: skip

    def unsupported_expression(self, what: str, span: Span, help_: str = "") -> Fault:
        """KP0102."""
        return self.fault(
            "KP0102", f"{what} is not part of the kernel language", span, "not supported here",
            helps=[help_] if help_ else [],
        )  # fmt: skip

    def unknown_name(self, name: str, span: Span, known: Iterable[str]) -> Fault:
        """KP0103."""
        near = difflib.get_close_matches(name, list(known), n=1)
        return self.fault(
            "KP0103", f"unknown name `{name}`", span, "not defined here",
            helps=[f"did you mean `{near[0]}`?"] if near else [
                "a kernel knows its parameters, the names in their dims, its own variables, and numbers of the"
                f" enclosing module: define `{name}` before it"
            ],
        )  # fmt: skip

    def not_one_parallel(self, span: Span, text: str, note: str) -> Fault:
        """KP0104."""
        return self.fault(
            "KP0104", "a kernel is one top-level `for ... in parallel(...)`", span, text, notes=[note],
            helps=["write several kernels and call them from a function under `@program`"],
        )  # fmt: skip

    def bad_parameter(self, message: str, span: Span, text: str, help_: str) -> Fault:
        """KP0105."""
        return self.fault("KP0105", message, span, text, helps=[help_])

    def bad_loop(self, message: str, span: Span, text: str, help_: str) -> Fault:
        """KP0106."""
        return self.fault("KP0106", message, span, text, helps=[help_])

    def types_differ(self, what: str, span: Span, left: Scalar, right: Scalar, help_: str) -> Fault:
        """KP0201."""
        return self.fault("KP0201", f"{what}: `{left}` and `{right}`", span, "types differ here", helps=[help_])

    def wrong_type(self, message: str, span: Span, text: str, help_: str) -> Fault:
        """KP0201, for one operand."""
        return self.fault("KP0201", message, span, text, helps=[help_])

    def narrowing(self, source: Scalar, target: Scalar, why: str, span: Span) -> Fault:
        """KP0202."""
        return self.fault(
            "KP0202", f"`{source}` to `{target}` loses values and needs a written cast", span, f"this is `{source}`",
            notes=[why], helps=[f"write `{target}(...)` if the loss is meant"],
        )  # fmt: skip

    def wrong_rank(self, array: str, rank: int, given: int, span: Span, declared: Span) -> Fault:
        """KP0203."""
        return self.fault(
            "KP0203", f"`{array}` has {rank} dimension{'s' if rank != 1 else ''}, but is indexed by {given}", span,
            f"{given} ind{'ices' if given != 1 else 'ex'} here", others=[(declared, "declared here")],
            helps=["give one index for each dimension, the fastest last; views and slices are not indices"],
        )  # fmt: skip

    def wrong_arguments(self, function: str, message: str, span: Span, help_: str) -> Fault:
        """KP0204."""
        return self.fault("KP0204", f"`{function}` {message}", span, "called here", helps=[help_] if help_ else [])

    def maybe_unassigned(self, name: str, span: Span, assigned: Span) -> Fault:
        """KP0205."""
        return self.fault(
            "KP0205", f"`{name}` may be read before it is assigned", span, "read here",
            others=[(assigned, "assigned here, but not on every path")],
            helps=[f"give `{name}` a value before the branch or loop"],
        )  # fmt: skip

    def buffer_ended(self, name: str, span: Span, declared: Span) -> Fault:
        """KP0103, for a buffer."""
        return self.fault(
            "KP0103", f"`{name}` is an array of the block that declares it, which has ended", span, "not defined here",
            others=[(declared, "declared here")], helps=[f"declare `{name}` before the branch or loop"],
        )  # fmt: skip

    def write_through_ref(self, array: str, span: Span, declared: Span, element: Scalar) -> Fault:
        """KP0501."""
        return self.fault(
            "KP0501", f"cannot write to `{array}`: it is borrowed as `Ref`, shared and read-only", span, "written here",
            others=[(declared, "borrowed here")],
            helps=[f"borrow it exclusively: `{array}: Mut[{element}, ...]`"],
        )  # fmt: skip

    def plain_access_to_atomic(self, array: str, what: str, span: Span, declared: Span, help_: str) -> Fault:
        """KP0506."""
        return self.fault(
            "KP0506", f"`{array}` is borrowed as `Atomic`: a plain access could meet another thread's update",
            span, f"{what} here", others=[(declared, "borrowed here")],
            notes=["all threads share an `Atomic` array, so atomic operations are the only ones it has"],
            helps=[help_],
        )  # fmt: skip

    def reducer_used(self, name: str, span: Span, declared: Span) -> Fault:
        """KP0504."""
        return self.fault(
            "KP0504", f"reducer `{name}` takes contributions only and has no value inside the kernel",
            span, "used here", others=[(declared, "declared here")],
            notes=["what a reducer holds while threads still contribute depends on their order"],
            helps=[
                f"contribute with `{name} += ...` (Sum) or `{name}.update(...)`; read it in a later kernel or on the"
                " host"
            ],
        )  # fmt: skip
