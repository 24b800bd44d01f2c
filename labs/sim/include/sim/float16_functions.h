/* The functions of half and bfloat16 whose names do not tell which type they take. cuda_fp16.h and
 * cuda_bf16.h each include this file once, with SIM_F16 and SIM_F16X2 (the types), SIM_F16_RAW and
 * SIM_F16X2_RAW (their bits) and SIM_FORMAT defined, and what sim/float16_types.h asks for. */

#include "sim/float16_types.h"

/* ---- the bits of one and of two: two are loaded and stored as one word, as on the device */

SIM_INLINED unsigned short sim_bits(const SIM_F16 &x) {
    unsigned short bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
SIM_INLINED unsigned sim_bits(const SIM_F16X2 &x) {
    unsigned bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
SIM_INLINED SIM_F16 sim_of_bits(SIM_FORMAT, unsigned short bits) {
    return SIM_F16(SIM_F16_RAW{bits});
}
SIM_INLINED SIM_F16X2 sim_of_bits(SIM_FORMAT, unsigned low, unsigned high) {
    unsigned bits = (low & 0xffffu) | high << 16;
    SIM_F16X2 x;
    __builtin_memcpy(&x, &bits, sizeof bits);
    return x;
}
SIM_INLINED SIM_F16 sim_one(SIM_FORMAT) {
    return sim_of_bits(SIM_FORMAT{}, sim_f16_one<SIM_FORMAT>());
}
SIM_INLINED SIM_F16X2 sim_two_ones(SIM_FORMAT) {
    return SIM_F16X2(sim_one(SIM_FORMAT{}), sim_one(SIM_FORMAT{}));
}
SIM_INLINED unsigned short sim_low(const SIM_F16X2 &x) { return (unsigned short)sim_bits(x); }
SIM_INLINED unsigned short sim_high(const SIM_F16X2 &x) {
    return (unsigned short)(sim_bits(x) >> 16);
}

/* ---- arithmetic */

#define SIM_F16_ONE(name, result)                                                                  \
    SIM_INLINED SIM_F16 name(SIM_F16 a_) {                                                         \
        unsigned short a = sim_bits(a_);                                                           \
        return sim_of_bits(SIM_FORMAT{}, (unsigned short)(result));                                \
    }
#define SIM_F16_TWO(name, result)                                                                  \
    SIM_INLINED SIM_F16 name(SIM_F16 a_, SIM_F16 b_) {                                             \
        unsigned short a = sim_bits(a_), b = sim_bits(b_);                                         \
        return sim_of_bits(SIM_FORMAT{}, (unsigned short)(result));                                \
    }
#define SIM_F16_TWO_PAIRS(name, result)                                                            \
    SIM_INLINED SIM_F16X2 name(SIM_F16X2 a_, SIM_F16X2 b_) {                                       \
        unsigned as = sim_bits(a_), bs = sim_bits(b_);                                             \
        auto part = [](unsigned short a, unsigned short b) { return (unsigned short)(result); };   \
        return sim_of_bits(SIM_FORMAT{}, part((unsigned short)as, (unsigned short)bs),             \
                           part((unsigned short)(as >> 16), (unsigned short)(bs >> 16)));          \
    }
#define SIM_F16_BINARY(name, name2, result)                                                        \
    SIM_F16_TWO(name, result)                                                                      \
    SIM_F16_TWO_PAIRS(name2, result)
#define SIM_F16_TERNARY(name, name2, result)                                                       \
    SIM_INLINED SIM_F16 name(SIM_F16 a_, SIM_F16 b_, SIM_F16 c_) {                                 \
        unsigned short a = sim_bits(a_), b = sim_bits(b_), c = sim_bits(c_);                       \
        return sim_of_bits(SIM_FORMAT{}, (unsigned short)(result));                                \
    }                                                                                              \
    SIM_INLINED SIM_F16X2 name2(SIM_F16X2 a_, SIM_F16X2 b_, SIM_F16X2 c_) {                        \
        unsigned as = sim_bits(a_), bs = sim_bits(b_), cs = sim_bits(c_);                          \
        auto part = [](unsigned short a, unsigned short b, unsigned short c) {                     \
            return (unsigned short)(result);                                                       \
        };                                                                                         \
        return sim_of_bits(SIM_FORMAT{},                                                           \
                           part((unsigned short)as, (unsigned short)bs, (unsigned short)cs),       \
                           part((unsigned short)(as >> 16), (unsigned short)(bs >> 16),            \
                                (unsigned short)(cs >> 16)));                                      \
    }

#define SIM_F16_SUM sim_f16_add<SIM_FORMAT>(a, b)
#define SIM_F16_DIFFERENCE sim_f16_add<SIM_FORMAT>(a, (unsigned short)(b ^ 0x8000u))
#define SIM_F16_PRODUCT sim_f16_multiply<SIM_FORMAT>(a, b)
#define SIM_F16_FUSED sim_f16_fused<SIM_FORMAT>(a, b, c)
#define SIM_F16_SATURATED(x) sim_f16_saturated<SIM_FORMAT>(x)

SIM_F16_BINARY(__hadd, __hadd2, SIM_F16_SUM)
SIM_F16_BINARY(__hadd_rn, __hadd2_rn, SIM_F16_SUM)
SIM_F16_BINARY(__hadd_sat, __hadd2_sat, SIM_F16_SATURATED(SIM_F16_SUM))
SIM_F16_BINARY(__hsub, __hsub2, SIM_F16_DIFFERENCE)
SIM_F16_BINARY(__hsub_rn, __hsub2_rn, SIM_F16_DIFFERENCE)
SIM_F16_BINARY(__hsub_sat, __hsub2_sat, SIM_F16_SATURATED(SIM_F16_DIFFERENCE))
SIM_F16_BINARY(__hmul, __hmul2, SIM_F16_PRODUCT)
SIM_F16_BINARY(__hmul_rn, __hmul2_rn, SIM_F16_PRODUCT)
SIM_F16_BINARY(__hmul_sat, __hmul2_sat, SIM_F16_SATURATED(SIM_F16_PRODUCT))
SIM_F16_BINARY(__hdiv, __h2div, sim_f16_divide<SIM_FORMAT>(a, b))
SIM_F16_BINARY(__hmax, __hmax2, sim_f16_extreme<SIM_FORMAT>(a, b, true, false))
SIM_F16_BINARY(__hmin, __hmin2, sim_f16_extreme<SIM_FORMAT>(a, b, false, false))
SIM_F16_BINARY(__hmax_nan, __hmax2_nan, sim_f16_extreme<SIM_FORMAT>(a, b, true, true))
SIM_F16_BINARY(__hmin_nan, __hmin2_nan, sim_f16_extreme<SIM_FORMAT>(a, b, false, true))
SIM_F16_TERNARY(__hfma, __hfma2, SIM_F16_FUSED)
SIM_F16_TERNARY(__hfma_sat, __hfma2_sat, SIM_F16_SATURATED(SIM_F16_FUSED))
SIM_F16_TERNARY(__hfma_relu, __hfma2_relu, sim_f16_relu(SIM_F16_FUSED))
SIM_F16_ONE(__hneg, sim_f16_canonical<SIM_FORMAT>(a ^ 0x8000u))
SIM_F16_ONE(__habs, sim_f16_canonical<SIM_FORMAT>(a & 0x7fffu))

SIM_INLINED SIM_F16X2 __hneg2(SIM_F16X2 a) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned)sim_f16_canonical<SIM_FORMAT>(sim_low(a) ^ 0x8000u),
                       (unsigned)sim_f16_canonical<SIM_FORMAT>(sim_high(a) ^ 0x8000u));
}
SIM_INLINED SIM_F16X2 __habs2(SIM_F16X2 a) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned)sim_f16_canonical<SIM_FORMAT>(sim_low(a) & 0x7fffu),
                       (unsigned)sim_f16_canonical<SIM_FORMAT>(sim_high(a) & 0x7fffu));
}
/* Complex numbers: a * b + c. */
SIM_INLINED SIM_F16X2 __hcmadd(SIM_F16X2 a, SIM_F16X2 b, SIM_F16X2 c) {
    unsigned short x = sim_low(a), y = sim_high(a), minus_y = (unsigned short)(y ^ 0x8000u);
    unsigned short real = sim_f16_fused<SIM_FORMAT>(x, sim_low(b), sim_low(c));
    unsigned short imaginary = sim_f16_fused<SIM_FORMAT>(x, sim_high(b), sim_high(c));
    return sim_of_bits(SIM_FORMAT{}, sim_f16_fused<SIM_FORMAT>(minus_y, sim_high(b), real),
                       (unsigned)sim_f16_fused<SIM_FORMAT>(y, sim_low(b), imaginary));
}

/* ---- comparisons: of one, of both (1.0 or 0.0 each; all bits or none; true if both hold) */

/* __heq(), __heq2(), __heq2_mask(), __hbeq2() for `op` eq. */
#define SIM_F16_COMPARE(op, a, b, how, unordered)                                                  \
    SIM_INLINED bool __h##op(SIM_F16 x, SIM_F16 y) {                                               \
        return sim_f16_compare<SIM_FORMAT>(sim_bits(a), sim_bits(b), how, unordered);              \
    }                                                                                              \
    SIM_INLINED unsigned __h##op##2_mask(SIM_F16X2 x, SIM_F16X2 y) {                               \
        bool low = sim_f16_compare<SIM_FORMAT>(sim_low(a), sim_low(b), how, unordered);            \
        bool high = sim_f16_compare<SIM_FORMAT>(sim_high(a), sim_high(b), how, unordered);         \
        return (low ? 0xffffu : 0u) | (high ? 0xffff0000u : 0u);                                   \
    }                                                                                              \
    SIM_INLINED SIM_F16X2 __h##op##2(SIM_F16X2 x, SIM_F16X2 y) {                                   \
        constexpr unsigned one = (unsigned)(1 - SIM_FORMAT::least) << SIM_FORMAT::digits;          \
        unsigned mask = __h##op##2_mask(x, y);                                                     \
        return sim_of_bits(SIM_FORMAT{}, mask & one, mask >> 16 & one);                            \
    }                                                                                              \
    SIM_INLINED bool __hb##op##2(SIM_F16X2 x, SIM_F16X2 y) {                                       \
        return __h##op##2_mask(x, y) == 0xffffffffu;                                               \
    }
/* A comparison with a NaN is false; with a u at its name, true. */
#define SIM_F16_COMPARE_BOTH(op, a, b, how)                                                        \
    SIM_F16_COMPARE(op, a, b, how, false)                                                          \
    SIM_F16_COMPARE(op##u, a, b, how, true)

SIM_F16_COMPARE_BOTH(eq, x, y, SIM_EQUAL)
SIM_F16_COMPARE_BOTH(ne, x, y, SIM_NOT_EQUAL)
SIM_F16_COMPARE_BOTH(lt, x, y, SIM_LESS)
SIM_F16_COMPARE_BOTH(le, x, y, SIM_LESS_EQUAL)
SIM_F16_COMPARE_BOTH(gt, y, x, SIM_LESS)
SIM_F16_COMPARE_BOTH(ge, y, x, SIM_LESS_EQUAL)

SIM_INLINED bool __hisnan(SIM_F16 a) { return sim_f16_is_nan<SIM_FORMAT>(sim_bits(a)); }
SIM_INLINED SIM_F16X2 __hisnan2(SIM_F16X2 a) { return __hneu2(a, a); }
/* 1 for +infinity, -1 for -infinity. */
SIM_INLINED int __hisinf(SIM_F16 a) {
    constexpr unsigned infinity = 0x7fffu & ~((1u << SIM_FORMAT::digits) - 1);
    unsigned bits = sim_bits(a);
    return bits == infinity ? 1 : bits == (infinity | 0x8000u) ? -1 : 0;
}

/* ---- parts of pairs */

SIM_INLINED float __low2float(SIM_F16X2 a) { return sim_widened(SIM_FORMAT{}, sim_low(a)); }
SIM_INLINED float __high2float(SIM_F16X2 a) { return sim_widened(SIM_FORMAT{}, sim_high(a)); }
SIM_INLINED SIM_F16X2 __lowhigh2highlow(SIM_F16X2 a) {
    return sim_of_bits(SIM_FORMAT{}, (unsigned)sim_high(a), (unsigned)sim_low(a));
}

/* ---- functions */

#define SIM_F16_FUNCTION(name, name2, function)                                                    \
    SIM_F16_ONE(name, sim_f16_function<SIM_FORMAT>(a, function))                                   \
    SIM_INLINED SIM_F16X2 name2(SIM_F16X2 a) {                                                     \
        return sim_of_bits(SIM_FORMAT{}, sim_f16_function<SIM_FORMAT>(sim_low(a), function),       \
                           (unsigned)sim_f16_function<SIM_FORMAT>(sim_high(a), function));         \
    }

SIM_F16_FUNCTION(htrunc, h2trunc, ::trunc)
SIM_F16_FUNCTION(hceil, h2ceil, ::ceil)
SIM_F16_FUNCTION(hfloor, h2floor, ::floor)
SIM_F16_FUNCTION(hrint, h2rint, ::rint)
SIM_F16_FUNCTION(hsqrt, h2sqrt, ::sqrt)
SIM_F16_FUNCTION(hrsqrt, h2rsqrt, sim_reciprocal_root)
SIM_F16_FUNCTION(hrcp, h2rcp, sim_reciprocal)
SIM_F16_FUNCTION(hlog, h2log, ::log)
SIM_F16_FUNCTION(hlog2, h2log2, ::log2)
SIM_F16_FUNCTION(hlog10, h2log10, ::log10)
SIM_F16_FUNCTION(hexp, h2exp, ::exp)
SIM_F16_FUNCTION(hexp2, h2exp2, ::exp2)
SIM_F16_FUNCTION(hexp10, h2exp10, sim_power_of_ten)
SIM_F16_FUNCTION(hcos, h2cos, ::cos)
SIM_F16_FUNCTION(hsin, h2sin, ::sin)
SIM_F16_FUNCTION(htanh, h2tanh, ::tanh)
SIM_F16_FUNCTION(htanh_approx, h2tanh_approx, ::tanh)

/* ---- between the lanes of a warp */

#define SIM_F16_SHUFFLE(name, lane_type)                                                           \
    SIM_INLINED SIM_F16 name(unsigned mask, SIM_F16 value, lane_type lane, int width = 32,         \
                             SIM_SITE) {                                                           \
        unsigned got = name(mask, (unsigned)sim_bits(value), lane, width, sim_file, sim_line);     \
        return sim_of_bits(SIM_FORMAT{}, (unsigned short)got);                                     \
    }                                                                                              \
    SIM_INLINED SIM_F16X2 name(unsigned mask, SIM_F16X2 value, lane_type lane, int width = 32,     \
                               SIM_SITE) {                                                         \
        unsigned got = name(mask, sim_bits(value), lane, width, sim_file, sim_line);               \
        return sim_of_bits(SIM_FORMAT{}, got, got >> 16);                                          \
    }

SIM_F16_SHUFFLE(__shfl_sync, int)
SIM_F16_SHUFFLE(__shfl_up_sync, unsigned)
SIM_F16_SHUFFLE(__shfl_down_sync, unsigned)
SIM_F16_SHUFFLE(__shfl_xor_sync, int)

/* ---- atomic: of a pair, each half by itself */

SIM_ATOMIC_INLINE SIM_F16 atomicAdd(SIM_F16 *address, SIM_F16 value) {
    return sim_atomic_update(address, [=](SIM_F16 old) { return __hadd(old, value); });
}
SIM_ATOMIC_INLINE SIM_F16X2 atomicAdd(SIM_F16X2 *address, SIM_F16X2 value) {
    return sim_atomic_update(address, [=](SIM_F16X2 old) { return __hadd2(old, value); });
}

/* ---- operators */

#define SIM_F16_OPERATOR(Type, sign, function)                                                     \
    SIM_INLINED Type operator sign(const Type &a, const Type &b) { return function(a, b); }        \
    SIM_INLINED Type &operator sign## = (Type & a, const Type &b) { return a = function(a, b); }
#define SIM_F16_STEP(Type, sign, function, one)                                                    \
    SIM_INLINED Type &operator sign(Type &a) { return a = function(a, one); }                      \
    SIM_INLINED Type operator sign(Type &a, int) {                                                 \
        Type old = a;                                                                              \
        a = function(a, one);                                                                      \
        return old;                                                                                \
    }
#define SIM_F16_COMPARISON(Type, sign, function)                                                   \
    SIM_INLINED bool operator sign(const Type &a, const Type &b) { return function(a, b); }

#ifndef SIM_F16_NO_OPERATORS
SIM_F16_OPERATOR(SIM_F16, +, __hadd)
SIM_F16_OPERATOR(SIM_F16, -, __hsub)
SIM_F16_OPERATOR(SIM_F16, *, __hmul)
SIM_F16_OPERATOR(SIM_F16, /, __hdiv)
SIM_F16_STEP(SIM_F16, ++, __hadd, sim_one(SIM_FORMAT{}))
SIM_F16_STEP(SIM_F16, --, __hsub, sim_one(SIM_FORMAT{}))
SIM_F16_COMPARISON(SIM_F16, ==, __heq)
SIM_F16_COMPARISON(SIM_F16, !=, __hneu)
SIM_F16_COMPARISON(SIM_F16, >, __hgt)
SIM_F16_COMPARISON(SIM_F16, <, __hlt)
SIM_F16_COMPARISON(SIM_F16, >=, __hge)
SIM_F16_COMPARISON(SIM_F16, <=, __hle)
SIM_INLINED SIM_F16 operator+(const SIM_F16 &a) { return a; }
SIM_INLINED SIM_F16 operator-(const SIM_F16 &a) { return __hneg(a); }
#endif

#ifndef SIM_F16X2_NO_OPERATORS
SIM_F16_OPERATOR(SIM_F16X2, +, __hadd2)
SIM_F16_OPERATOR(SIM_F16X2, -, __hsub2)
SIM_F16_OPERATOR(SIM_F16X2, *, __hmul2)
SIM_F16_OPERATOR(SIM_F16X2, /, __h2div)
SIM_F16_STEP(SIM_F16X2, ++, __hadd2, sim_two_ones(SIM_FORMAT{}))
SIM_F16_STEP(SIM_F16X2, --, __hsub2, sim_two_ones(SIM_FORMAT{}))
SIM_F16_COMPARISON(SIM_F16X2, ==, __hbeq2)
SIM_F16_COMPARISON(SIM_F16X2, !=, __hbneu2)
SIM_F16_COMPARISON(SIM_F16X2, >, __hbgt2)
SIM_F16_COMPARISON(SIM_F16X2, <, __hblt2)
SIM_F16_COMPARISON(SIM_F16X2, >=, __hbge2)
SIM_F16_COMPARISON(SIM_F16X2, <=, __hble2)
SIM_INLINED SIM_F16X2 operator+(const SIM_F16X2 &a) { return a; }
SIM_INLINED SIM_F16X2 operator-(const SIM_F16X2 &a) { return __hneg2(a); }
#endif

#undef SIM_F16_COMPARISON
#undef SIM_F16_STEP
#undef SIM_F16_OPERATOR
#undef SIM_F16_SHUFFLE
#undef SIM_F16_FUNCTION
#undef SIM_F16_COMPARE_BOTH
#undef SIM_F16_COMPARE
#undef SIM_F16_SATURATED
#undef SIM_F16_FUSED
#undef SIM_F16_PRODUCT
#undef SIM_F16_DIFFERENCE
#undef SIM_F16_SUM
#undef SIM_F16_TERNARY
#undef SIM_F16_BINARY
#undef SIM_F16_TWO_PAIRS
#undef SIM_F16_TWO
#undef SIM_F16_ONE
