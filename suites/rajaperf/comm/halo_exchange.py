"""HALO_EXCHANGE: packs the messages of 26 neighbours, exchanges and unpacks them, each by itself.

Source: RAJAPerf src/comm/HALO_EXCHANGE.{hpp,cpp}. There a message is sent as soon as it is packed, and unpacked when it
arrives; here all are packed, then sent, received and unpacked.
"""

from kparity.compiler import Mut, Pack, Ref, Table, exchange, f64, i32, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill, halo
from kparity.suites.rajaperf.comm.halo_packing import pack, unpack
from kparity.suites.rajaperf.halo import NEIGHBOURS, VARIABLES, Halo


@program
def halo_exchange(
    variables: Pack[Mut[f64, "m"], VARIABLES],
    sent: Pack[Ref[i32, "n[]"], NEIGHBOURS], received: Pack[Ref[i32, "n[]"], NEIGHBOURS],
    send: Pack[Mut[f64, VARIABLES, "n[]"], NEIGHBOURS], recv: Pack[Mut[f64, VARIABLES, "n[]"], NEIGHBOURS],
    ranks: Table[i32, NEIGHBOURS], tags: Table[i32, NEIGHBOURS],
):  # fmt: skip
    for neighbour in range(NEIGHBOURS):
        for v in range(VARIABLES):
            pack(send[neighbour], sent[neighbour], variables[v], v)
    exchange(send, recv, ranks, tags)
    for neighbour in range(NEIGHBOURS):
        for v in range(VARIABLES):
            unpack(variables[v], received[neighbour], recv[neighbour], v)


def reference(
    variables: list[Array], sent: list[Array], received: list[Array], send: list[Array], recv: list[Array],
    ranks: Array, tags: Array,
) -> None:  # fmt: skip
    halo.pack(variables, send)
    halo.exchange(send, recv)
    halo.unpack(variables, recv)


def data(size: int, fill: Fill) -> Arguments:
    return {**halo.halo_data(Halo.of_size(size), fill), **halo.addresses()}


def work(size: int) -> Work:
    cells = VARIABLES * Halo.of_size(size).message_cells
    return Work(bytes_read=(8 + 8 + 8 + 4 + 4) * cells, bytes_written=(8 + 8 + 8) * cells, flops=0)


SPEC = Spec(
    "HALO_EXCHANGE", program=halo_exchange, reference=reference, size=1_000_000, repetitions=200, data=data,
    random=lambda size, rng: {**halo.random_halo(Halo.of_size(size), rng), **halo.addresses()},
    actual_size=lambda size: Halo.of_size(size).cells,
    checksum=("variables",), tolerance=ZERO, features=("Forall", "MPI"), work=work, rtol=0.0,
    work_differs="messages count in RAJAPerf as read and written; here `exchange` copies them, which is no launch",
)  # fmt: skip
