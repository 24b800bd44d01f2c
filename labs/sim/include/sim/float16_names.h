/* The functions of half and bfloat16 whose names contain that of the type. cuda_fp16.h and
 * cuda_bf16.h each include this file once, with the macros of sim/float16_functions.h defined, and
 * with SIM_F16_WORD: half or bfloat16. SIM_NAMED(__float2, _rn) is __float2half_rn or
 * __float2bfloat16_rn. */

#define SIM_PASTED(before, word, after) before##word##after
#define SIM_NAMED_BY(before, word, after) SIM_PASTED(before, word, after)
#define SIM_NAMED(before, after) SIM_NAMED_BY(before, SIM_F16_WORD, after)

/* ---- conversions */

SIM_INLINED SIM_F16 SIM_NAMED(__float2, )(float x) {
    return sim_of_bits(SIM_FORMAT{}, sim_f16_nearest(SIM_FORMAT{}, x));
}
SIM_INLINED SIM_F16 SIM_NAMED(__float2, _rn)(float x) {
    return sim_of_bits(SIM_FORMAT{}, sim_f16_nearest(SIM_FORMAT{}, x));
}
SIM_INLINED SIM_F16 SIM_NAMED(__double2, )(double x) {
    return sim_of_bits(SIM_FORMAT{}, sim_f16_rounded<SIM_FORMAT>(x, SIM_ROUND_NEAREST));
}
SIM_INLINED float SIM_NAMED(__, 2float)(SIM_F16 x) {
    return sim_widened(SIM_FORMAT{}, sim_bits(x));
}

#define SIM_FROM(From, before, after, mode)                                                        \
    SIM_INLINED SIM_F16 SIM_NAMED(before, after)(From x) {                                         \
        return sim_of_bits(SIM_FORMAT{},                                                           \
                           sim_f16_canonical<SIM_FORMAT>(                                          \
                               sim_f16_rounded<SIM_FORMAT>(sim_integer_to_odd(x), mode)));         \
    }
#define SIM_FROM_DIRECTED(From, before)                                                            \
    SIM_FROM(From, before, _rz, SIM_ROUND_ZERO)                                                    \
    SIM_FROM(From, before, _rd, SIM_ROUND_DOWN)                                                    \
    SIM_FROM(From, before, _ru, SIM_ROUND_UP)
#define SIM_FROM_INTEGER(From, before)                                                             \
    SIM_FROM(From, before, _rn, SIM_ROUND_NEAREST)                                                 \
    SIM_FROM_DIRECTED(From, before)
#define SIM_TO(To, after, mode)                                                                    \
    SIM_INLINED To SIM_NAMED(__, after)(SIM_F16 x) {                                               \
        return sim_to_integer<To>((double)sim_widened(SIM_FORMAT{}, sim_bits(x)), mode, false);    \
    }
#define SIM_TO_INTEGER(To, after)                                                                  \
    SIM_TO(To, after##_rn, SIM_ROUND_NEAREST)                                                      \
    SIM_TO(To, after##_rz, SIM_ROUND_ZERO)                                                         \
    SIM_TO(To, after##_rd, SIM_ROUND_DOWN)                                                         \
    SIM_TO(To, after##_ru, SIM_ROUND_UP)

SIM_FROM_DIRECTED(double, __float2) /* a float widens exactly */
SIM_FROM_INTEGER(short, __short2)
SIM_FROM_INTEGER(unsigned short, __ushort2)
SIM_FROM_INTEGER(int, __int2)
SIM_FROM_INTEGER(unsigned, __uint2)
SIM_FROM_INTEGER(long long, __ll2)
SIM_FROM_INTEGER(unsigned long long, __ull2)

SIM_TO(signed char, 2char_rz, SIM_ROUND_ZERO)
SIM_TO(unsigned char, 2uchar_rz, SIM_ROUND_ZERO)
SIM_TO_INTEGER(short, 2short)
SIM_TO_INTEGER(unsigned short, 2ushort)
SIM_TO_INTEGER(int, 2int)
SIM_TO_INTEGER(unsigned, 2uint)
SIM_TO_INTEGER(long long, 2ll)
SIM_TO_INTEGER(unsigned long long, 2ull)

#undef SIM_TO_INTEGER
#undef SIM_TO
#undef SIM_FROM_INTEGER
#undef SIM_FROM_DIRECTED
#undef SIM_FROM

/* ---- bits */

SIM_INLINED short SIM_NAMED(__, _as_short)(SIM_F16 x) { return (short)sim_bits(x); }
SIM_INLINED unsigned short SIM_NAMED(__, _as_ushort)(SIM_F16 x) { return sim_bits(x); }
SIM_INLINED SIM_F16 SIM_NAMED(__short_as_, )(short x) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned short)x);
}
SIM_INLINED SIM_F16 SIM_NAMED(__ushort_as_, )(unsigned short x) {
    return sim_of_bits(SIM_FORMAT{}, x);
}

/* ---- pairs */

SIM_INLINED SIM_F16X2 SIM_NAMED(__halves2, 2)(SIM_F16 low, SIM_F16 high) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned)sim_bits(low), (unsigned)sim_bits(high));
}
SIM_INLINED SIM_F16X2 SIM_NAMED(make_, 2)(SIM_F16 low, SIM_F16 high) {
    return SIM_NAMED(__halves2, 2)(low, high);
}
SIM_INLINED SIM_F16 SIM_NAMED(__low2, )(SIM_F16X2 x) {
    return sim_of_bits(SIM_FORMAT{}, sim_low(x));
}
SIM_INLINED SIM_F16 SIM_NAMED(__high2, )(SIM_F16X2 x) {
    return sim_of_bits(SIM_FORMAT{}, sim_high(x));
}
SIM_INLINED SIM_F16X2 SIM_NAMED(__low2, 2)(SIM_F16X2 x) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned)sim_low(x), (unsigned)sim_low(x));
}
SIM_INLINED SIM_F16X2 SIM_NAMED(__high2, 2)(SIM_F16X2 x) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned)sim_high(x), (unsigned)sim_high(x));
}
SIM_INLINED SIM_F16X2 SIM_NAMED(__lows2, 2)(SIM_F16X2 a, SIM_F16X2 b) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned)sim_low(a), (unsigned)sim_low(b));
}
SIM_INLINED SIM_F16X2 SIM_NAMED(__highs2, 2)(SIM_F16X2 a, SIM_F16X2 b) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned)sim_high(a), (unsigned)sim_high(b));
}
SIM_INLINED SIM_F16X2 SIM_NAMED(__floats2, 2_rn)(float low, float high) {
    return SIM_NAMED(__halves2, 2)(SIM_NAMED(__float2, )(low), SIM_NAMED(__float2, )(high));
}
SIM_INLINED SIM_F16X2 SIM_NAMED(__float2, 2_rn)(float x) {
    return SIM_NAMED(__floats2, 2_rn)(x, x);
}
SIM_INLINED SIM_F16X2 SIM_NAMED(__float22, 2_rn)(float2 x) {
    return SIM_NAMED(__floats2, 2_rn)(x.x, x.y);
}
SIM_INLINED float2 SIM_NAMED(__, 22float2)(SIM_F16X2 x) {
    float low = __low2float(x), high = __high2float(x);
    return float2{low, high};
}

#undef SIM_NAMED
#undef SIM_NAMED_BY
#undef SIM_PASTED

/* ---- what the including file defined */

#undef SIM_F16X2_NO_OPERATORS
#undef SIM_F16_NO_OPERATORS
#undef SIM_F16_NO_CONVERSIONS
#undef SIM_FORMAT
#undef SIM_F16_WORD
#undef SIM_F16_OTHER
#undef SIM_F16X2_RAW
#undef SIM_F16_RAW
#undef SIM_F16X2
#undef SIM_F16
