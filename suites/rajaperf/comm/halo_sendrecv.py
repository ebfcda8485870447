"""HALO_SENDRECV: the messages of 26 neighbours, sent and received.

Source: RAJAPerf src/comm/HALO_SENDRECV.{hpp,cpp}.
"""

from kparity.compiler import Mut, Pack, Ref, Table, exchange, f64, i32, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill, halo
from kparity.suites.rajaperf.halo import NEIGHBOURS, VARIABLES, Halo


@program
def halo_sendrecv(
    send: Pack[Ref[f64, VARIABLES, "n[]"], NEIGHBOURS], recv: Pack[Mut[f64, VARIABLES, "n[]"], NEIGHBOURS],
    ranks: Table[i32, NEIGHBOURS], tags: Table[i32, NEIGHBOURS],
):  # fmt: skip
    exchange(send, recv, ranks, tags)


def reference(send: list[Array], recv: list[Array], ranks: Array, tags: Array) -> None:
    halo.exchange(send, recv)


def messages(initial: Arguments) -> Arguments:
    return {"send": initial["send"], "recv": initial["recv"], **halo.addresses()}


def data(size: int, fill: Fill) -> Arguments:
    return messages(halo.halo_data(Halo.of_size(size), fill))


def work(size: int) -> Work:
    cells = VARIABLES * Halo.of_size(size).message_cells
    return Work(bytes_read=8 * cells, bytes_written=8 * cells, flops=0)


SPEC = Spec(
    "HALO_SENDRECV", program=halo_sendrecv, reference=reference, size=1_000_000, repetitions=200, data=data,
    random=lambda size, rng: messages(halo.random_halo(Halo.of_size(size), rng)),
    actual_size=lambda size: Halo.of_size(size).cells,
    checksum=("recv",), tolerance=ZERO, features=("Forall", "MPI"), work=work, rtol=0.0,
    work_differs="messages count in RAJAPerf as read and written; here `exchange` copies them, which is no launch",
)  # fmt: skip
