"""HALO_PACKING_FUSED: packs 26 neighbours' messages of three variables in one launch, and unpacks others in another.

Source: RAJAPerf src/comm/HALO_PACKING_FUSED.{hpp,cpp}. There each repetition writes the tables of pointers anew, into
pinned memory that the device then reads, and waits for the device after either launch: most of RAJAPerf's time is that.
Here, on both sides, the tables are parameters of the launch, and nothing waits.
"""

from kparity.compiler import Mut, Pack, Ref, f64, i32, i64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec
from kparity.suites.rajaperf import ZERO, Fill, halo
from kparity.suites.rajaperf.comm.halo_packing import work
from kparity.suites.rajaperf.halo import NEIGHBOURS, VARIABLES, Halo


@kernel
def pack_all(
    send: Pack[Mut[f64, VARIABLES, "n[]"], NEIGHBOURS], sent: Pack[Ref[i32, "n[]"], NEIGHBOURS],
    variables: Pack[Ref[f64, "m"], VARIABLES], longest: i64,
):  # fmt: skip
    for neighbour, v, k in parallel(NEIGHBOURS, VARIABLES, longest):
        if k < n[neighbour]:
            send[neighbour][v, k] = variables[v][sent[neighbour][k]]


@kernel
def unpack_all(
    variables: Pack[Mut[f64, "m"], VARIABLES], received: Pack[Ref[i32, "n[]"], NEIGHBOURS],
    recv: Pack[Ref[f64, VARIABLES, "n[]"], NEIGHBOURS], longest: i64,
):  # fmt: skip
    for neighbour, v, k in parallel(NEIGHBOURS, VARIABLES, longest):
        if k < n[neighbour]:
            variables[v][received[neighbour][k]] = recv[neighbour][v, k]


@program
def halo_packing_fused(
    variables: Pack[Mut[f64, "m"], VARIABLES],
    sent: Pack[Ref[i32, "n[]"], NEIGHBOURS], received: Pack[Ref[i32, "n[]"], NEIGHBOURS],
    send: Pack[Mut[f64, VARIABLES, "n[]"], NEIGHBOURS], recv: Pack[Ref[f64, VARIABLES, "n[]"], NEIGHBOURS],
    longest: i64,
):  # fmt: skip
    pack_all(send, sent, variables, longest)
    unpack_all(variables, received, recv, longest)


def reference(
    variables: list[Array], sent: list[Array], received: list[Array], send: list[Array], recv: list[Array], longest: int
) -> None:
    halo.pack(variables, send)
    halo.unpack(variables, recv)


def data(size: int, fill: Fill) -> Arguments:
    cube = Halo.of_size(size)
    return {**halo.halo_data(cube, fill), "longest": cube.longest}


SPEC = Spec(
    "HALO_PACKING_FUSED", program=halo_packing_fused, reference=reference, size=1_000_000, repetitions=200, data=data,
    random=lambda size, rng: {**halo.random_halo(Halo.of_size(size), rng), "longest": Halo.of_size(size).longest},
    actual_size=lambda size: Halo.of_size(size).cells,
    checksum=("variables", "send"), tolerance=ZERO, features=("Workgroup",), work=work, rtol=0.0,
    work_differs="a launch for all variables reads each list once, and an element that several messages take once",
)  # fmt: skip
