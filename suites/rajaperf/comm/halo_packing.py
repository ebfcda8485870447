"""HALO_PACKING: packs 26 neighbours' messages of three variables and unpacks others, a launch for each of both.

Source: RAJAPerf src/comm/HALO_PACKING.{hpp,cpp}.
"""

from kparity.compiler import Mut, Pack, Ref, f64, i32, i64, kernel, parallel, program
from kparity.suites import Array, Spec, Work
from kparity.suites.rajaperf import ZERO, halo
from kparity.suites.rajaperf.halo import NEIGHBOURS, VARIABLES, Halo


@kernel
def pack(message: Mut[f64, VARIABLES, "n"], cells: Ref[i32, "n"], variable: Ref[f64, "m"], v: i64):
    for k in parallel(n):
        message[v, k] = variable[cells[k]]


@kernel
def unpack(variable: Mut[f64, "m"], cells: Ref[i32, "n"], message: Ref[f64, VARIABLES, "n"], v: i64):
    for k in parallel(n):
        variable[cells[k]] = message[v, k]


@program
def halo_packing(
    variables: Pack[Mut[f64, "m"], VARIABLES],
    sent: Pack[Ref[i32, "n[]"], NEIGHBOURS], received: Pack[Ref[i32, "n[]"], NEIGHBOURS],
    send: Pack[Mut[f64, VARIABLES, "n[]"], NEIGHBOURS], recv: Pack[Ref[f64, VARIABLES, "n[]"], NEIGHBOURS],
):  # fmt: skip
    for neighbour in range(NEIGHBOURS):
        for v in range(VARIABLES):
            pack(send[neighbour], sent[neighbour], variables[v], v)
    for neighbour in range(NEIGHBOURS):
        for v in range(VARIABLES):
            unpack(variables[v], received[neighbour], recv[neighbour], v)


def reference(
    variables: list[Array], sent: list[Array], received: list[Array], send: list[Array], recv: list[Array]
) -> None:
    halo.pack(variables, send)
    halo.unpack(variables, recv)


def work(size: int) -> Work:
    cells = VARIABLES * Halo.of_size(size).message_cells
    return Work(bytes_read=(8 + 8 + 4 + 4) * cells, bytes_written=(8 + 8) * cells, flops=0)


SPEC = Spec(
    "HALO_PACKING", program=halo_packing, reference=reference, size=1_000_000, repetitions=200,
    data=lambda size, fill: halo.halo_data(Halo.of_size(size), fill),
    random=lambda size, rng: halo.random_halo(Halo.of_size(size), rng),
    actual_size=lambda size: Halo.of_size(size).cells,
    checksum=("variables", "send"), tolerance=ZERO, features=("Forall",), work=work, rtol=0.0,
)  # fmt: skip
