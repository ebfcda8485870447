"""The proofs of a program: those of its kernels, and that its index arrays stay as they were inspected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..diagnostics.diagnostic import CompileError, Diagnostic, Label
from ..ir.nodes import Access, Array, Kernel, Reducer
from ..ir.programs import KernelCall, Program, memory_of
from .prove import prove
from .proved import Proved


def prove_program(program: Program) -> dict[Kernel, Proved]:
    """Prove every kernel that a program calls; raises CompileError with the faults of all of them."""
    proofs: dict[Kernel, Proved] = {}
    faults: list[Diagnostic] = []
    for kernel in dict.fromkeys(call.kernel for call in program.calls):
        try:
            proofs[kernel] = prove(kernel)
        except CompileError as error:
            faults.extend(error.diagnostics)
    if not faults:
        faults.extend(_rewritten_lists(program, proofs))
    if faults:
        raise CompileError(tuple(dict.fromkeys(faults)))
    return proofs


def _rewritten_lists(program: Program, proofs: Mapping[Kernel, Proved]) -> Iterator[Diagnostic]:
    """Index arrays are inspected before a program runs, so none of its calls may write to them."""
    for call in program.calls:
        inspected = {name for i in proofs[call.kernel].inspections for name in i.lists}
        for name, array in _arrays_of(call, Access.REF):
            same = next((those for those in program.swapped if array in those), {array})
            writer = next((c for c in program.calls if same & set(dict(_arrays_of(c)).values())), None)
            if name in inspected and writer is not None:
                yield Diagnostic(
                    "KP0403",
                    f"`{array.name}` decides the indices of `{call.kernel.name}`, but this program writes to it",
                    program.source,
                    (
                        Label(call.span, "inspected before the program runs", primary=True),
                        Label(writer.span, f"`{array.name}` is written here"),
                    ),
                    notes=("what was inspected would not be what the kernel reads",),
                    helps=(f"write `{array.name}` in a program of its own, and call this one after it",),
                )


def _arrays_of(call: KernelCall, access: Access | None = None) -> list[tuple[str, Array | Reducer]]:
    """Return the kernel's names and the program's memory that a call borrows in one way; by default, to write."""
    pairs = zip(call.kernel.parameters, call.arguments, strict=True)
    borrows = [
        (p, a, p.access if isinstance(p, Array) else Access.MUT) for p, a in pairs if isinstance(p, Array | Reducer)
    ]
    return [
        (p.name, memory_of(a)) for p, a, borrow in borrows
        if isinstance(a, Array | Reducer) and (borrow is access if access else borrow is not Access.REF)
    ]  # fmt: skip
