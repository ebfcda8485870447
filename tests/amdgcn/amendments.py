"""Pseudocode for the instructions whose printed one is prose, loops over bits, or meant for readers.

The keys are regular expressions over the names of instructions without their encoding (`_E32`, `_E64`).
"""

from __future__ import annotations

import re

AMENDED = {
    r"[SV]_(?:RNDNE|RNDNE)_F(16|32|64)": r"D0.f\1 = roundEven(S0.f\1)",
    r"V_LDEXP_F(32|64)": r"D0.f\1 = ldexp(S0.f\1, S1.i32)",
    r"V_FREXP_EXP_I32_F(32|64)": r"D0.i32 = frexpExponent(S0.f\1)",
    r"V_(?:MIN|MIN_NUM)_F(16|32|64)": r"D0.f\1 = v_min_f\1(S0.f\1, S1.f\1)",
    r"V_(?:MAX|MAX_NUM)_F(16|32|64)": r"D0.f\1 = v_max_f\1(S0.f\1, S1.f\1)",
    r"V_MED3(?:_NUM)?_(F16|F32|I32|U32)": r"D0.\1 = median(S0.\1, S1.\1, S2.\1)",
    r"V_MINIMUM_F(32|64)": r"D0.f\1 = nanMinimum(S0.f\1, S1.f\1)",
    r"V_MAXIMUM_F(32|64)": r"D0.f\1 = nanMaximum(S0.f\1, S1.f\1)",
    # The scale is undone: an estimate above 1 had its denominator scaled, one below its numerator.
    r"V_DIV_FMAS_F64": "tmp = fma(S0.f64, S1.f64, S2.f64); "
    "D0.f64 = VCC.u64[laneId] ? ldexp(tmp, exponent(S2.f64) > 1023 ? 128 : -128) : tmp",
    r"V_DIV_FMAS_F32": "tmp = fma(S0.f32, S1.f32, S2.f32); "
    "D0.f32 = VCC.u64[laneId] ? ldexp(tmp, exponent(S2.f32) > 127 ? 64 : -64) : tmp",
    r"V_TRIG_PREOP_F64": "D0.f64 = twoOverPi(S0.f64, S1.u32)",
    r"S_BCNT1_I32_B(32|64)": r"D0.i32 = bitCount(S0.u\1); SCC = D0.u32 != 0U",
    r"S_BCNT0_I32_B(32|64)": r"D0.i32 = bitCount(~S0.u\1); SCC = D0.u32 != 0U",
    r"V_BCNT_U32_B32": "D0.u32 = 32'U(bitCount(S0.u32)) + S1.u32",
    r"V_MBCNT_LO_U32_B32": "D0.u32 = 32'U(bitCount(S0.u32 & lanesBelow(laneId, 0))) + S1.u32",
    r"V_MBCNT_HI_U32_B32": "D0.u32 = 32'U(bitCount(S0.u32 & lanesBelow(laneId, 32))) + S1.u32",
    r"S_(?:FF1|CTZ)_I32_B(32|64)": r"D0.i32 = trailingZeros(S0.u\1)",
    r"V_(?:FFBL|CTZ_I32)_B32": "D0.i32 = trailingZeros(S0.u32)",
    r"S_(?:FLBIT_I32_B|CLZ_I32_U)(32|64)": r"D0.i32 = leadingZeros(S0.u\1)",
    r"V_(?:FFBH|CLZ_I32)_U32": "D0.i32 = leadingZeros(S0.u32)",
    r"S_(?:FLBIT_I32|CLS_I32)": "D0.i32 = leadingSigns(S0.i32)",
    r"V_(?:FFBH_I32|CLS_I32)": "D0.i32 = leadingSigns(S0.i32)",
    r"V_BFREV_B32": "D0.u32 = S0.u32[0 : 31]",
    r"S_BITSET0_B32": "D0.u32 = D0.u32 & ~(1U << S0.u32[4 : 0])",
    r"S_BITSET1_B32": "D0.u32 = D0.u32 | (1U << S0.u32[4 : 0])",
    r"V_MAD_(?:CO_)?U64_U32": "D1.u64[laneId] = carriesOut(S0.u32, S1.u32, S2.u64); "
    "D0.u64 = 64'U(S0.u32) * 64'U(S1.u32) + S2.u64",
    r"V_MAD_(?:CO_)?I64_I32": "D1.u64[laneId] = 1'0U; D0.i64 = 64'I(S0.i32) * 64'I(S1.i32) + S2.i64",
    r"V_MAD_LEGACY_U16": "tmp = S0.u16 * S1.u16 + S2.u16; D0 = { 16'0, tmp.u16 }",  # the upper halves are refused
    r"V_SAD_U32": "D0.u32 = (S0.u32 > S1.u32 ? S0.u32 - S1.u32 : S1.u32 - S0.u32) + S2.u32",
    r"V_PERM_B32": "D0.u32 = bytePermute(S0.u32, S1.u32, S2.u32)",
    r"V_PK_MOV_B32": "D0.u64 = chosenHalves(S0.u64, S1.u64, OPSEL)",
    r"V_PK_(FMA)_F32": "D0.u64 = packedF32(S0.u64, S1.u64, S2.u64)",
    r"S_PACK_LL_B32_B16": "D0.u32 = (S1.u32 << 16U) | (S0.u32 & 65535U)",
    r"S_PACK_LH_B32_B16": "D0.u32 = (S1.u32 & 0xffff0000U) | (S0.u32 & 65535U)",
    r"S_PACK_HH_B32_B16": "D0.u32 = (S1.u32 & 0xffff0000U) | (S0.u32 >> 16U)",
    r"V_CVT_U32_U16": "D0.u32 = S0.u32 & 65535U",
    r"V_CVT_I32_I16": "D0.i32 = 32'I(signext(S0.i16))",
    r"V_DUAL_CNDMASK_B32": "D0.u32 = VCC.u64[laneId] ? S1.u32 : S0.u32",
    r"V_DUAL_MOV_B32": "D0.u32 = S0.u32",
    r"V_DUAL_AND_B32": "D0.u32 = S0.u32 & S1.u32",
}


def pseudocode_of(name: str, printed: str) -> str:
    """The pseudocode of an instruction: amended where that is needed, else as printed."""
    plain = re.sub(r"_(E32|E64)$", "", name)
    for pattern, text in AMENDED.items():
        if match := re.fullmatch(pattern, plain):
            return match.expand(text).replace(".F", ".f").replace(".I", ".i").replace(".U", ".u")
    return printed
