"""Stores in the order of the threads, as every target sees them: what is summed up over threads."""

from __future__ import annotations

from ..ir.nodes import Kernel, Order, Reducer, Store
from ..ir.operations import REDUCTIONS
from ..ir.ordered import ordered_store
from ..ir.types import I32, I64


class Running:
    """What the threads of a kernel sum up in their order: values, or how many items were pushed.

    Attributes
    ----------
    store : Store
        One of the stores; they differ in their values only.
    total : Reducer
        Stands for the sum.
    """

    def __init__(self, store: Store, *, narrow: bool) -> None:
        self.store, self.is_push = store, store.order is Order.PUSH
        element = (I32 if narrow else I64) if self.is_push else store.array.element
        self.total = Reducer(store.array.name, REDUCTIONS["Sum"], element, store.span)


def running_of(kernel: Kernel, *, narrow: bool) -> Running | None:
    """Return what a kernel sums up in the order of its threads; `narrow`: fewer than 2^31 of them."""
    store = ordered_store(kernel.body)
    return None if store is None else Running(store, narrow=narrow)
