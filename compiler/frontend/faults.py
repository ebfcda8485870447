"""The wording of the faults that the front end finds: one function a fault."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from ..diagnostics.diagnostic import Diagnostic, Label
from ..ir.nodes import Array, Buffer, Reducer, Storage
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

    def unsupported_statement(self, what: str, span: Span, help_: str = "", *, code: str = "KP0101") -> Fault:
        """KP0101."""
        helps = [help_] if help_ else []
        return self.fault(code, f"{what} is not part of the kernel language", span, "not supported here", helps=helps)

    def unsupported_expression(self, what: str, span: Span, help_: str = "") -> Fault:
        """KP0102."""
        return self.unsupported_statement(what, span, help_, code="KP0102")

    def unknown_name(self, name: str, span: Span, known: Iterable[str], advice: str = "") -> Fault:
        """KP0103."""
        near = difflib.get_close_matches(name, list(known), n=1)
        return self.fault(
            "KP0103", f"unknown name `{name}`", span, "not defined here",
            helps=[advice] if advice else [f"did you mean `{near[0]}`?"] if near else [
                "a kernel knows its parameters, the names in their dims, its own variables, and numbers of the"
                f" enclosing module: define `{name}` before it"
            ],
        )  # fmt: skip

    def not_one_grid(self, span: Span, text: str, note: str, help_: str = "") -> Fault:
        """KP0104."""
        return self.fault(
            "KP0104", "a kernel is one top-level `for` over `parallel(...)` or `teams(...)`", span, text, notes=[note],
            helps=[help_ or "write several kernels and call them from a function under `@program`"],
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

    def narrowing(self, source: Scalar, target: Scalar, why: str, span: Span, help_: str = "") -> Fault:
        """KP0202."""
        return self.fault(
            "KP0202", f"`{source}` to `{target}` loses values and needs a written cast", span, f"this is `{source}`",
            notes=[why], helps=[f"{help_}write `{target}(...)` if the loss is meant"],
        )  # fmt: skip

    def wrong_rank(self, array: str, rank: int, given: int, span: Span, declared: Span) -> Fault:
        """KP0203."""
        return self.fault(
            "KP0203", f"`{array}` has {rank} dimension{'s' if rank != 1 else ''}, but is indexed by {given}", span,
            f"{given} ind{'ices' if given != 1 else 'ex'} here", others=[(declared, "declared here")],
            helps=["give one index for each dimension, the fastest last"],
        )  # fmt: skip

    def slice_used(self, array: Storage | Reducer, span: Span, help_: str) -> Fault:
        """KP0203, for `:`, `...`, `None` and `*` in an index."""
        return self.fault(
            "KP0203", f"`{array.name}` is indexed by a slice, which is more than one element", span, "a slice here",
            others=[(array.span, "declared here")], helps=[help_],
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

    def plain_access_to_atomic(self, array: Storage, what: str, span: Span, help_: str) -> Fault:
        """KP0506."""
        is_parameter = isinstance(array, Array)
        kind = "borrowed as `Atomic`" if is_parameter else "declared `atomic`"
        return self.fault(
            "KP0506", f"`{array.name}` is {kind}: a plain access could meet another thread's update",
            span, f"{what} here", others=[(array.span, "borrowed here" if is_parameter else "declared here")],
            notes=[f"all threads share {'an `Atomic` array' if is_parameter else 'it'},"
                   " so atomic operations are the only ones it has"],
            helps=[help_],
        )  # fmt: skip

    def reducer_used(self, reducer: Reducer, span: Span) -> Fault:
        """KP0504."""
        name, reduction = reducer.name, reducer.reduction
        one = f"{name}[{', '.join('bcde'[: len(reducer.dims)])}]" if reducer.dims else name
        usage = f"{one} += ..." if reduction.name == "Sum" else f"{one}.update(...{', i' * reduction.has_location})"
        return self.fault(
            "KP0504", f"reducer `{name}` takes contributions only and has no value inside the kernel",
            span, "used here", others=[(reducer.span, "declared here")],
            notes=["what a reducer holds while threads still contribute depends on their order"],
            helps=[f"contribute with `{usage}`; read it in a later kernel or on the host"],
        )  # fmt: skip

    def bad_buffer(self, message: str, span: Span, text: str, help_: str) -> Fault:
        """KP0107."""
        return self.fault("KP0107", message, span, text, helps=[help_])

    def misplaced_buffer(self, word: str, span: Span) -> Fault:
        """KP0107."""
        if word == "local":
            return self.fault(
                "KP0107", "a local array is no value", span, "not here",
                helps=["declare it in a statement of its own, `buffer = local(f64, 8)`, and use its elements"],
            )  # fmt: skip
        return self.fault(
            "KP0107", f"`{word}` memory is declared in the body of a `teams` itself", span, "not here",
            notes=["it is there for the whole team, whatever its phases, loops and conditions do"],
            helps=[f"write `buffer = {word}(...)` directly under `for ... in teams(...):`"],
        )  # fmt: skip

    def nested_phase(self, span: Span) -> Fault:
        """KP0507."""
        return self.fault(
            "KP0507", "a phase inside a phase", span, "ends with a barrier, as every phase does",
            notes=[
                "a thread of the outer phase would wait at that barrier for others that go another way, or that come to"
                " it another number of times"
            ],
            helps=["end the outer phase first; loops and conditions around phases stand outside of all phases"],
        )  # fmt: skip

    def barrier(self, name: str, span: Span) -> Fault:
        """KP0507."""
        return self.fault(
            "KP0507", f"there is no `{name}()`: a barrier is the end of a phase", span, "not a statement of its own",
            notes=["so all threads of a team come to it, and none waits for another that went a different way"],
            helps=["end the phase here and begin another: `for t in threads(...):`, inside of a `teams`"],
        )  # fmt: skip

    def leaves_loop_of_team(self, jump: str, span: Span) -> Fault:
        """KP0507."""
        return self.fault(
            "KP0507", f"`{jump}` in a phase cannot reach the loop around the phase", span, "done by one thread",
            notes=["the other threads of the team would wait for it at the end of the phase"],
            helps=["let the team leave its loop, by a condition outside of the phases; end a thread's part by an `if`"],
        )  # fmt: skip

    def needs_phase(self, what: str, span: Span, *, reads: bool) -> Fault:
        """KP0508."""
        why = "a slow one could find what a fast one has changed already, and go another way from there"
        return self.fault(
            "KP0508", f"a team cannot {what} outside of its phases", span, "outside of the phases",
            notes=[
                "every thread of the team executes what stands here, and no barrier between them: "
                + (why if reads else "each of them would do it")
            ],
            helps=[
                "read it in a phase, or borrow the array as `Ref`: those may be read here" if reads
                else "do it in a phase; one with a single thread is `for t in threads(1):`"
            ],
        )  # fmt: skip

    def crosses_phase(self, name: str, span: Span, assigned: Span) -> Fault:
        """KP0509."""
        return self.fault(
            "KP0509", f"`{name}` has no value here: it is a name of another phase", span, "read here",
            others=[(assigned, "defined here")],
            notes=["names of a phase end with it: each of its threads had a value of its own"],
            helps=["compute it again, or keep it in `private(...)` memory, or, for other threads, in `shared(...)`"],
        )  # fmt: skip

    def team_local_assigned(self, name: str, span: Span, assigned: Span) -> Fault:
        """KP0509."""
        return self.fault(
            "KP0509", f"`{name}` belongs to the whole team and cannot be assigned in a phase", span,
            "assigned by a thread", others=[(assigned, "assigned outside of the phases here")],
            notes=["each thread would give it a value of its own, and the next loop or condition might be divergent"],
            helps=["use another name in the phase"],
        )  # fmt: skip

    def out_of_order(self, span: Span, reason: str) -> Fault:
        """KP0511."""
        return self.fault(
            "KP0511", f"this is at odds with stores in the order of the threads: {reason}", span, "not possible here",
            notes=["a target may run the body twice, or hold these stores back to its end, so it has no other effect"],
            helps=["do the rest in a kernel of its own, and call both from a function under `@program`"],
        )  # fmt: skip

    def pushed_only(self, name: str, span: Span, declared: Span) -> Fault:
        """KP0511, for the list."""
        return self.fault(
            "KP0511", f"`{name}` is borrowed as `Push`, and is neither read nor indexed", span, "indexed here",
            others=[(declared, "borrowed here")],
            notes=["the place of an item is known when all earlier threads are done"],
            helps=[f"write `{name}.push(...)`, and read the list in a later kernel"],
        )  # fmt: skip

    def private_elsewhere(self, buffer: str, span: Span, declared: Span, phase: Span) -> Fault:
        """KP0510."""
        return self.fault(
            "KP0510", f"`{buffer}` is private to the threads of phases of another shape", span, "used here",
            others=[(declared, "declared here"), (phase, "this phase has other threads")],
            notes=["only phases with the very ranges of `threads=...` have the threads that the memory belongs to"],
            helps=["use `shared(...)` memory between phases of different shapes"],
        )  # fmt: skip

    def private_of_another(self, buffer: Buffer, own: str, span: Span) -> Fault:
        """KP0510."""
        index = f"{own}, ..." if len(buffer.dims) > buffer.threads else own
        return self.fault(
            "KP0510", f"`{buffer.name}` is private: a thread reaches only what is its own", span,
            "not the thread's own index", others=[(buffer.span, "declared here")],
            notes=["private memory is kept in registers, which no other thread can reach"],
            helps=[f"begin with the thread's own index, `{buffer.name}[{index}]`, or use `shared(...)` memory"],
        )  # fmt: skip
