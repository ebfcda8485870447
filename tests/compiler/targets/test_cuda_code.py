"""Code for NVIDIA GPUs, judged without one: PTX of every suite kernel, its parameters, loads, waits and registers."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from kparity.compiler import TargetUnavailable, compile, f64, i32, struct
from kparity.compiler.checks.prove import prove
from kparity.compiler.ir.operations import ATOMICS
from kparity.compiler.ir.ordered import ordered_store
from kparity.compiler.ir.storage import Space
from kparity.compiler.ir.types import SCALARS
from kparity.compiler.targets import cuda, cuda_tools
from kparity.compiler.targets.abi import kernel_slots
from kparity.compiler.targets.gpu_versions import Version
from kparity.compiler.targets.ptx import check_parameters, entry_points
from kparity.compiler.targets.team_shapes import dynamic_shared, owned
from kparity.compiler.targets.text import symbol_name
from kparity.suites import Entry, entries

from ..sources import elementwise, kernel, program

SUITE = entries("rajaperf")
every_kernel = pytest.mark.parametrize("entry", SUITE, ids=lambda e: e.full_name)
GLOBAL = re.compile(
    r"^\s*(?:@%p\d+ )?((?:ld|st)\.(?:volatile\.|relaxed\.\w+\.)?global[\w.]*|(?:atom|red)\.[\w.]*)", re.MULTILINE
)


@cache
def artifact(one: Any, processor: str = "sm_90") -> Any:
    """Generated code of a program for a processor, not assembled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, "processor", lambda: processor)
        patch.setattr(cuda_tools, "assemble", lambda *_: None)
        try:
            return compile._generate(one, cuda.generate)[0]
        except TargetUnavailable as error:
            pytest.skip(str(error))


def bodies(ptx: str) -> dict[str, str]:
    """Text of each entry point."""
    parts = re.split(r"\.visible \.entry ([\w$]+)\(", ptx)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def body(one: Any, suffix: str) -> str:
    """Text of one version of a program's first kernel."""
    made = artifact(one)
    return bodies(made.listing)[symbol_name(made.plan.calls[0].symbol) + suffix]


def accesses(text: str) -> list[str]:
    return GLOBAL.findall(text)


@every_kernel
def test_every_version_is_there_with_the_parameters_of_the_plan(entry: Entry) -> None:
    made = artifact(entry.spec.program)
    assert ".target sm_90" in made.listing and ".address_size 64" in made.listing
    found = bodies(made.listing)
    expected = {symbol_name(c.symbol) + v[0] for c in made.plan.calls for v in c.versions}
    assert set(found) == expected
    for call in made.plan.calls:
        versions = entry_points(made.listing, symbol_name(call.symbol))
        for version in call.versions:
            assert [p.size for p in versions[version[0]]] == [s.bytes for s in call.slots]


EVERY_KIND = """
    def k(y: Mut[f64, "n"], a: f32, m: Material, c: Table[f64, 3], xs: Pack[Ref[f32, "k[]"], 2], g: bool):
        for i in parallel(n):
            y[i] = c[i % 3] + m.rho + f64(a)
            if g and i < k[1]:
                y[i] += f64(xs[1][i])
"""


@struct
class Material:
    number: i32
    rho: f64


@pytest.mark.parametrize(("old", "new", "says"), [
    (r"\.param \.f32", ".param .f64", "parameter 1 .* float of 8 bytes aligned to 8 at 8, the host packs `a`"),  # size
    (r"\.param \.u8 (\w+)_5", r".param .u64 \1_5", "the host packs `g`"),
    (r"\.align 8 (\.b8 \w+_3)\[24\]", r".align 4 \1[24]", "parameter 3 .* aligned to 4"),  # alignment
    (r"(\w+_2)\[16\]", r"\1[12]", "parameter 2 .* 12 bytes"),
    (r"\t\.param [^\n]*_4\[16\],\n", "", "has 9 parameters, the host packs 10"),  # count
    (r"(\t\.param [^\n]*_0,\n)(\t\.param [^\n]*_1,\n)", r"\2\1", "parameter 0 .* a float of 4 bytes"),  # order
    (r"(\t\.param [^\n]*_2\[16\],\n)(\t\.param [^\n]*_3\[24\],\n)", r"\2\1", "parameter 2"),
    ("kp_k_0", "kp_other", "no entry"),
])  # fmt: skip
def test_a_parameter_list_that_parts_from_the_plan_is_noticed(old: str, new: str, says: str) -> None:
    one = kernel(EVERY_KIND, Material=Material)
    listing, slots = artifact(one).listing, kernel_slots(one.proved, device_reduction=True)
    check_parameters(listing, "kp_k_0", slots)
    wrong = re.sub(old, new, listing)
    assert wrong != listing
    with pytest.raises(RuntimeError, match=says):
        check_parameters(wrong, "kp_k_0", slots)


# Six reducers a thread, four elements in flight, in the version for arrays that 16-byte loads do not fit; ten loads of
# each of two elements; 78 sums; a matrix of 64; clipped polygons; products of a basis, unrolled; sixteen elements that
# wait for the sum of earlier ones.
REGISTERS = {
    "REDUCE_STRUCT": 128, "DIFF_PREDICT": 80, "EDGE3D": 255, "FEMSWEEP": 255, "INTSC_HEXHEX": 168, "INTSC_HEXRECT": 152,
    "MASS3DEA": 96, "SCAN": 80, "INDEXLIST": 80, "INDEXLIST_3LOOP": 80,
}  # fmt: skip
SPILLING = {"EDGE3D"}  # takes all registers there are


@pytest.mark.toolchain
@every_kernel
def test_ptxas_accepts_it_without_spills(entry: Entry) -> None:
    if cuda_tools.ptxas() is None:
        pytest.skip("no ptxas")
    made = artifact(entry.spec.program)
    assembled = cuda_tools.assemble(made.listing, "sm_90")
    assert assembled is not None
    code, figures = assembled
    assert code[:4] == b"\x7fELF"
    assert set(figures) == set(bodies(made.listing))
    for name, of in figures.items():
        assert of["spill_bytes"] == 0 or entry.spec.name in SPILLING, name
        most = REGISTERS.get(entry.spec.name, 64)  # 4 blocks of 256 threads have 64 each
        assert 0 < of["registers"] <= most, f"{name}: {of['registers']} registers"
    for call, typed in zip(made.plan.calls, entry.spec.program.typed_program.calls, strict=True):
        # Bins lie in the memory that a launch asks for, which ptxas does not count.
        sums = bool(typed.kernel.totals) or ordered_store(typed.kernel.body) is not None
        shares = any(b.space is Space.SHARED for b in owned(typed.kernel)) and not dynamic_shared(typed.kernel)
        for version in call.versions:
            of = figures[symbol_name(call.symbol) + version[0]]
            assert (of["shared_bytes"] > 0) == (sums or shares)


@pytest.mark.toolchain
def test_what_ptxas_refuses_is_a_defect_and_says_so() -> None:
    if cuda_tools.ptxas() is None:
        pytest.skip("no ptxas")
    with pytest.raises(RuntimeError, match="please report"):
        cuda_tools.assemble(".version 8.0\n.target sm_90\nnonsense", "sm_90")


@pytest.mark.parametrize("suffix", ["_narrow", ""])
def test_shared_borrows_are_loaded_through_the_read_only_path(suffix: str) -> None:
    one = kernel("""
        def k(y: Out[f64, "n"], z: Mut[f64, "n"], a: Ref[f64, "n"], b: Ref[i32, "n"]):
            for i in parallel(n):
                y[i] = a[i] * f64(b[i])
                z[i] += 1.0
        """)
    found = accesses(body(one, suffix))
    elements = 2 if suffix else 1
    loads = [a for a in found if a.startswith("ld")]
    assert {re.sub(r"[a-z]+(?=\d)", "", a) for a in loads if ".nc" in a} == {"ld.global.nc.64", "ld.global.nc.32"}
    # `z` once an element, `a` and `b` twice; the rest of a partial block stands in the code once more.
    assert sum(".nc" in a for a in loads) == 2 * sum(".nc" not in a for a in loads) >= 2 * elements
    assert any(a.startswith("st") for a in found)


@pytest.mark.parametrize("borrow", ["Mut", "Out"])
def test_exclusive_borrows_never_are(borrow: str) -> None:
    """What a thread has written must not come from the read-only cache."""
    one = kernel(f"""
        def k(y: {borrow}[f64, "n"]):
            for i in parallel(n):
                y[i] = 1.0
                for j in range(3):
                    y[i] += 2.0 * y[i]
        """)
    for suffix in ("_narrow", ""):
        assert not any(".nc" in a for a in accesses(body(one, suffix)))


@every_kernel
def test_no_read_only_loads_without_a_shared_borrow(entry: Entry) -> None:
    made, typed = artifact(entry.spec.program), entry.spec.program.typed_program
    kernels = {c.symbol: k.kernel for c, k in zip(made.plan.calls, typed.calls, strict=True)}
    for call in made.plan.calls:
        shares = any(a.access.value == "Ref" for a in kernels[call.symbol].arrays)
        for version in call.versions:
            found = accesses(bodies(made.listing)[symbol_name(call.symbol) + version[0]])
            assert any(".nc" in a for a in found) == shares


@pytest.mark.toolchain
def test_teams_leave_registers_for_a_second_block() -> None:
    """288 threads of 166 registers would have a multiprocessor for themselves."""
    if cuda_tools.ptxas() is None:
        pytest.skip("no ptxas")
    for entry in SUITE:
        if entry.spec.name in ("INTSC_HEXHEX", "MASS3DPA"):
            made = compile._generate(entry.spec.program, cuda.generate)[0]
            bounded = entry.spec.name == "INTSC_HEXHEX"
            assert (".maxnreg 96" in made.listing) == bounded
            assert all(of["registers"] <= 96 for of in made.figures.values()) or not bounded


@every_kernel
def test_overlapped_launches_wait_before_they_touch_memory(entry: Entry) -> None:
    """In the first block of the code, before any branch."""
    made = artifact(entry.spec.program)
    for call in made.plan.calls:
        reduces = any(s.kind == "reducer" for s in call.slots)
        for version in (Version(*v) for v in call.versions):
            text = bodies(made.listing)[symbol_name(call.symbol) + version.suffix]
            assert (
                text.count("griddepcontrol.wait") == text.count("griddepcontrol.launch_dependents") == version.overlap
            )
            if not version.overlap:
                continue
            waits = text.index("griddepcontrol.wait")
            before = accesses(text[:waits])
            if not reduces:
                assert before == [] and not re.search(r"\bbra\b|^\$L", text[:waits].partition("{")[2], re.MULTILINE)
            else:  # may read what no launch of the program writes, and a block's own bins; everything else comes after
                own = ("ld.global.nc", "atom.shared.") if version.private else "ld.global.nc"
                assert all(a.startswith(own) for a in before)
                assert any(a.startswith("atom.global") for a in accesses(text[waits:]))


def test_a_reduction_of_what_the_program_writes_waits_first() -> None:
    one = program("""
        @kernel
        def double(x: Mut[f64, "n"]):
            for i in parallel(n):
                x[i] *= 2.0

        @kernel
        def add(x: Ref[f64, "n"], s: Sum[f64]):
            for i in parallel(n):
                s += x[i]

        @program
        def repetition(x: Mut[f64, "n"], s: Sum[f64]):
            double(x)
            add(x, s)
        """)
    found = {n: b for n, b in bodies(artifact(one).listing).items() if "add" in n}
    assert len(found) == 3
    for text in found.values():
        assert accesses(text[: text.index("griddepcontrol.wait")]) == []


def test_older_processors_have_no_overlap() -> None:
    one = SUITE["TRIAD"].spec.program
    made = artifact(one, "sm_80")
    assert ".target sm_80" in made.listing and "griddepcontrol" not in made.listing
    assert not any(v[2] for c in made.plan.calls for v in c.versions)


def test_a_reduction_loads_16_bytes_at_once() -> None:
    one = SUITE["REDUCE3_INT"].spec.program
    found = accesses(body(one, "_wide"))
    assert sum(bool(re.fullmatch(r"ld\.global\.nc\.v4\.[bu]32", a)) for a in found) >= 2, found
    assert not any(".v4" in a or ".v2" in a for a in accesses(body(one, "_narrow")))


@pytest.mark.parametrize("name", ["ADD", "TRIAD", "DAXPY", "COPY"])
def test_elements_of_a_thread_are_in_flight_together(name: str) -> None:
    """Where a block is whole, every load of a thread's elements stands before the first store."""
    one = SUITE[name].spec.program
    found = accesses(body(one, "_narrow"))
    arrays = sum(a.access.value != "Out" for a in one.typed_program.calls[0].kernel.arrays)
    kinds = "".join("L" if a.startswith("ld") else "S" for a in found)
    assert "L" * (2 * arrays) + "SS" in kinds, kinds


def test_slots_of_a_reduction() -> None:
    proved = prove(SUITE["REDUCE3_INT"].spec.program.typed_program.calls[0].kernel)
    kinds = [s.kind for s in kernel_slots(proved, device_reduction=True)]
    assert kinds[-4:] == ["partials", "counter", "results", "sequence"]
    assert kinds.count("fresh") == kinds.count("initial") == kinds.count("reducer") == 3
    assert "partials" not in [s.kind for s in kernel_slots(proved, device_reduction=False)]


FUNCTIONS = ["sqrt", "abs", "floor", "ceil", "trunc", "exp", "log", "sin", "cos", "tan", "tanh", "atan", "cbrt"]


@pytest.mark.parametrize("type_", ["f64", "f32"])
def test_every_function_compiles(type_: str) -> None:
    terms = [f"{f}(x[i])" for f in FUNCTIONS] + [
        f"{f}(x[i], x[i] + 1)" for f in ("pow", "atan2", "copysign", "min", "max")
    ]
    terms.append("fma(x[i], x[i], x[i])")
    made = artifact(elementwise(" + ".join(terms), type_, x=type_))
    assert ".extern .func" not in made.listing, "a function that libdevice does not define"
    if cuda_tools.ptxas() is not None:
        assert cuda_tools.assemble(made.listing, "sm_90")


@pytest.mark.parametrize("type_", ["f64", "f32", "i64", "i32", "u64", "u32"])
def test_every_reducer_compiles(type_: str) -> None:
    names = ["Sum", "Prod", "Min", "Max", "MinLoc", "MaxLoc"] + ["And", "Or"] * (type_[0] != "f")
    parameters = ", ".join(f"r{i}: {n}[{type_}]" for i, n in enumerate(names))
    lines = [f"        r{i}.update(x[i]{', i' * n.endswith('Loc')})" for i, n in enumerate(names)]
    made = artifact(
        kernel("\n".join([f'def k(x: Ref[{type_}, "n"], {parameters}):', "    for i in parallel(n):", *lines]))
    )
    if cuda_tools.ptxas() is not None:
        assembled = cuda_tools.assemble(made.listing, "sm_90")
        assert assembled is not None and all(f["spill_bytes"] == 0 for f in assembled[1].values())


def test_names_in_any_script_compile() -> None:
    made = artifact(
        kernel('def größe(é: Mut[f64, "ñ"]):\n    for ü in parallel(ñ):\n        ß = 2.0\n        é[ü] = ß\n')
    )
    assert made.listing.isascii() and set(bodies(made.listing)) == {"kp_gr$f6$$df$e_0_narrow", "kp_gr$f6$$df$e_0"}
    if cuda_tools.ptxas() is not None:
        assert cuda_tools.assemble(made.listing, "sm_90")


DROPPED = {
    "a[i] += x": ("f64", "atom.global.add.f64", "red.global.add.f64"),
    "a[0] += x": ("f32", "atom.global.add.f32", "red.global.add.f32"),
    "a[i].add(x)": ("u64", "atom.global.add.u64", "red.global.add.u64"),
    "a[i].max(x)": ("i32", "atom.global.max.s32", "red.global.max.s32"),
    "a[0].bit_or(x)": ("u32", "atom.global.or.b32", "red.global.or.b32"),
}


@pytest.mark.parametrize("statement", DROPPED)
def test_a_dropped_value_costs_no_way_back(statement: str) -> None:
    """LLVM writes `atom`; ptxas makes the reduction of it that `red` would be, to the bit."""
    type_, atom, red = DROPPED[statement]
    one = kernel(f'def k(a: Atomic[{type_}, "n"], x: {type_}):\n    for i in parallel(n):\n        {statement}\n')
    ptx = artifact(one).listing
    reduced = re.sub(rf"{re.escape(atom)}[ \t]+%\w+, ", f"{red} ", ptx)
    assert reduced.count(red) == ptx.count(atom) > 0 and atom not in reduced
    assert len(re.findall(r"atom\.|red\.", ptx)) == ptx.count(atom)
    codes = [cuda_tools.assemble(text, "sm_90") for text in (ptx, reduced)]
    if codes[0] is None:
        pytest.skip("no ptxas")
    assert codes[0] == codes[1]


def test_a_value_that_is_used_comes_back() -> None:
    one = kernel("""
        def k(a: Atomic[f64, "n"], old: Out[f64, "n"]):
            for i in parallel(n):
                old[i] = a[i].add(1.0)
        """)
    assert "atom.global.add.f64" in artifact(one).listing


@pytest.mark.parametrize("type_", ["f64", "f32", "i64", "i32", "u64", "u32"])
def test_every_atomic_operation_is_relaxed_in_the_device(type_: str) -> None:
    """An operation without order and scope is relaxed and for the whole GPU; nothing is fenced, no float is a loop."""
    methods = [o for o in ATOMICS.values() if o.accepts(SCALARS[type_])]
    lines = [f"        old[i, {p}] = a[i].{m.name}({', '.join(['x'] * m.arity)})" for p, m in enumerate(methods)]
    head = f'def k(a: Atomic[{type_}, "n"], old: Mut[{type_}, "n", {len(methods)}], x: {type_}):\n'
    ptx = artifact(kernel(head + "    for i in parallel(n):\n" + "\n".join(lines) + "\n")).listing
    found = set(re.findall(r"\b(?:atom|red|fence|membar)\.[\w.]+", ptx))
    operations = {re.sub(r"^atom\.(relaxed\.gpu\.)?global\.|\.\w\d+$", "", f) for f in found}
    wanted = {"bit_and": "and", "bit_or": "or", "exchange": "exch", "compare_exchange": "cas"}
    wanted |= {"min": "cas", "max": "cas"} if SCALARS[type_].is_float else {}
    assert operations == {wanted.get(m.name, m.name) for m in methods}


def test_an_exchange_that_nobody_asks_is_a_store() -> None:
    one = kernel("""
        def k(y: Atomic[i32, "n"], seen: Mut[i32, "n"]):
            for i in parallel(n):
                y[i].exchange(7)
                seen[i] = y[0].exchange(8)
        """)
    text = body(one, "")
    assert text.count("st.relaxed.gpu") == text.count("atom.") == 1, text
