"""Tables of numbers as constants of the generated code."""

from __future__ import annotations

from ..ir.nodes import AtomicUpdate, Constants, Expr, Inlined, Kernel, Load, Read, VariableKind
from ..ir.types import BOOL
from ..ir.walk import expressions_of, inlined, walk
from .text import Module, literal

_UNIFORM = (VariableKind.SCALAR, VariableKind.EXTENT, VariableKind.TEAM, VariableKind.LOOP)
_CONSTANT, _GLOBAL = 4, 1  # address spaces of NVIDIA's GPUs


def emit_table(table: Constants, kernel: Kernel, module: Module, *, is_gpu: bool) -> str:
    """Define a table once in a module; returns its address.

    On a GPU it lies in constant memory if all threads read the same element: different ones are served one by one.
    """
    if table not in module.tables:
        element = table.element
        name, size = f"@table.{len(module.tables)}", len(table.values)
        space = 0 if not is_gpu else _CONSTANT if _is_uniform(table, kernel) else _GLOBAL
        numbers = (str(int(v)) if element is BOOL else literal(v, element) for v in table.values)
        values = ", ".join(f"{element.stored} {number}" for number in numbers)
        where = f"addrspace({space}) " if space else ""
        module.globals.append(
            f"{name} = internal unnamed_addr {where}constant [{size} x {element.stored}] [{values}], align 16"
        )
        module.tables[table] = f"addrspacecast (ptr addrspace({space}) {name} to ptr)" if space else name
    return module.tables[table]


def _is_uniform(table: Constants, kernel: Kernel) -> bool:
    expressions = (e for s in inlined(kernel.body.body) for top in expressions_of(s) for e in walk(top))
    return all(_is_same(part) for e in expressions if isinstance(e, Load) and e.array is table for part in e.index)


def _is_same(index: Expr) -> bool:
    return not any(
        isinstance(e, (Load, AtomicUpdate, Inlined)) or (isinstance(e, Read) and e.variable.kind not in _UNIFORM)
        for e in walk(index)
    )
