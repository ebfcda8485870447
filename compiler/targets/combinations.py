"""Operations of reducers over structs, as functions that are always inlined."""

from __future__ import annotations

from ..checks.proved import Proved
from .body import BodyEmitter
from .environment import Environment, MathLibrary
from .reductions import struct_llvm
from .text import Function, Module


def define_combinations(
    proved: Proved, module: Module, math: MathLibrary, attributes: str = "", stack: int = 0
) -> None:
    """Define what `reductions.combine` calls, once for each reducer of a kernel.

    Parameters
    ----------
    attributes : str
        Of the functions that it is inlined into.
    stack : int
        Address space of their locals.
    """
    for reducer in proved.kernel.totals:
        c = reducer.combination
        if c is None or reducer in module.combinations:
            continue
        name = module.combinations[reducer] = f"kp_combine_{len(module.combinations)}"
        values = {v: f"%{'ab'[n]}.{k}" for n, row in enumerate((c.first, c.second)) for k, v in enumerate(row)}
        parameters = ", ".join(f"{v.type.llvm} {operand}" for v, operand in values.items())
        type_ = struct_llvm(reducer)
        f = Function(f"internal {type_} @{name}({parameters})", f"alwaysinline {attributes or 'nounwind'}", stack)
        body = BodyEmitter(proved, Environment({}, values, None, {}), f, module, math)
        body.block(c.statements)
        result = "undef"
        for number, value in enumerate(c.values):
            result = f.value(f"insertvalue {type_} {result}, {value.type.llvm} {body.value(value)}, {number}")
        f.ret(f"{type_} {result}")
        module.definitions.append(f.text())
