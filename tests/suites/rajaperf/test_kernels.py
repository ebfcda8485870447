"""Every RAJAPerf kernel file is held to the published suite: data, reference, work, signature."""

import csv
from pathlib import Path

import numpy as np
import pytest

from kparity.compiler.ir.nodes import Checked, Unsafe
from kparity.compiler.ir.walk import statements
from kparity.suites import Entry, Work, arrays_in, each, entries, judge

WRITTEN = {
    "Algorithm": "ATOMIC HISTOGRAM MEMCPY MEMSET REDUCE_SUM SCAN SORT SORTPAIRS",
    "Apps": "CONVECTION3DPA DEL_DOT_VEC_2D DIFFUSION3DPA EDGE3D ENERGY FEMSWEEP FIR INTSC_HEXHEX INTSC_HEXRECT LTIMES"
    " LTIMES_NOVIEW MASS3DEA MASS3DPA MASS3DPA_ATOMIC MASSVEC3DPA MATVEC_3D_STENCIL NODAL_ACCUMULATION_3D PRESSURE"
    " VOL3D ZONAL_ACCUMULATION_3D",
    "Comm": "HALO_EXCHANGE HALO_EXCHANGE_FUSED HALO_PACKING HALO_PACKING_FUSED HALO_SENDRECV",
    "Basic": "COPY8 DAXPY DAXPY_ATOMIC EMPTY IF_QUAD INIT3 INIT_VIEW1D INIT_VIEW1D_OFFSET MAT_MAT_SHARED MULADDSUB"
    " MULTI_REDUCE NESTED_INIT PI_ATOMIC PI_REDUCE REDUCE3_INT REDUCE_STRUCT TRAP_INT",
    "Lcals": "DIFF_PREDICT EOS FIRST_DIFF FIRST_MIN FIRST_SUM GEN_LIN_RECUR HYDRO_1D HYDRO_2D INT_PREDICT PLANCKIAN"
    " TRIDIAG_ELIM",
    "Polybench": "2MM 3MM ADI ATAX FDTD_2D FLOYD_WARSHALL GEMM GEMVER GESUMMV HEAT_3D JACOBI_1D JACOBI_2D MVT",
    "Stream": "ADD COPY DOT MUL TRIAD",
}
LAUNCHES = {  # of a repetition, where RAJAPerf has more than one
    "2MM": 2, "3MM": 3, "ADI": 2, "ATAX": 2, "ENERGY": 6, "FDTD_2D": 4, "GEMVER": 4, "GEN_LIN_RECUR": 2, "HEAT_3D": 2,
    "HALO_EXCHANGE": 2, "HALO_EXCHANGE_FUSED": 2, "HALO_PACKING": 2, "HALO_PACKING_FUSED": 2, "HALO_SENDRECV": 0,
    "HISTOGRAM": 2, "HYDRO_2D": 3, "INDEXLIST_3LOOP": 3, "JACOBI_1D": 2, "JACOBI_2D": 2,
    "MULTI_REDUCE": 2, "MVT": 2, "PI_ATOMIC": 3, "PRESSURE": 2,
}  # fmt: skip
NUMPY = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "u64": np.uint64}

FOUND = entries("rajaperf")
every_kernel = pytest.mark.parametrize("entry", FOUND, ids=lambda entry: entry.full_name)


@pytest.fixture(scope="module")
def published() -> dict[str, dict[str, str]]:
    """RAJAPerf's own figures at default size, by full name."""
    with open(Path(__file__).with_name("published_figures.csv"), encoding="ascii") as file:
        return {row["kernel"]: row for row in csv.DictReader(file)}


def test_all_kernel_files_are_usable():
    assert FOUND.broken == ()
    expected = {f"{group}_{name}" for group, names in WRITTEN.items() for name in names.split()}
    assert expected <= {entry.full_name for entry in FOUND}


@every_kernel
@pytest.mark.parametrize("size", [1_000, 10_000, 100_000, 1_000_000])
def test_data_and_reference_give_the_published_checksum(entry: Entry, size: int):
    arguments = entry.arguments(size)
    for repetition in (1, 2, 3):
        entry.spec.repeat(arguments, 1, first=repetition - 1)
        if repetition != 2:
            expected = entry.expected_checksum(size, repetition)
            assert expected is not None
            judgement = judge(entry.checksum(arguments, repetition), expected, entry.spec.tolerance)
            assert judgement.passed, judgement


@every_kernel
def test_declarations_are_the_published_ones(entry: Entry, published):
    spec, row = entry.spec, published[entry.full_name]
    assert (spec.size, spec.repetitions) == (int(row["size"]), int(row["repetitions"]))
    assert spec.actual_size(spec.size) == spec.size  # RAJAPerf's table lists actual sizes
    assert spec.tolerance == float(row["tolerance"])
    assert spec.features == tuple(row["features"].split())
    work = spec.work(spec.size)
    figures = {name: int(row[name]) for name in ("bytes_read", "bytes_written", "bytes_atomic", "flops")}
    assert work == Work(**figures)
    assert work.bytes_moved == int(row["bytes_moved"])


@pytest.mark.parametrize(
    ("name", "requested", "actual"),
    [
        ("JACOBI_2D", 1000, 1024), ("JACOBI_2D", 100_000, 99_856),
        ("NESTED_INIT", 1000, 1000), ("NESTED_INIT", 100_000, 97_336),
        ("VOL3D", 10_000, 9_261), ("VOL3D", 100_000, 97_336),
        ("TRIAD", 12_345, 12_345),
    ],
)  # fmt: skip
def test_actual_sizes(name: str, requested: int, actual: int):
    assert FOUND[name].spec.actual_size(requested) == actual


@every_kernel
def test_file_program_and_folder_agree(entry: Entry):
    assert entry.spec.program.name == entry.path.stem
    name = entry.spec.name.lower()
    assert entry.path.stem == (f"{name[1:]}{name[0]}" if name[0].isdigit() else name)  # a stem is an identifier
    assert entry.group == entry.path.parent.name.capitalize()


def argument_sources() -> list[tuple[str, str]]:
    return [
        (entry.full_name, source)
        for entry in FOUND
        for source in ("data", "random")
        if source == "data" or entry.spec.random is not None
    ]


@pytest.mark.parametrize(("name", "source"), argument_sources())
def test_arguments_fit_the_program(name: str, source: str):
    """Each parameter has a value of its type and rank, in declared order; a name in the dims means one extent."""
    entry = FOUND[name]
    program = entry.spec.program.typed_program
    if source == "random":
        assert entry.spec.random is not None
        arguments = dict(entry.spec.random(1000, np.random.default_rng(1)))
    else:
        arguments = entry.arguments(1000)
    assert list(arguments) == [parameter.name for parameter in program.parameters]
    extents: dict[str, int] = {}
    for parameter in program.parameters:
        value = arguments[parameter.name]
        match type(parameter).__name__:
            case "Array":
                for number, member in enumerate(value if isinstance(value, list) else [value]):
                    assert member.dtype == NUMPY[parameter.element.name]
                    dims = parameter.dims[isinstance(value, list) :]
                    for extent, dimension in zip(member.shape, dims, strict=True):
                        text = dimension.text.replace("[]", f"[{number}]")
                        if not text.isdigit():
                            assert extents.setdefault(text, extent) == extent
            case "Reducer":
                element = np.dtype(NUMPY[parameter.element.name])
                held = value.dtype["value"] if parameter.reduction.has_location else value.dtype
                assert (value.ndim, held) == (max(1, len(parameter.dims)), element)
            case "Variable":
                assert isinstance(value, int if parameter.type.is_integer else float)
    totals = {p.name for p in program.parameters if type(p).__name__ == "Reducer" and not p.dims}
    returned = {memory.name for memory in program.returned}
    assert totals <= returned <= set(entry.spec.scalars)


@every_kernel
def test_reference_respects_the_borrows(entry: Entry):
    """It leaves `Ref` arrays alone, writes all of each `Out` array, and reads none of it before."""
    arrays = {p.name: p.access.value for p in entry.spec.program.typed_program.parameters if hasattr(p, "access")}
    arguments, poisoned = entry.arguments(1000), entry.arguments(1000)
    for name, borrow in arrays.items():
        if borrow == "Out":
            each(lambda array: array.fill(np.nan), poisoned[name])
    entry.spec.repeat(arguments, 1)
    entry.spec.repeat(poisoned, 1)
    initial = entry.arguments(1000)
    for name in arrays:
        for part, array in arrays_in({name: arguments[name]}).items():
            assert np.array_equal(arrays_in(poisoned)[part], array)
            if arrays[name] == "Ref":
                assert np.array_equal(array, arrays_in(initial)[part])


@every_kernel
def test_every_kernel_is_written_and_read_as_typed_ir(entry: Entry):
    program = entry.spec.program.typed_program
    assert program.name == entry.spec.program.name
    assert len(program.calls) == LAUNCHES.get(entry.spec.name, 1)


@every_kernel
def test_no_kernel_waives_a_proof(entry: Entry):
    for call in entry.spec.program.typed_program.calls:
        assert not any(isinstance(s, Checked | Unsafe) for s in statements(call.kernel.body.body)), call.kernel.name


def test_random_equations_have_all_kinds_of_discriminant():
    random = FOUND["IF_QUAD"].spec.random
    assert random is not None
    a, b, c, *_ = random(2000, np.random.default_rng(3)).values()
    discriminant = b * b - 4.0 * a * c
    for kind in (discriminant > 0, discriminant == 0, discriminant < 0):
        assert kind.sum() > 100
    assert np.abs(discriminant[discriminant != 0]).min() > 0.05
    assert np.abs(a).min() >= 0.5


@pytest.mark.parametrize("n", [1, 7, 1000, 4_000_000])
def test_random_integers_cannot_overflow(n: int):
    random = FOUND["REDUCE3_INT"].spec.random
    assert random is not None
    vec = random(n, np.random.default_rng(4))["vec"]
    assert np.abs(vec.astype(np.int64)).sum() <= 2147483647


@pytest.mark.parametrize("name", ["VOL3D", "TRAP_INT"])
def test_blocked_references_join_their_blocks(name: str, monkeypatch: pytest.MonkeyPatch):
    """The result does not depend on how the reference cuts its range."""
    entry = FOUND[name]
    whole, cut = entry.arguments(5000), entry.arguments(5000)
    entry.spec.reference(**whole)
    monkeypatch.setitem(entry.spec.reference.__globals__, "BLOCK", 137)
    entry.spec.reference(**cut)
    for output in entry.spec.checksum:
        np.testing.assert_allclose(cut[output], whole[output], rtol=1e-13)


def test_volume_of_a_box_is_the_product_of_its_edges():
    arguments = FOUND["VOL3D"].arguments(1000)
    FOUND["VOL3D"].spec.reference(**arguments)
    real = arguments["vol"].reshape(3 * (arguments["jp"],))[2:-2, 2:-2, 2:-2]
    np.testing.assert_allclose(real, 0.3 * 0.2 * 0.1, rtol=1e-12)


def test_the_trapezoid_sum_tends_to_its_integral():
    """Integral of 1/sqrt((x - xp)^2 + d^2) is asinh((x - xp) / d)."""
    total = np.zeros(1)
    FOUND["TRAP_INT"].spec.reference(x0=-1.0, xp=0.25, y=0.0, yp=0.5, h=2.0 / 400_000, n=400_000, sumx=total)
    assert total[0] == pytest.approx(np.arcsinh(0.75 / 0.5) + np.arcsinh(1.25 / 0.5), rel=1e-5)
