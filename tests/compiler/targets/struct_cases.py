"""Reducers over structs that several tests run."""

from __future__ import annotations

BOUNDS = """
    @struct
    class Bounds:
        low: f64
        count: i32
        high: f32
        odd: u64

    @device
    def least(a: f64, b: f64):
        return a if a < b else b

    @device
    def widen(a: Bounds, b: Bounds):
        high = a.high
        if b.high > high:
            high = b.high
        return Bounds(least(a.low, b.low), a.count + b.count, high, odd=a.odd ^ b.odd)

    @kernel
    def bounds(x: Ref[f64, "n"], r: Reduce[Bounds, widen, Bounds(1e300, 0, -1e30, 0)]):
        for i in parallel(n):
            r.update(Bounds(x[i], 1, f32(x[i]), u64(i)))

    @program
    def repetition(x: Ref[f64, "n"], r: Reduce[Bounds, widen, Bounds(1e300, 0, -1e30, 0)]):
        r.fill()
        bounds(x, r)
        bounds(x, r)
        r.get()
    """
