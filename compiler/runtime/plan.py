"""The launch plan of a compiled program: everything that a launch needs, as plain data that a cache can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from ..checks.proved import Affine, Inspection, Proved
from ..ir.nodes import Access, Array, Kernel, Load, Reducer, Struct, Variable
from ..ir.programs import Fill, KernelCall, Program, scalar_arguments
from ..ir.source import Source
from ..ir.types import I64, SCALARS
from ..targets.abi import Slot, kernel_slots
from ..targets.reductions import state_offsets
from ..targets.tested import Site, sites
from .expression_text import HELPERS, expression_text, number_text, shown_text, substituted
from .inspection_plan import InspectionPlan, inspection_plan
from .manifest import Manifest
from .member_plan import MemberPlan, member_plans
from .program_manifest import program_manifest
from .steps import Step, folded_fills, period_of, steps_of
from .team_plan import TeamPlan, team_plan


@dataclass(frozen=True, slots=True)
class ArrayPlan:
    """An array or reducer parameter of the program, or a member of a pack (`xs[0]`, `xs[1]`, ...).

    Attributes
    ----------
    dims : list of (lower, upper, text)
        Bounds as launch expressions, and the dim as written.
    fields : list of (type, offset)
        Of a reducer whose elements are more than one number.
    order : tuple of int
        Dims as they lie in memory, the slowest first; empty for row-major.
    """

    name: str
    type: str
    access: str
    dims: list[tuple[str, str, str]]
    fields: list[tuple[str, int]] = field(default_factory=list)
    order: tuple[int, ...] = ()

    @property
    def element_bytes(self) -> int:
        """Size of an element, padded as in C."""
        if not self.fields:
            return SCALARS[self.type].bytes
        (last, at), widest = self.fields[-1], max(SCALARS[type_].bytes for type_, _ in self.fields)
        return -(-(at + SCALARS[last].bytes) // widest) * widest


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """One argument of a lowered kernel, and the launch expression (or the program's array) that fills it."""

    kind: str
    name: str
    type: str
    source: str
    bytes: int
    indirect: bool = False


@dataclass(frozen=True, slots=True)
class GuardPlan:
    """A launch condition of one call.

    Attributes
    ----------
    condition : str
        Launch expression that must hold.
    text, access, place : str
        In the user's words; source text of the access, empty for a `require`; `file:line`.
    """

    condition: str
    text: str
    access: str
    place: str


@dataclass(frozen=True, slots=True)
class SitePlan:
    """An access that is tested: as written, `file:line`, and the names of the indices that tell its thread."""

    access: str
    place: str
    indices: list[str]


@dataclass(frozen=True, slots=True)
class CallPlan:
    """One kernel call.

    Attributes
    ----------
    symbol : str
        Name of the lowered kernel.
    values : dict
        Kernel scalar or extent -> launch expression of the program's.
    arrays : list of (parameter, argument, access)
        Array and reducer parameters of the kernel and what the program passes.
    returned : list of int
        Result slot of each of the kernel's reducers; -1 for one that stays on the device.
    publishes : bool
        Whether this call is the one that tells the host that the repetition's results have arrived.
    """

    symbol: str
    kernel: str
    slots: list[SlotPlan]
    values: dict[str, str]
    arrays: list[tuple[str, str, str]]
    guards: list[GuardPlan]
    returned: list[int]
    publishes: bool
    versions: list[tuple[str, bool, bool, int, bool, bool, bool]]  # of the lowered kernel: see gpu_versions.Version
    team: TeamPlan | None = None
    inspections: list[InspectionPlan] = field(default_factory=list)
    sites: list[SitePlan] = field(default_factory=list)  # of accesses that are tested
    members: list[MemberPlan] = field(default_factory=list)
    library: list[str] = field(default_factory=list)  # that does it, and its arrays' types; then nothing is lowered


@dataclass(frozen=True, slots=True)
class Plan:
    """A compiled program without its code.

    Attributes
    ----------
    steps : list of Step
        What a repetition does.
    period : int
        After how many repetitions the launches are the same again; 0 if that is not known.
    swapped : list of list of str
        Arrays that may stand for each other.
    scratch : list of ArrayPlan
        Memory of the program's own, made when arguments are bound.
    """

    manifest: Manifest
    arrays: list[ArrayPlan]
    scalars: list[tuple[str, str]]
    extents: list[str]
    calls: list[CallPlan]
    steps: list[Step]
    period: int
    swapped: list[list[str]]
    scratch: list[ArrayPlan] = field(default_factory=list)

    def to_json(self) -> str:
        """Return the plan as JSON."""
        return json.dumps({**asdict(self), "manifest": self.manifest.to_json()})

    @staticmethod
    def from_json(text: str) -> Plan:
        """Inverse of `to_json`."""
        raw = json.loads(text)
        calls = [
            CallPlan(**{
                **c,
                "slots": [SlotPlan(**s) for s in c["slots"]],
                "guards": [GuardPlan(**g) for g in c["guards"]],
                "sites": [SitePlan(**site) for site in c["sites"]],
                "arrays": [(p, a, k) for p, a, k in c["arrays"]],
                "versions": [tuple(v) for v in c["versions"]],
                "team": TeamPlan(**c["team"]) if c["team"] else None,
                "inspections": [InspectionPlan.from_json(i) for i in c["inspections"]],
                "members": [MemberPlan(**m) for m in c["members"]],
            })
            for c in raw["calls"]
        ]  # fmt: skip
        arrays, scratch = (
            [
                ArrayPlan(
                    **{**a, **{n: list(map(tuple, a[n])) for n in ("dims", "fields")}, "order": tuple(a["order"])}
                )
                for a in raw[kind]
            ]
            for kind in ("arrays", "scratch")
        )
        scalars = [(n, t) for n, t in raw["scalars"]]
        rest = {name: raw[name] for name in ("extents", "steps", "period", "swapped")}
        return Plan(Manifest.from_json(raw["manifest"]), arrays, scalars, calls=calls, scratch=scratch, **rest)


def make_plan(
    program: Program, proved: Mapping[Kernel, Proved], symbols: Mapping[int, str], *, device_reduction: bool
) -> Plan:
    """Derive the launch plan.

    Parameters
    ----------
    proved : mapping
        Typed kernel -> its proofs.
    symbols : mapping
        Position of a call in the program -> symbol of its lowered kernel.
    """
    arrays = [a for p in program.parameters if isinstance(p, (Array, Reducer)) for a in _array_plans(p)]
    scalars = [(p.name, p.type.name) for p in program.parameters if isinstance(p, Variable)]
    inspections = [i for p in proved.values() for i in p.inspections]
    fills = folded_fills(program.statements)
    last_returning = max((i for i, c in enumerate(program.calls) if _returns(c, program)), default=-1)
    calls = [
        _call_plan(
            c, program, proved[c.kernel], symbols[i], fills.get(c, {}), i == last_returning, device_reduction,
            inspections,
        )
        for i, c in enumerate(program.calls)
    ]  # fmt: skip
    numbers = iter(range(len(calls)))
    steps = steps_of(program.statements, lambda _: next(numbers))
    swapped = [sorted(a.name for a in those) for those in program.swapped]
    extents, scratch = [v.name for v in program.extents], [p for a in program.scratch for p in _array_plans(a)]
    return Plan(program_manifest(program), arrays, scalars, extents, calls, steps, period_of(program), swapped, scratch)


_ONE = ("0", "1", "1")  # the dim of a reducer's buffer


def plan_of_manifest(manifest: Manifest) -> Plan:
    """Return what a launch of foreign code needs to be checked: arguments and extents, but no calls."""
    arrays, extents = [], []
    for p in manifest.parameters:
        if p.kind in ("array", "pack", "reducer"):
            bounds = [text.rpartition("..") for text in p.dims]
            dims = [(lower or "0", upper, f"{lower}{dots}{upper}") for lower, dots, upper in bounds]
            fields = [(type_, at) for _, type_, at in p.held]
            arrays += _members(ArrayPlan(p.name, p.type, p.access, dims or [_ONE], fields, p.order), p.members)
        elif p.kind in ("extent", "lengths"):
            extents += [f"{p.name}[{m}]" for m in range(p.members)] or [p.name]
    scalars = [(p.name, p.type) for p in manifest.parameters if p.kind == "scalar"]
    return Plan(manifest, arrays, scalars, extents, [], [], 1, [])


def _members(array: ArrayPlan, members: int) -> list[ArrayPlan]:
    """Return the array, or each member of a pack; what each has of its own, `n[]`, gets the member's number."""

    def numbered(text: str, member: int) -> str:
        return text.replace("[]", f"[{member}]")

    return [
        replace(
            array, name=f"{array.name}[{m}]", dims=[(lo, numbered(hi, m), numbered(t, m)) for lo, hi, t in array.dims]
        )
        for m in range(members)
    ] or [array]


def returned_slots(call: KernelCall, program: Program) -> list[int]:
    """Return the result slot of each reducer of a call, if no later call contributes to it; else -1."""
    position = program.calls.index(call)
    later = {a for c in program.calls[position + 1 :] for a in c.arguments if isinstance(a, (Array, Reducer))}
    pairs = zip(call.kernel.parameters, call.arguments, strict=True)
    reduced = [a for p, a in pairs if isinstance(p, Reducer) and not p.dims and isinstance(a, (Array, Reducer))]
    slots = program_manifest(program).result_slots
    return [slots.get(a.name, -1) if a not in later and call in program.statements else -1 for a in reduced]


def _returns(call: KernelCall, program: Program) -> bool:
    return any(slot >= 0 for slot in returned_slots(call, program))


def _array_plans(p: Array | Reducer) -> list[ArrayPlan]:
    if isinstance(p, Reducer):
        dims = [(expression_text(d.lower, {}), expression_text(d.upper, {}), d.text) for d in p.dims] or [_ONE]
        fields = [(type_.name, at) for type_, at in p.fields] if len(p.fields) > 1 or p.combination else []
        type_name = p.element.name if p.combination is None else p.combination.type.name
        return [ArrayPlan(p.name, type_name, p.reduction.name, dims, fields)]
    if p.is_table:
        return []
    dims = [
        (expression_text(d.lower, {}), d.text if isinstance(d.upper, Load) else expression_text(d.upper, {}), d.text)
        for d in p.dims[bool(p.members) :]
    ]
    return _members(ArrayPlan(p.name, p.element.name, p.access.value, dims, order=p.order), p.members)


def _call_plan(
    call: KernelCall, program: Program, proved: Proved, symbol: str, filled: Mapping[Reducer, Fill],
    publishes: bool, device_reduction: bool, inspections: Sequence[Inspection],
) -> CallPlan:  # fmt: skip
    kernel = call.kernel
    by_variable = {v: expression_text(e, {}) for v, e in scalar_arguments(kernel, call.arguments)}
    arrays: list[tuple[str, str, str]] = []
    arguments: dict[str, Reducer | Array | Struct] = {}
    for parameter, argument in zip(kernel.parameters, call.arguments, strict=True):
        if isinstance(argument, (Array, Reducer, Struct)):
            arguments[parameter.name] = argument
        if isinstance(argument, (Array, Reducer)) and not (isinstance(argument, Array) and argument.is_table):
            access = parameter.access.value if isinstance(parameter, Array) else Access.MUT.value
            numbers = [f"[{m}]" for m in range(argument.members)] if isinstance(argument, Array) else []
            arrays += [(parameter.name + n, argument.name + n, access) for n in numbers or [""]]
    for variable, expr in zip(kernel.extents, call.extents, strict=True):
        by_variable[variable] = expression_text(expr, {})
    fills = {p: filled[a] for p, a in arguments.items() if isinstance(a, Reducer) and a in filled}
    slots = [
        _slot_plan(s, kernel, by_variable, arguments, fills)
        for s in kernel_slots(proved, device_reduction=device_reduction)
    ]
    values = {v.name: text for v, text in by_variable.items()}
    return CallPlan(
        symbol, kernel.name, slots, values, arrays, _guard_plans(kernel, proved, by_variable),
        returned_slots(call, program), publishes, [],
        team_plan(kernel, lambda e: _as_i64(expression_text(e, by_variable))),
        [inspection_plan(i, inspections.index(i)) for i in proved.inspections],
        [_site_plan(site, kernel.source) for site in sites(proved)] if proved.tested else [],
        member_plans(arguments.values()),
        [kernel.library, *(a.element.name for a in kernel.arrays)] if kernel.library else [],
    )  # fmt: skip


def _site_plan(site: Site, source: Source) -> SitePlan:
    span = site.span
    end = span.end_column if span.end_line == span.line else None
    text = source.line(span.line)[span.column : end]
    return SitePlan(text, f"{source.path}:{span.line}", [v.name for v in site.indices])


def _slot_plan(
    slot: Slot,
    kernel: Kernel,
    values: dict[Variable, str],
    arguments: dict[str, Reducer | Array | Struct],
    fills: dict[str, Fill],
) -> SlotPlan:
    by_name = {v.name: text for v, text in values.items()}
    ranges = {i.name: r for i, r in zip(kernel.body.indices, kernel.body.ranges, strict=True)}
    match slot.kind:
        case "array" | "reducer" | "table" | "pack" | "struct":
            source = arguments[slot.name].name
        case "lengths":
            source = f"[{', '.join(by_name[v.name] for v in kernel.extents if v.name.startswith(f'{slot.name}['))}]"
        case "scalar" | "extent":
            source = by_name[slot.name]
        case "lower":
            source = expression_text(ranges[slot.name].lower, values)
        case "count":
            r = ranges[slot.name]
            lower, upper = (_as_i64(expression_text(bound, values)) for bound in (r.lower, r.upper))
            source = f"{HELPERS}.max(0, {upper} - {lower})"
        case "bins":
            source = _size_text(next(r for r in kernel.binned if r.name == slot.name), values)
        case "fresh":
            source = "1" if slot.name in fills else "0"
        case "partials":
            source = str(state_offsets(kernel.totals)[-1])  # bytes for each block
        case "initial":
            source = number_text(fills[slot.name].value.value) if slot.name in fills else "0"
        case _:
            source = ""  # filled by the target's runtime
    return SlotPlan(slot.kind, slot.name, slot.type.name, source, slot.bytes, slot.indirect)


def _size_text(reducer: Reducer, values: dict[Variable, str]) -> str:
    sizes = [f"({expression_text(d.upper, values)} - {expression_text(d.lower, values)})" for d in reducer.dims]
    return " * ".join(sizes)


def _as_i64(text: str) -> str:
    """Bounds of a `parallel` are machine arithmetic."""
    return f"{HELPERS}.wrap({text}, {I64.lowest}, {I64.highest})"


def _guard_plans(kernel: Kernel, proved: Proved, values: dict[Variable, str]) -> list[GuardPlan]:
    by_name = {v.name: text for v, text in values.items()}
    path = kernel.source.path
    guards = [
        GuardPlan(_guard_text(g.alternatives, by_name), g.text, g.access, f"{path}:{g.span.line}")
        for g in proved.guards
    ]
    for require in kernel.requires:
        shown = shown_text(require.condition)
        guards.append(GuardPlan(expression_text(require.condition, values), shown, "", f"{path}:{require.span.line}"))
    return guards


def _guard_text(alternatives: tuple[tuple[Affine, ...], ...], values: Mapping[str, str]) -> str:
    def affine(form: Affine) -> str:
        terms = [f"{c} * ({substituted(n, values)})" for n, c in form.terms]
        return " + ".join([*terms, f"({form.constant})"]) + " >= 0"

    return (
        " or ".join("(" + (" and ".join(affine(form) for form in forms) or "True") + ")" for forms in alternatives)
        or "False"
    )
