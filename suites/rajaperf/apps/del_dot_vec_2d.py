"""DEL_DOT_VEC_2D: divergence of a nodal vector field in each real zone of a 2-D mesh.

Source: RAJAPerf src/apps/DEL_DOT_VEC_2D.{hpp,cpp}.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, i64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, Mesh2D

TINY = 1e-20


@kernel
def del_dot_vec_2d(
    x: Ref[f64, "nn"], y: Ref[f64, "nn"], xdot: Ref[f64, "nn"], ydot: Ref[f64, "nn"], div: Mut[f64, "nn"],
    real_zones: Ref[i64, "zones"], jp: i64,
):  # fmt: skip
    for ii in parallel(zones):
        i = real_zones[ii]
        x1, x2, x3, x4 = x[i + 1], x[i + 1 + jp], x[i + jp], x[i]
        y1, y2, y3, y4 = y[i + 1], y[i + 1 + jp], y[i + jp], y[i]
        fx1, fx2, fx3, fx4 = xdot[i + 1], xdot[i + 1 + jp], xdot[i + jp], xdot[i]
        fy1, fy2, fy3, fy4 = ydot[i + 1], ydot[i + 1 + jp], ydot[i + jp], ydot[i]

        xi = 0.5 * (x1 + x2 - x3 - x4)
        xj = 0.5 * (x2 + x3 - x4 - x1)
        yi = 0.5 * (y1 + y2 - y3 - y4)
        yj = 0.5 * (y2 + y3 - y4 - y1)
        fxi = 0.5 * (fx1 + fx2 - fx3 - fx4)
        fxj = 0.5 * (fx2 + fx3 - fx4 - fx1)
        fyi = 0.5 * (fy1 + fy2 - fy3 - fy4)
        fyj = 0.5 * (fy2 + fy3 - fy4 - fy1)

        rarea = 1.0 / (xi * yj - xj * yi + TINY)
        dfxdx = rarea * (fxi * yj - fxj * yi)
        dfydy = rarea * (fyj * xi - fyi * xj)
        affine = (fy1 + fy2 + fy3 + fy4) / (y1 + y2 + y3 + y4)
        div[i] = dfxdx + dfydy + affine


def reference(x: Array, y: Array, xdot: Array, ydot: Array, div: Array, real_zones: Array, jp: int) -> None:
    """Turn derivatives along the mesh's own directions into those along x and y, by the inverse Jacobian."""

    def means_and_slopes(nodal: Array) -> tuple[Array, Array, Array]:
        square = np.stack([nodal[real_zones + corner] for corner in (0, 1, jp, jp + 1)]).reshape(2, 2, -1)  # [j, i]
        return square.sum((0, 1)), np.diff(square, axis=1).mean(0)[0], np.diff(square, axis=0).mean(1)[0]

    (_, xi, xj), (y_sum, yi, yj) = means_and_slopes(x), means_and_slopes(y)
    (_, fxi, fxj), (fy_sum, fyi, fyj) = means_and_slopes(xdot), means_and_slopes(ydot)
    area = xi * yj - xj * yi + TINY
    div[real_zones] = (fxi * yj - fxj * yi) / area + (fyj * xi - fyi * xj) / area + fy_sum / y_sum


def data(size: int, fill: Fill) -> Arguments:
    mesh = Mesh2D.of_size(size)
    x, y = fill.constant(mesh.nodes, 0.0), fill.constant(mesh.nodes, 0.0)
    zones = fill.indices(mesh.zone_list())
    mesh.place(x, y, spacing=(0.2, 0.1))
    xdot, ydot = fill.ramp(mesh.nodes), fill.ramp(mesh.nodes)
    div = fill.constant(mesh.nodes, 0.0)
    return {"x": x, "y": y, "xdot": xdot, "ydot": ydot, "div": div, "real_zones": zones, "jp": mesh.jp}


def random(size: int, rng: np.random.Generator) -> Arguments:
    """Nodes a little off the regular grid: zones of random nodes have areas around zero, which nothing divides well."""
    arguments = data(size, Fill())
    for name in ("x", "y"):
        arguments[name] += rng.uniform(-0.02, 0.02, arguments[name].size)
    for name in ("xdot", "ydot"):
        arguments[name] = rng.uniform(-1.0, 1.0, arguments[name].size)
    return arguments


def work(size: int) -> Work:
    mesh = Mesh2D.of_size(size)
    return Work(
        bytes_read=8 * mesh.zones + 4 * 8 * mesh.real_nodes, bytes_written=8 * mesh.zones, flops=54 * mesh.zones
    )


SPEC = Spec(
    "DEL_DOT_VEC_2D", program=del_dot_vec_2d, reference=reference, data=data, size=1_000_000, repetitions=100,
    actual_size=lambda size: Mesh2D.of_size(size).zones,
    checksum=("div",), tolerance=NORMAL, features=("Forall",), work=work, random=random,
)  # fmt: skip
