"""HALO_EXCHANGE_FUSED: packs the messages of 26 neighbours in one launch, exchanges them, and unpacks them in another.

Source: RAJAPerf src/comm/HALO_EXCHANGE_FUSED.{hpp,cpp}.
"""

from kparity.compiler import Mut, Pack, Ref, Table, exchange, f64, i32, i64, program
from kparity.suites import Arguments, Array, Spec
from kparity.suites.rajaperf import ZERO, Fill, halo
from kparity.suites.rajaperf.comm.halo_exchange import work
from kparity.suites.rajaperf.comm.halo_packing_fused import pack_all, unpack_all
from kparity.suites.rajaperf.halo import NEIGHBOURS, VARIABLES, Halo


@program
def halo_exchange_fused(
    variables: Pack[Mut[f64, "m"], VARIABLES],
    sent: Pack[Ref[i32, "n[]"], NEIGHBOURS], received: Pack[Ref[i32, "n[]"], NEIGHBOURS],
    send: Pack[Mut[f64, VARIABLES, "n[]"], NEIGHBOURS], recv: Pack[Mut[f64, VARIABLES, "n[]"], NEIGHBOURS],
    longest: i64, ranks: Table[i32, NEIGHBOURS], tags: Table[i32, NEIGHBOURS],
):  # fmt: skip
    pack_all(send, sent, variables, longest)
    exchange(send, recv, ranks, tags)
    unpack_all(variables, received, recv, longest)


def reference(
    variables: list[Array], sent: list[Array], received: list[Array], send: list[Array], recv: list[Array],
    longest: int, ranks: Array, tags: Array,
) -> None:  # fmt: skip
    halo.pack(variables, send)
    halo.exchange(send, recv)
    halo.unpack(variables, recv)


def complete(cube: Halo, initial: Arguments) -> Arguments:
    return {**initial, "longest": cube.longest, **halo.addresses()}


def data(size: int, fill: Fill) -> Arguments:
    return complete(Halo.of_size(size), halo.halo_data(Halo.of_size(size), fill))


SPEC = Spec(
    "HALO_EXCHANGE_FUSED", program=halo_exchange_fused, reference=reference, size=1_000_000, repetitions=200, data=data,
    random=lambda size, rng: complete(Halo.of_size(size), halo.random_halo(Halo.of_size(size), rng)),
    actual_size=lambda size: Halo.of_size(size).cells,
    checksum=("variables",), tolerance=ZERO, features=("Workgroup", "MPI"), work=work, rtol=0.0,
    work_differs="messages count in RAJAPerf as read and written; here `exchange` copies them, which is no "
    "launch; a launch for all variables reads each list once, and an element that several messages take once",
)  # fmt: skip
