"""ENERGY: internal energy and artificial viscosity of a Lagrangian step. Source: RAJAPerf src/apps/ENERGY.{hpp,cpp}.

Six launches: predict energy and viscosity, correct the energy in three steps, correct the viscosity. An element that
expands (delvc > 0) has no viscosity, and RAJAPerf's data has no other elements: the random data has.
"""

import numpy as np

from kparity.compiler import Mut, Out, Ref, f64, kernel, parallel, program, sqrt
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

SMALLEST_SQUARE = 0.1111111e-36  # of a sound speed: at and below it the speed is SMALLEST
SMALLEST = 0.3333333e-18


@kernel
def predict_energy(
    e_new: Out[f64, "n"],
    e_old: Ref[f64, "n"],
    delvc: Ref[f64, "n"],
    p_old: Ref[f64, "n"],
    q_old: Ref[f64, "n"],
    work: Ref[f64, "n"],
):
    for i in parallel(n):
        e_new[i] = e_old[i] - 0.5 * delvc[i] * (p_old[i] + q_old[i]) + 0.5 * work[i]


@kernel
def predict_viscosity(
    q_new: Out[f64, "n"],
    e_new: Ref[f64, "n"],
    delvc: Ref[f64, "n"],
    comp_half_step: Ref[f64, "n"],
    p_half_step: Ref[f64, "n"],
    bvc: Ref[f64, "n"],
    pbvc: Ref[f64, "n"],
    ql_old: Ref[f64, "n"],
    qq_old: Ref[f64, "n"],
    rho0: f64,
):
    for i in parallel(n):
        if delvc[i] > 0.0:
            q_new[i] = 0.0
        else:
            v_half = 1.0 / (1.0 + comp_half_step[i])
            square = (pbvc[i] * e_new[i] + v_half * v_half * bvc[i] * p_half_step[i]) / rho0
            speed = SMALLEST if square <= SMALLEST_SQUARE else sqrt(square)
            q_new[i] = speed * ql_old[i] + qq_old[i]


@kernel
def add_half_step_work(
    e_new: Mut[f64, "n"],
    delvc: Ref[f64, "n"],
    p_old: Ref[f64, "n"],
    q_old: Ref[f64, "n"],
    p_half_step: Ref[f64, "n"],
    q_new: Ref[f64, "n"],
):
    for i in parallel(n):
        e_new[i] += 0.5 * delvc[i] * (3.0 * (p_old[i] + q_old[i]) - 4.0 * (p_half_step[i] + q_new[i]))


@kernel
def add_source(e_new: Mut[f64, "n"], work: Ref[f64, "n"], e_cut: f64, emin: f64):
    for i in parallel(n):
        e = e_new[i] + 0.5 * work[i]
        if abs(e) < e_cut:
            e = 0.0
        if e < emin:
            e = emin
        e_new[i] = e


@kernel
def correct_energy(
    e_new: Mut[f64, "n"],
    delvc: Ref[f64, "n"],
    p_new: Ref[f64, "n"],
    p_old: Ref[f64, "n"],
    q_new: Ref[f64, "n"],
    q_old: Ref[f64, "n"],
    p_half_step: Ref[f64, "n"],
    bvc: Ref[f64, "n"],
    pbvc: Ref[f64, "n"],
    ql_old: Ref[f64, "n"],
    qq_old: Ref[f64, "n"],
    vnewc: Ref[f64, "n"],
    rho0: f64,
    e_cut: f64,
    emin: f64,
):
    for i in parallel(n):
        e = e_new[i]
        if delvc[i] > 0.0:
            q_tilde = 0.0
        else:
            square = (pbvc[i] * e + vnewc[i] * vnewc[i] * bvc[i] * p_new[i]) / rho0
            speed = SMALLEST if square <= SMALLEST_SQUARE else sqrt(square)
            q_tilde = speed * ql_old[i] + qq_old[i]
        change = 7.0 * (p_old[i] + q_old[i]) - 8.0 * (p_half_step[i] + q_new[i]) + (p_new[i] + q_tilde)
        e -= change * delvc[i] / 6.0
        if abs(e) < e_cut:
            e = 0.0
        if e < emin:
            e = emin
        e_new[i] = e


@kernel
def correct_viscosity(
    q_new: Mut[f64, "n"],
    e_new: Ref[f64, "n"],
    delvc: Ref[f64, "n"],
    p_new: Ref[f64, "n"],
    bvc: Ref[f64, "n"],
    pbvc: Ref[f64, "n"],
    ql_old: Ref[f64, "n"],
    qq_old: Ref[f64, "n"],
    vnewc: Ref[f64, "n"],
    rho0: f64,
    q_cut: f64,
):
    for i in parallel(n):
        if delvc[i] <= 0.0:
            square = (pbvc[i] * e_new[i] + vnewc[i] * vnewc[i] * bvc[i] * p_new[i]) / rho0
            speed = SMALLEST if square <= SMALLEST_SQUARE else sqrt(square)
            q = speed * ql_old[i] + qq_old[i]
            if abs(q) < q_cut:
                q = 0.0
            q_new[i] = q


@program
def energy(
    e_new: Out[f64, "n"],
    e_old: Ref[f64, "n"],
    delvc: Ref[f64, "n"],
    p_new: Ref[f64, "n"],
    p_old: Ref[f64, "n"],
    q_new: Out[f64, "n"],
    q_old: Ref[f64, "n"],
    work: Ref[f64, "n"],
    comp_half_step: Ref[f64, "n"],
    p_half_step: Ref[f64, "n"],
    bvc: Ref[f64, "n"],
    pbvc: Ref[f64, "n"],
    ql_old: Ref[f64, "n"],
    qq_old: Ref[f64, "n"],
    vnewc: Ref[f64, "n"],
    rho0: f64,
    e_cut: f64,
    emin: f64,
    q_cut: f64,
):
    predict_energy(e_new, e_old, delvc, p_old, q_old, work)
    predict_viscosity(q_new, e_new, delvc, comp_half_step, p_half_step, bvc, pbvc, ql_old, qq_old, rho0)
    add_half_step_work(e_new, delvc, p_old, q_old, p_half_step, q_new)
    add_source(e_new, work, e_cut, emin)
    correct_energy(
        e_new, delvc, p_new, p_old, q_new, q_old, p_half_step, bvc, pbvc, ql_old, qq_old, vnewc, rho0, e_cut, emin
    )
    correct_viscosity(q_new, e_new, delvc, p_new, bvc, pbvc, ql_old, qq_old, vnewc, rho0, q_cut)


def reference(
    e_new: Array,
    e_old: Array,
    delvc: Array,
    p_new: Array,
    p_old: Array,
    q_new: Array,
    q_old: Array,
    work: Array,
    comp_half_step: Array,
    p_half_step: Array,
    bvc: Array,
    pbvc: Array,
    ql_old: Array,
    qq_old: Array,
    vnewc: Array,
    rho0: float,
    e_cut: float,
    emin: float,
    q_cut: float,
) -> None:
    def viscosity(e: Array, stiffness: Array) -> Array:
        """Linear and quadratic term with the sound speed at an energy; none where the element expands."""
        square = (pbvc * e + stiffness) / rho0
        found = square > SMALLEST_SQUARE
        speed = np.where(found, np.sqrt(np.where(found, square, 1.0)), SMALLEST)
        return np.where(delvc > 0.0, 0.0, speed * ql_old + qq_old)

    def cut(e: Array) -> Array:
        return np.maximum(np.where(np.abs(e) < e_cut, 0.0, e), emin)

    old, new = p_old + q_old, bvc * p_new * vnewc**2
    e = e_old - delvc * old / 2.0 + work / 2.0
    q = viscosity(e, bvc * p_half_step / (1.0 + comp_half_step) ** 2)
    half = p_half_step + q
    e = cut(e + delvc * (1.5 * old - 2.0 * half) + work / 2.0)
    e_new[:] = cut(e - delvc * (7.0 * old - 8.0 * half + p_new + viscosity(e, new)) / 6.0)
    corrected = viscosity(e_new, new)
    q_new[:] = np.where(np.abs(corrected) < q_cut, 0.0, corrected)


def data(n: int, fill: Fill) -> Arguments:
    written = ("e_new", "q_new")
    arrays = (
        "e_new", "e_old", "delvc", "p_new", "p_old", "q_new", "q_old", "work", "comp_half_step", "p_half_step", "bvc",
        "pbvc", "ql_old", "qq_old", "vnewc",
    )  # fmt: skip
    arguments: Arguments = {name: fill.constant(n, 0.0) if name in written else fill.ramp(n) for name in arrays}
    return arguments | {name: fill.scalar() for name in ("rho0", "e_cut", "emin", "q_cut")}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # Every branch is taken by many elements: each sign of delvc and zero, sound speeds that exist and that do not, each
    # cut-off. Squares of speeds keep away from zero, where the root magnifies rounding: bvc's term, whose sign is
    # random, is at least 0.12 before the division by rho0, pbvc's is at most 0.08.
    def uniform(low: float, high: float) -> Array:
        return rng.uniform(low, high, n)

    def signed(low: float, high: float) -> Array:
        return rng.choice((-1.0, 1.0), n) * uniform(low, high)

    return {
        "e_new": uniform(0.0, 1.0), "e_old": uniform(-1.0, 1.0),
        "delvc": np.where(rng.random(n) < 0.125, 0.0, uniform(-1.0, 1.0)),
        "p_new": signed(0.5, 1.0), "p_old": uniform(-0.5, 0.5),
        "q_new": uniform(0.0, 1.0), "q_old": uniform(-0.5, 0.5), "work": uniform(-0.5, 0.5),
        "comp_half_step": uniform(0.0, 0.5), "p_half_step": signed(0.5, 1.0),
        "bvc": uniform(1.0, 2.0), "pbvc": uniform(0.0, 0.01),
        "ql_old": uniform(-0.5, 0.5), "qq_old": uniform(-0.5, 0.5), "vnewc": uniform(0.5, 1.0),
        "rho0": 0.7, "e_cut": 0.1, "emin": -0.4, "q_cut": 0.2,
    }  # fmt: skip


# RAJAPerf counts an array once in each launch that reads or writes it, and leaves out the arrays of branches that its
# own data never takes, but not their operations.
SPEC = Spec(
    "ENERGY", program=energy, reference=reference, data=data, random=random, size=1_000_000, repetitions=130,
    checksum=("e_new", "q_new"), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=176 * n, bytes_written=40 * n, flops=55 * n),
    work_differs="RAJAPerf counts the operations of every branch, whichever are taken",
)  # fmt: skip
