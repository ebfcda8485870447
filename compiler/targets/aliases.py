"""What LLVM is told about arrays that do not overlap, and no more than is true (design section 4).

`noalias` on a parameter promises that no other *thread* touches its elements either, barriers or not: LLVM may then
move an access over a barrier. Where threads hand elements to each other over barriers, scopes say what is left: that
this thread's accesses to one array are never to another one.
"""

from __future__ import annotations

from ..checks.proved import Proved
from ..ir.nodes import Access, Storage
from .abi import Slot
from .text import Module


def slot_attributes(proved: Proved, slot: Slot, alignment: int = 0) -> str:
    """Return the attributes of an address in the argument list, with a space behind; nothing for a number."""
    if slot.is_by_value or slot.indirect:
        return f"noalias readonly align {slot.alignment} "
    if slot.kind != "array":
        return ""
    access = next(a.access for a in proved.kernel.arrays if a.name == slot.name)
    earned = "noalias " if slot.name in proved.unaliased else ""
    return earned + ("readonly " if access is Access.REF else "") + f"align {alignment or slot.type.bytes} "


def alias_metadata(proved: Proved, module: Module) -> dict[Storage, str]:
    """Return the metadata of plain accesses to each exclusive array that did not earn `noalias`."""
    exclusive = (Access.MUT, Access.OUT)
    arrays = [a for a in proved.kernel.arrays if a.access in exclusive and a.name not in proved.unaliased]
    if len(arrays) < 2:
        return {}
    domain = module.metadata('!"arrays"')
    scopes = [module.metadata(domain) for _ in arrays]
    found: dict[Storage, str] = {}
    for array, mine in zip(arrays, scopes, strict=True):
        others = ", ".join(s for s in scopes if s != mine)
        found[array] = f", !alias.scope !{{{mine}}}, !noalias !{{{others}}}"
    return found
