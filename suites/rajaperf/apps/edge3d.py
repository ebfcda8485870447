"""EDGE3D: sum of the entries of each zone's 12 x 12 edge-element matrix, mass plus curl-curl.

Source: RAJAPerf src/apps/{EDGE3D,mixed_fem_helper}.{hpp,cpp}. Two Gauss-Legendre points in each direction (u, v, w) of
the reference cube. A zone's corner m has bit 0 along i, bit 1 along j and bit 2 along k, but takes the place that m has
in the order around a face, as in RAJAPerf, so that zones are twisted. Zones fpz to lpz are computed in one flat range,
as in VOL3D. RAJAPerf's repair of bad zones has the tolerance zero and never acts: it is left out, and so are products
with components that are zero at every point. RAJAPerf keeps whole matrices in local memory; half of a
symmetric one in registers takes a fourteenth of its time on an NVIDIA H200, on both sides.
"""

import numpy as np

from kparity.compiler import Mut, Ref, f64, i64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, Mesh3D

NEAR, FAR = 0.211324865405187118, 0.788675134594812882  # the points on [0, 1]
WEIGHT = 0.125  # of a point in three dimensions
TINY = 1e-50  # keeps reciprocals finite
FLOPS = 13_214  # of a zone, as RAJAPerf counts them: products with zeros and the repair of bad zones included

BLOCK = 1 << 13  # zones that the reference takes at a time: their corners stay in the cache


@kernel
def edge3d(
    x: Ref[f64, "nn"],
    y: Ref[f64, "nn"],
    z: Ref[f64, "nn"],
    sum: Mut[f64, "nn"],
    jp: i64,
    kp: i64,
    fpz: i64,
    lpz: i64,
):
    for i in parallel((fpz, lpz + 1)):
        x0, x1, x2, x3 = x[i], x[i + 1], x[i + jp], x[i + jp + 1]
        x4, x5, x6, x7 = x[i + kp], x[i + kp + 1], x[i + kp + jp], x[i + kp + jp + 1]
        y0, y1, y2, y3 = y[i], y[i + 1], y[i + jp], y[i + jp + 1]
        y4, y5, y6, y7 = y[i + kp], y[i + kp + 1], y[i + kp + jp], y[i + kp + jp + 1]
        z0, z1, z2, z3 = z[i], z[i + 1], z[i + jp], z[i + jp + 1]
        z4, z5, z6, z7 = z[i + kp], z[i + kp + 1], z[i + kp + jp], z[i + kp + jp + 1]

        # The matrix is symmetric: mP_Q, P <= Q, is the entry of the edges P and Q.
        m0_0, m0_1, m0_2, m0_3, m0_4, m0_5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        m0_6, m0_7, m0_8, m0_9, m0_10, m0_11 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        m1_1, m1_2, m1_3, m1_4, m1_5, m1_6 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        m1_7, m1_8, m1_9, m1_10, m1_11 = 0.0, 0.0, 0.0, 0.0, 0.0
        m2_2, m2_3, m2_4, m2_5, m2_6, m2_7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        m2_8, m2_9, m2_10, m2_11 = 0.0, 0.0, 0.0, 0.0
        m3_3, m3_4, m3_5, m3_6, m3_7, m3_8 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        m3_9, m3_10, m3_11 = 0.0, 0.0, 0.0
        m4_4, m4_5, m4_6, m4_7, m4_8, m4_9 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        m4_10, m4_11 = 0.0, 0.0
        m5_5, m5_6, m5_7, m5_8, m5_9, m5_10 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        m5_11 = 0.0
        m6_6, m6_7, m6_8, m6_9, m6_10, m6_11 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        m7_7, m7_8, m7_9, m7_10, m7_11 = 0.0, 0.0, 0.0, 0.0, 0.0
        m8_8, m8_9, m8_10, m8_11 = 0.0, 0.0, 0.0, 0.0
        m9_9, m9_10, m9_11 = 0.0, 0.0, 0.0
        m10_10, m10_11 = 0.0, 0.0
        m11_11 = 0.0

        for iu in range(2):
            u1 = NEAR if iu == 0 else FAR
            u0 = 1.0 - u1
            for iv in range(2):
                v1 = NEAR if iv == 0 else FAR
                v0 = 1.0 - v1
                uv00, uv10, uv01, uv11 = u0 * v0, u1 * v0, u0 * v1, u1 * v1
                jzx = (x4 - x0) * uv00 + (x5 - x1) * uv10 + (x6 - x2) * uv11 + (x7 - x3) * uv01
                jzy = (y4 - y0) * uv00 + (y5 - y1) * uv10 + (y6 - y2) * uv11 + (y7 - y3) * uv01
                jzz = (z4 - z0) * uv00 + (z5 - z1) * uv10 + (z6 - z2) * uv11 + (z7 - z3) * uv01
                for iw in range(2):
                    w1 = NEAR if iw == 0 else FAR
                    w0 = 1.0 - w1
                    uw00, uw10, uw01, uw11 = u0 * w0, u1 * w0, u0 * w1, u1 * w1
                    vw00, vw10, vw01, vw11 = v0 * w0, v1 * w0, v0 * w1, v1 * w1
                    jxx = (x1 - x0) * vw00 + (x2 - x3) * vw10 + (x5 - x4) * vw01 + (x6 - x7) * vw11
                    jxy = (y1 - y0) * vw00 + (y2 - y3) * vw10 + (y5 - y4) * vw01 + (y6 - y7) * vw11
                    jxz = (z1 - z0) * vw00 + (z2 - z3) * vw10 + (z5 - z4) * vw01 + (z6 - z7) * vw11
                    jyx = (x3 - x0) * uw00 + (x2 - x1) * uw10 + (x7 - x4) * uw01 + (x6 - x5) * uw11
                    jyy = (y3 - y0) * uw00 + (y2 - y1) * uw10 + (y7 - y4) * uw01 + (y6 - y5) * uw11
                    jyz = (z3 - z0) * uw00 + (z2 - z1) * uw10 + (z7 - z4) * uw01 + (z6 - z5) * uw11

                    det = jxy * jyz * jzx - jxz * jyy * jzx + jxz * jyx * jzy
                    det = det - jxx * jyz * jzy - jxy * jyx * jzz + jxx * jyy * jzz
                    reciprocal = 1.0 / (det + TINY)
                    ixx = (jyy * jzz - jyz * jzy) * reciprocal
                    ixy = (jxz * jzy - jxy * jzz) * reciprocal
                    ixz = (jxy * jyz - jxz * jyy) * reciprocal
                    iyx = (jyz * jzx - jyx * jzz) * reciprocal
                    iyy = (jxx * jzz - jxz * jzx) * reciprocal
                    iyz = (jxz * jyx - jxx * jyz) * reciprocal
                    izx = (jyx * jzy - jyy * jzx) * reciprocal
                    izy = (jxy * jzx - jxx * jzy) * reciprocal
                    izz = (jxx * jyy - jxy * jyx) * reciprocal

                    # The inner products of the edge functions, which the inverse Jacobian takes to the zone
                    volume = WEIGHT * abs(det)
                    e0x, e0y, e0z = ixx * vw00, iyx * vw00, izx * vw00
                    e1x, e1y, e1z = ixx * vw10, iyx * vw10, izx * vw10
                    e2x, e2y, e2z = ixx * vw01, iyx * vw01, izx * vw01
                    e3x, e3y, e3z = ixx * vw11, iyx * vw11, izx * vw11
                    e4x, e4y, e4z = ixy * uw00, iyy * uw00, izy * uw00
                    e5x, e5y, e5z = ixy * uw10, iyy * uw10, izy * uw10
                    e6x, e6y, e6z = ixy * uw01, iyy * uw01, izy * uw01
                    e7x, e7y, e7z = ixy * uw11, iyy * uw11, izy * uw11
                    e8x, e8y, e8z = ixz * uv00, iyz * uv00, izz * uv00
                    e9x, e9y, e9z = ixz * uv10, iyz * uv10, izz * uv10
                    e10x, e10y, e10z = ixz * uv01, iyz * uv01, izz * uv01
                    e11x, e11y, e11z = ixz * uv11, iyz * uv11, izz * uv11
                    m0_0 += volume * (e0x * e0x + e0y * e0y + e0z * e0z)
                    m0_1 += volume * (e0x * e1x + e0y * e1y + e0z * e1z)
                    m0_2 += volume * (e0x * e2x + e0y * e2y + e0z * e2z)
                    m0_3 += volume * (e0x * e3x + e0y * e3y + e0z * e3z)
                    m0_4 += volume * (e0x * e4x + e0y * e4y + e0z * e4z)
                    m0_5 += volume * (e0x * e5x + e0y * e5y + e0z * e5z)
                    m0_6 += volume * (e0x * e6x + e0y * e6y + e0z * e6z)
                    m0_7 += volume * (e0x * e7x + e0y * e7y + e0z * e7z)
                    m0_8 += volume * (e0x * e8x + e0y * e8y + e0z * e8z)
                    m0_9 += volume * (e0x * e9x + e0y * e9y + e0z * e9z)
                    m0_10 += volume * (e0x * e10x + e0y * e10y + e0z * e10z)
                    m0_11 += volume * (e0x * e11x + e0y * e11y + e0z * e11z)
                    m1_1 += volume * (e1x * e1x + e1y * e1y + e1z * e1z)
                    m1_2 += volume * (e1x * e2x + e1y * e2y + e1z * e2z)
                    m1_3 += volume * (e1x * e3x + e1y * e3y + e1z * e3z)
                    m1_4 += volume * (e1x * e4x + e1y * e4y + e1z * e4z)
                    m1_5 += volume * (e1x * e5x + e1y * e5y + e1z * e5z)
                    m1_6 += volume * (e1x * e6x + e1y * e6y + e1z * e6z)
                    m1_7 += volume * (e1x * e7x + e1y * e7y + e1z * e7z)
                    m1_8 += volume * (e1x * e8x + e1y * e8y + e1z * e8z)
                    m1_9 += volume * (e1x * e9x + e1y * e9y + e1z * e9z)
                    m1_10 += volume * (e1x * e10x + e1y * e10y + e1z * e10z)
                    m1_11 += volume * (e1x * e11x + e1y * e11y + e1z * e11z)
                    m2_2 += volume * (e2x * e2x + e2y * e2y + e2z * e2z)
                    m2_3 += volume * (e2x * e3x + e2y * e3y + e2z * e3z)
                    m2_4 += volume * (e2x * e4x + e2y * e4y + e2z * e4z)
                    m2_5 += volume * (e2x * e5x + e2y * e5y + e2z * e5z)
                    m2_6 += volume * (e2x * e6x + e2y * e6y + e2z * e6z)
                    m2_7 += volume * (e2x * e7x + e2y * e7y + e2z * e7z)
                    m2_8 += volume * (e2x * e8x + e2y * e8y + e2z * e8z)
                    m2_9 += volume * (e2x * e9x + e2y * e9y + e2z * e9z)
                    m2_10 += volume * (e2x * e10x + e2y * e10y + e2z * e10z)
                    m2_11 += volume * (e2x * e11x + e2y * e11y + e2z * e11z)
                    m3_3 += volume * (e3x * e3x + e3y * e3y + e3z * e3z)
                    m3_4 += volume * (e3x * e4x + e3y * e4y + e3z * e4z)
                    m3_5 += volume * (e3x * e5x + e3y * e5y + e3z * e5z)
                    m3_6 += volume * (e3x * e6x + e3y * e6y + e3z * e6z)
                    m3_7 += volume * (e3x * e7x + e3y * e7y + e3z * e7z)
                    m3_8 += volume * (e3x * e8x + e3y * e8y + e3z * e8z)
                    m3_9 += volume * (e3x * e9x + e3y * e9y + e3z * e9z)
                    m3_10 += volume * (e3x * e10x + e3y * e10y + e3z * e10z)
                    m3_11 += volume * (e3x * e11x + e3y * e11y + e3z * e11z)
                    m4_4 += volume * (e4x * e4x + e4y * e4y + e4z * e4z)
                    m4_5 += volume * (e4x * e5x + e4y * e5y + e4z * e5z)
                    m4_6 += volume * (e4x * e6x + e4y * e6y + e4z * e6z)
                    m4_7 += volume * (e4x * e7x + e4y * e7y + e4z * e7z)
                    m4_8 += volume * (e4x * e8x + e4y * e8y + e4z * e8z)
                    m4_9 += volume * (e4x * e9x + e4y * e9y + e4z * e9z)
                    m4_10 += volume * (e4x * e10x + e4y * e10y + e4z * e10z)
                    m4_11 += volume * (e4x * e11x + e4y * e11y + e4z * e11z)
                    m5_5 += volume * (e5x * e5x + e5y * e5y + e5z * e5z)
                    m5_6 += volume * (e5x * e6x + e5y * e6y + e5z * e6z)
                    m5_7 += volume * (e5x * e7x + e5y * e7y + e5z * e7z)
                    m5_8 += volume * (e5x * e8x + e5y * e8y + e5z * e8z)
                    m5_9 += volume * (e5x * e9x + e5y * e9y + e5z * e9z)
                    m5_10 += volume * (e5x * e10x + e5y * e10y + e5z * e10z)
                    m5_11 += volume * (e5x * e11x + e5y * e11y + e5z * e11z)
                    m6_6 += volume * (e6x * e6x + e6y * e6y + e6z * e6z)
                    m6_7 += volume * (e6x * e7x + e6y * e7y + e6z * e7z)
                    m6_8 += volume * (e6x * e8x + e6y * e8y + e6z * e8z)
                    m6_9 += volume * (e6x * e9x + e6y * e9y + e6z * e9z)
                    m6_10 += volume * (e6x * e10x + e6y * e10y + e6z * e10z)
                    m6_11 += volume * (e6x * e11x + e6y * e11y + e6z * e11z)
                    m7_7 += volume * (e7x * e7x + e7y * e7y + e7z * e7z)
                    m7_8 += volume * (e7x * e8x + e7y * e8y + e7z * e8z)
                    m7_9 += volume * (e7x * e9x + e7y * e9y + e7z * e9z)
                    m7_10 += volume * (e7x * e10x + e7y * e10y + e7z * e10z)
                    m7_11 += volume * (e7x * e11x + e7y * e11y + e7z * e11z)
                    m8_8 += volume * (e8x * e8x + e8y * e8y + e8z * e8z)
                    m8_9 += volume * (e8x * e9x + e8y * e9y + e8z * e9z)
                    m8_10 += volume * (e8x * e10x + e8y * e10y + e8z * e10z)
                    m8_11 += volume * (e8x * e11x + e8y * e11y + e8z * e11z)
                    m9_9 += volume * (e9x * e9x + e9y * e9y + e9z * e9z)
                    m9_10 += volume * (e9x * e10x + e9y * e10y + e9z * e10z)
                    m9_11 += volume * (e9x * e11x + e9y * e11y + e9z * e11z)
                    m10_10 += volume * (e10x * e10x + e10y * e10y + e10z * e10z)
                    m10_11 += volume * (e10x * e11x + e10y * e11y + e10z * e11z)
                    m11_11 += volume * (e11x * e11x + e11y * e11y + e11z * e11z)

                    # The inner products of their curls, which the transposed Jacobian over its determinant takes there
                    reciprocal = 1.0 / (abs(det) + TINY)
                    txx, txy, txz = reciprocal * jxx, reciprocal * jxy, reciprocal * jxz
                    tyx, tyy, tyz = reciprocal * jyx, reciprocal * jyy, reciprocal * jyz
                    tzx, tzy, tzz = reciprocal * jzx, reciprocal * jzy, reciprocal * jzz
                    c0x, c0y, c0z = -tyx * v0 + tzx * w0, -tyy * v0 + tzy * w0, -tyz * v0 + tzz * w0
                    c1x, c1y, c1z = -tyx * v1 - tzx * w0, -tyy * v1 - tzy * w0, -tyz * v1 - tzz * w0
                    c2x, c2y, c2z = tyx * v0 + tzx * w1, tyy * v0 + tzy * w1, tyz * v0 + tzz * w1
                    c3x, c3y, c3z = tyx * v1 - tzx * w1, tyy * v1 - tzy * w1, tyz * v1 - tzz * w1
                    c4x, c4y, c4z = txx * u0 - tzx * w0, txy * u0 - tzy * w0, txz * u0 - tzz * w0
                    c5x, c5y, c5z = txx * u1 + tzx * w0, txy * u1 + tzy * w0, txz * u1 + tzz * w0
                    c6x, c6y, c6z = -txx * u0 - tzx * w1, -txy * u0 - tzy * w1, -txz * u0 - tzz * w1
                    c7x, c7y, c7z = -txx * u1 + tzx * w1, -txy * u1 + tzy * w1, -txz * u1 + tzz * w1
                    c8x, c8y, c8z = -txx * u0 + tyx * v0, -txy * u0 + tyy * v0, -txz * u0 + tyz * v0
                    c9x, c9y, c9z = -txx * u1 - tyx * v0, -txy * u1 - tyy * v0, -txz * u1 - tyz * v0
                    c10x, c10y, c10z = txx * u0 + tyx * v1, txy * u0 + tyy * v1, txz * u0 + tyz * v1
                    c11x, c11y, c11z = txx * u1 - tyx * v1, txy * u1 - tyy * v1, txz * u1 - tyz * v1
                    m0_0 += volume * (c0x * c0x + c0y * c0y + c0z * c0z)
                    m0_1 += volume * (c0x * c1x + c0y * c1y + c0z * c1z)
                    m0_2 += volume * (c0x * c2x + c0y * c2y + c0z * c2z)
                    m0_3 += volume * (c0x * c3x + c0y * c3y + c0z * c3z)
                    m0_4 += volume * (c0x * c4x + c0y * c4y + c0z * c4z)
                    m0_5 += volume * (c0x * c5x + c0y * c5y + c0z * c5z)
                    m0_6 += volume * (c0x * c6x + c0y * c6y + c0z * c6z)
                    m0_7 += volume * (c0x * c7x + c0y * c7y + c0z * c7z)
                    m0_8 += volume * (c0x * c8x + c0y * c8y + c0z * c8z)
                    m0_9 += volume * (c0x * c9x + c0y * c9y + c0z * c9z)
                    m0_10 += volume * (c0x * c10x + c0y * c10y + c0z * c10z)
                    m0_11 += volume * (c0x * c11x + c0y * c11y + c0z * c11z)
                    m1_1 += volume * (c1x * c1x + c1y * c1y + c1z * c1z)
                    m1_2 += volume * (c1x * c2x + c1y * c2y + c1z * c2z)
                    m1_3 += volume * (c1x * c3x + c1y * c3y + c1z * c3z)
                    m1_4 += volume * (c1x * c4x + c1y * c4y + c1z * c4z)
                    m1_5 += volume * (c1x * c5x + c1y * c5y + c1z * c5z)
                    m1_6 += volume * (c1x * c6x + c1y * c6y + c1z * c6z)
                    m1_7 += volume * (c1x * c7x + c1y * c7y + c1z * c7z)
                    m1_8 += volume * (c1x * c8x + c1y * c8y + c1z * c8z)
                    m1_9 += volume * (c1x * c9x + c1y * c9y + c1z * c9z)
                    m1_10 += volume * (c1x * c10x + c1y * c10y + c1z * c10z)
                    m1_11 += volume * (c1x * c11x + c1y * c11y + c1z * c11z)
                    m2_2 += volume * (c2x * c2x + c2y * c2y + c2z * c2z)
                    m2_3 += volume * (c2x * c3x + c2y * c3y + c2z * c3z)
                    m2_4 += volume * (c2x * c4x + c2y * c4y + c2z * c4z)
                    m2_5 += volume * (c2x * c5x + c2y * c5y + c2z * c5z)
                    m2_6 += volume * (c2x * c6x + c2y * c6y + c2z * c6z)
                    m2_7 += volume * (c2x * c7x + c2y * c7y + c2z * c7z)
                    m2_8 += volume * (c2x * c8x + c2y * c8y + c2z * c8z)
                    m2_9 += volume * (c2x * c9x + c2y * c9y + c2z * c9z)
                    m2_10 += volume * (c2x * c10x + c2y * c10y + c2z * c10z)
                    m2_11 += volume * (c2x * c11x + c2y * c11y + c2z * c11z)
                    m3_3 += volume * (c3x * c3x + c3y * c3y + c3z * c3z)
                    m3_4 += volume * (c3x * c4x + c3y * c4y + c3z * c4z)
                    m3_5 += volume * (c3x * c5x + c3y * c5y + c3z * c5z)
                    m3_6 += volume * (c3x * c6x + c3y * c6y + c3z * c6z)
                    m3_7 += volume * (c3x * c7x + c3y * c7y + c3z * c7z)
                    m3_8 += volume * (c3x * c8x + c3y * c8y + c3z * c8z)
                    m3_9 += volume * (c3x * c9x + c3y * c9y + c3z * c9z)
                    m3_10 += volume * (c3x * c10x + c3y * c10y + c3z * c10z)
                    m3_11 += volume * (c3x * c11x + c3y * c11y + c3z * c11z)
                    m4_4 += volume * (c4x * c4x + c4y * c4y + c4z * c4z)
                    m4_5 += volume * (c4x * c5x + c4y * c5y + c4z * c5z)
                    m4_6 += volume * (c4x * c6x + c4y * c6y + c4z * c6z)
                    m4_7 += volume * (c4x * c7x + c4y * c7y + c4z * c7z)
                    m4_8 += volume * (c4x * c8x + c4y * c8y + c4z * c8z)
                    m4_9 += volume * (c4x * c9x + c4y * c9y + c4z * c9z)
                    m4_10 += volume * (c4x * c10x + c4y * c10y + c4z * c10z)
                    m4_11 += volume * (c4x * c11x + c4y * c11y + c4z * c11z)
                    m5_5 += volume * (c5x * c5x + c5y * c5y + c5z * c5z)
                    m5_6 += volume * (c5x * c6x + c5y * c6y + c5z * c6z)
                    m5_7 += volume * (c5x * c7x + c5y * c7y + c5z * c7z)
                    m5_8 += volume * (c5x * c8x + c5y * c8y + c5z * c8z)
                    m5_9 += volume * (c5x * c9x + c5y * c9y + c5z * c9z)
                    m5_10 += volume * (c5x * c10x + c5y * c10y + c5z * c10z)
                    m5_11 += volume * (c5x * c11x + c5y * c11y + c5z * c11z)
                    m6_6 += volume * (c6x * c6x + c6y * c6y + c6z * c6z)
                    m6_7 += volume * (c6x * c7x + c6y * c7y + c6z * c7z)
                    m6_8 += volume * (c6x * c8x + c6y * c8y + c6z * c8z)
                    m6_9 += volume * (c6x * c9x + c6y * c9y + c6z * c9z)
                    m6_10 += volume * (c6x * c10x + c6y * c10y + c6z * c10z)
                    m6_11 += volume * (c6x * c11x + c6y * c11y + c6z * c11z)
                    m7_7 += volume * (c7x * c7x + c7y * c7y + c7z * c7z)
                    m7_8 += volume * (c7x * c8x + c7y * c8y + c7z * c8z)
                    m7_9 += volume * (c7x * c9x + c7y * c9y + c7z * c9z)
                    m7_10 += volume * (c7x * c10x + c7y * c10y + c7z * c10z)
                    m7_11 += volume * (c7x * c11x + c7y * c11y + c7z * c11z)
                    m8_8 += volume * (c8x * c8x + c8y * c8y + c8z * c8z)
                    m8_9 += volume * (c8x * c9x + c8y * c9y + c8z * c9z)
                    m8_10 += volume * (c8x * c10x + c8y * c10y + c8z * c10z)
                    m8_11 += volume * (c8x * c11x + c8y * c11y + c8z * c11z)
                    m9_9 += volume * (c9x * c9x + c9y * c9y + c9z * c9z)
                    m9_10 += volume * (c9x * c10x + c9y * c10y + c9z * c10z)
                    m9_11 += volume * (c9x * c11x + c9y * c11y + c9z * c11z)
                    m10_10 += volume * (c10x * c10x + c10y * c10y + c10z * c10z)
                    m10_11 += volume * (c10x * c11x + c10y * c11y + c10z * c11z)
                    m11_11 += volume * (c11x * c11x + c11y * c11y + c11z * c11z)

        row0 = m0_0 + m0_1 + m0_2 + m0_3 + m0_4 + m0_5 + m0_6 + m0_7 + m0_8 + m0_9 + m0_10 + m0_11
        row1 = m0_1 + m1_1 + m1_2 + m1_3 + m1_4 + m1_5 + m1_6 + m1_7 + m1_8 + m1_9 + m1_10 + m1_11
        row2 = m0_2 + m1_2 + m2_2 + m2_3 + m2_4 + m2_5 + m2_6 + m2_7 + m2_8 + m2_9 + m2_10 + m2_11
        row3 = m0_3 + m1_3 + m2_3 + m3_3 + m3_4 + m3_5 + m3_6 + m3_7 + m3_8 + m3_9 + m3_10 + m3_11
        row4 = m0_4 + m1_4 + m2_4 + m3_4 + m4_4 + m4_5 + m4_6 + m4_7 + m4_8 + m4_9 + m4_10 + m4_11
        row5 = m0_5 + m1_5 + m2_5 + m3_5 + m4_5 + m5_5 + m5_6 + m5_7 + m5_8 + m5_9 + m5_10 + m5_11
        row6 = m0_6 + m1_6 + m2_6 + m3_6 + m4_6 + m5_6 + m6_6 + m6_7 + m6_8 + m6_9 + m6_10 + m6_11
        row7 = m0_7 + m1_7 + m2_7 + m3_7 + m4_7 + m5_7 + m6_7 + m7_7 + m7_8 + m7_9 + m7_10 + m7_11
        row8 = m0_8 + m1_8 + m2_8 + m3_8 + m4_8 + m5_8 + m6_8 + m7_8 + m8_8 + m8_9 + m8_10 + m8_11
        row9 = m0_9 + m1_9 + m2_9 + m3_9 + m4_9 + m5_9 + m6_9 + m7_9 + m8_9 + m9_9 + m9_10 + m9_11
        row10 = m0_10 + m1_10 + m2_10 + m3_10 + m4_10 + m5_10 + m6_10 + m7_10 + m8_10 + m9_10 + m10_10 + m10_11
        row11 = m0_11 + m1_11 + m2_11 + m3_11 + m4_11 + m5_11 + m6_11 + m7_11 + m8_11 + m9_11 + m10_11 + m11_11
        sum[i] = row0 + row1 + row2 + row3 + row4 + row5 + row6 + row7 + row8 + row9 + row10 + row11


def reference(x: Array, y: Array, z: Array, sum: Array, jp: int, kp: int, fpz: int, lpz: int) -> None:
    """Integral of |grad (u + v + w)|^2 over the zone, by the same points.

    The edge functions sum to the constant vector (1, 1, 1) of the reference cube and their curls to zero, and the sum
    of the entries of a matrix of inner products is the square of the sum of the vectors.
    """
    corners = [(m & 1) + (m >> 1 & 1) * jp + (m >> 2) * kp for m in (0, 1, 3, 2, 4, 5, 7, 6)]  # bits as for VOL3D
    slope = np.array([-1.0, 1.0])
    for first in range(fpz, lpz + 1, BLOCK):
        last = min(first + BLOCK, lpz + 1)
        nodes = np.stack([[axis[first + corner : last + corner] for axis in (x, y, z)] for corner in corners])

        def derivative(w: Array, v: Array, u: Array, nodes: Array = nodes) -> Array:
            """Of the position, (3, zones), from the factors that the nodes' weights have in each direction."""
            weights = np.einsum("c,b,a->cba", w, v, u)
            derivatives: Array = (weights.ravel() @ nodes.reshape(8, -1)).reshape(3, -1)
            return derivatives

        total = np.zeros(last - first)
        for point in np.ndindex(2, 2, 2):
            w, v, u = (np.array([1.0 - t, t]) for t in np.take((NEAR, FAR), point))
            along_u, along_v, along_w = derivative(w, v, slope), derivative(w, slope, u), derivative(slope, v, u)
            det = np.sum(along_u * np.cross(along_v, along_w, axis=0), axis=0)
            normal = np.cross(along_v - along_u, along_w - along_u, axis=0)
            total += WEIGHT * np.sum(normal**2, axis=0) / np.abs(det)
        sum[first:last] = total


def data(size: int, fill: Fill) -> Arguments:
    mesh = Mesh3D.of_size(size)
    x, y, z = (fill.constant(mesh.nodes, 0.0) for _ in range(3))
    mesh.place(x, y, z, spacing=(0.3, 0.2, 0.1))
    sum = fill.constant(mesh.nodes, 0.0)
    return {"x": x, "y": y, "z": z, "sum": sum, "jp": mesh.jp, "kp": mesh.kp, "fpz": mesh.fpz, "lpz": mesh.lpz}


def random(size: int, rng: np.random.Generator) -> Arguments:
    # A tenth of the spacing keeps every determinant away from zero.
    arguments = data(size, Fill())
    for name, spacing in (("x", 0.3), ("y", 0.2), ("z", 0.1)):
        arguments[name] += rng.uniform(-0.1 * spacing, 0.1 * spacing, arguments[name].shape)
    return arguments


def work(size: int) -> Work:
    # The corners of the flat range of zones are one contiguous range of nodes.
    mesh = Mesh3D.of_size(size)
    zones = mesh.lpz - mesh.fpz + 1
    nodes = zones + 1 + mesh.jp + mesh.kp
    return Work(bytes_read=3 * 8 * nodes, bytes_written=8 * zones, flops=FLOPS * zones)


SPEC = Spec(
    "EDGE3D", program=edge3d, reference=reference, data=data, random=random, size=1_000_000, repetitions=10,
    actual_size=lambda size: Mesh3D.of_size(size).zones,
    checksum=("sum",), tolerance=NORMAL, features=("Forall",), work=work,
    work_differs="RAJAPerf counts products with zeros and the repair of bad zones, which are left out here",
)  # fmt: skip
