/* The 16-bit floats half and bfloat16, as bits: conversions that round once, and arithmetic.
 *
 * A float holds both, and a double every product of two, so an operation is computed there, exactly
 * or rounded to odd (sim/rounding.h), and rounded once. A result that is no number is 0x7fff, as on
 * the device. Where CUDA documents a function (hexp, hsin) without an error bound, it is the
 * correctly rounded result here. */
#pragma once

#include "sim/conversions.h"

/* Tells the functions of the two formats apart. digits: of the stored fraction; least: the exponent
 * of the smallest normal number. */
struct sim_half_format {
    static constexpr int digits = 10, least = -14;
};
struct sim_bfloat_format {
    static constexpr int digits = 7, least = -126;
};

/* ---- to float: exact */

static inline float sim_widened(sim_half_format, unsigned short bits) {
    unsigned size = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
    if (size > 0x7c00u) {
        return sim_as<float>(0x7fffffffu);
    }
    float scaled = sim_as<float>(size << 13) * 0x1p112f; /* the two exponents' offsets differ */
    unsigned value = size == 0x7c00u ? 0x7f800000u : sim_as<unsigned>(scaled);
    return sim_as<float>(value | sign);
}
static inline float sim_widened(sim_bfloat_format, unsigned short bits) {
    return sim_as<float>((unsigned)bits << 16);
}

/* ---- from double, exact or rounded to odd: one rounding */

template <class Format> SIM_PURE unsigned short sim_f16_rounded(double x, sim_rounding mode) {
    constexpr int digits = Format::digits;
    constexpr long long least = 1023 + Format::least;
    constexpr unsigned infinity = 0x7fffu & ~((1u << digits) - 1);
    unsigned long long bits = sim_as<unsigned long long>(x), size = bits & ~0ull >> 1;
    unsigned sign = (unsigned)(bits >> 63);
    if (size >= 0x7ffull << 52) { /* what is no number keeps its first bits */
        unsigned quiet = size > 0x7ffull << 52 ? 1u << (digits - 1) : 0u;
        unsigned first = (unsigned)(size >> (52 - digits)) & ((1u << digits) - 1);
        return (unsigned short)(infinity | quiet | first | sign << 15);
    }
    long long exponent = (long long)(size >> 52), floor = exponent < least ? least : exponent;
    unsigned long long fraction = (size & ~0ull >> 12) | (unsigned long long)(exponent > 0) << 52;
    long long drop = 52 - digits + floor - exponent; /* bits of the fraction that do not fit */
    drop = drop > 62 ? 62 : drop;
    unsigned long long kept = fraction >> drop, half = 1ull << (drop - 1);
    unsigned long long rest = fraction & ((1ull << drop) - 1);
    bool up = mode == SIM_ROUND_NEAREST ? rest > half || (rest == half && (kept & 1))
              : mode == SIM_ROUND_DOWN  ? sign && rest
                                        : mode == SIM_ROUND_UP && !sign && rest;
    kept += ((unsigned long long)(floor - least) << digits) + up;
    if (kept >= infinity) { /* too large: infinity, or the largest number */
        bool stays = mode == SIM_ROUND_ZERO || (mode == SIM_ROUND_DOWN && !sign) ||
                     (mode == SIM_ROUND_UP && sign);
        kept = stays ? infinity - 1 : infinity;
    }
    return (unsigned short)(kept | sign << 15);
}

/* ---- from float, to nearest: what most code does */

SIM_PURE unsigned short sim_f16_nearest(sim_half_format, float x) {
    unsigned bits = sim_as<unsigned>(x), size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    unsigned result;
    if (size >= 0x47800000u) { /* 65536 */
        result = size > 0x7f800000u ? 0x7fffu : 0x7c00u | sign;
    } else if (size < 0x38800000u) { /* 2^-14: adding 0.5 rounds to the denormals' step */
        float sum = sim_rounded(sim_as<float>(size) + 0.5f);
        result = (sim_as<unsigned>(sum) - 0x3f000000u) | sign;
    } else {
        result = (((size + 0xfffu + (size >> 13 & 1u)) >> 13) - (112u << 10)) | sign;
    }
    return (unsigned short)result;
}
SIM_PURE unsigned short sim_f16_nearest(sim_bfloat_format, float x) {
    unsigned bits = sim_as<unsigned>(x);
    unsigned result = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (unsigned short)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : result);
}

/* What is no number, in the one form that arithmetic gives it. */
template <class Format> static inline bool sim_f16_is_nan(unsigned short x) {
    return (x & 0x7fffu) > (0x7fffu & ~((1u << Format::digits) - 1));
}
template <class Format> static inline unsigned short sim_f16_canonical(unsigned x) {
    return sim_f16_is_nan<Format>((unsigned short)x) ? (unsigned short)0x7fff : (unsigned short)x;
}

/* The nearest to the result of an operation. */
template <class Format> static inline unsigned short sim_f16_result(double x) {
    return sim_f16_canonical<Format>(sim_f16_rounded<Format>(x, SIM_ROUND_NEAREST));
}

/* ---- arithmetic: on bits, to bits */

/* A float has more than twice the digits of either format, and two more, so a second rounding
 * changes nothing; but the products of bfloat16 may be too small for a float. */
template <class Format> SIM_PURE unsigned short sim_f16_add(unsigned short a, unsigned short b) {
    return sim_f16_nearest(Format{},
                           sim_rounded(sim_widened(Format{}, a) + sim_widened(Format{}, b)));
}
template <class Format>
SIM_PURE unsigned short sim_f16_multiply(unsigned short a, unsigned short b) {
    double product = (double)sim_widened(Format{}, a) * sim_widened(Format{}, b);
    return sim_f16_result<Format>(sim_rounded(product));
}
template <class Format> SIM_PURE unsigned short sim_f16_divide(unsigned short a, unsigned short b) {
    double quotient = (double)sim_widened(Format{}, a) / sim_widened(Format{}, b);
    return sim_f16_result<Format>(quotient);
}
/* The product of two halves is exact in a float, and as a rule so is the sum; an error that is no
 * number is that of an infinite sum, or of one that is none. */
template <class Format>
SIM_PURE unsigned short sim_f16_fused(unsigned short a, unsigned short b, unsigned short c) {
    if (Format::digits == sim_half_format::digits) {
        float exact = sim_rounded(sim_widened(Format{}, a) * sim_widened(Format{}, b));
        float more = sim_widened(Format{}, c), sum = sim_rounded(exact + more);
        float part = sim_rounded(sum - exact);
        float error = sim_rounded(exact - sim_rounded(sum - part)) + sim_rounded(more - part);
        if (!(error > 0.0f || error < 0.0f)) {
            return sim_f16_nearest(Format{}, sum);
        }
    }
    double product = sim_rounded((double)sim_widened(Format{}, a) * sim_widened(Format{}, b));
    double sum = sim_sum_to_odd(product, (double)sim_widened(Format{}, c));
    return sim_f16_result<Format>(sum);
}

template <class Format> static inline constexpr unsigned short sim_f16_one() {
    return (unsigned short)((1 - Format::least) << Format::digits);
}

/* Within [0, 1]; 0 for what is no number. */
template <class Format> static inline unsigned short sim_f16_saturated(unsigned short x) {
    constexpr unsigned short one = sim_f16_one<Format>();
    constexpr unsigned infinity = 0x7fffu & ~((1u << Format::digits) - 1);
    if (x & 0x8000u || x > infinity) {
        return 0;
    }
    return x > one ? one : x;
}
/* At least 0. */
static inline unsigned short sim_f16_relu(unsigned short x) {
    return x & 0x8000u ? (unsigned short)0 : x;
}

/* An integer in the order of the numbers: -0 is less than +0. */
static inline int sim_f16_order(unsigned short x) { return x & 0x8000u ? ~(x & 0x7fff) : x; }
/* `nan`: if either is no number, neither is the result; else it is the other one. */
template <class Format>
SIM_PURE unsigned short sim_f16_extreme(unsigned short a, unsigned short b, bool largest,
                                        bool nan) {
    bool no_a = sim_f16_is_nan<Format>(a), no_b = sim_f16_is_nan<Format>(b);
    if ((no_a && no_b) || (nan && (no_a || no_b))) {
        return 0x7fff;
    }
    if (no_a || no_b) {
        return no_a ? b : a;
    }
    return (sim_f16_order(a) > sim_f16_order(b)) == largest ? a : b;
}

/* Comparisons. `unordered`: the result if one of them is no number. */
enum sim_comparison { SIM_EQUAL, SIM_NOT_EQUAL, SIM_LESS, SIM_LESS_EQUAL };
template <class Format>
SIM_PURE bool sim_f16_compare(unsigned short a, unsigned short b, sim_comparison how,
                              bool unordered) {
    if (sim_f16_is_nan<Format>(a) || sim_f16_is_nan<Format>(b)) {
        return unordered;
    }
    bool equal = a == b || ((a | b) & 0x7fff) == 0;
    bool less = !equal && sim_f16_order(a) < sim_f16_order(b);
    return how == SIM_EQUAL       ? equal
           : how == SIM_NOT_EQUAL ? !equal
           : how == SIM_LESS      ? less
                                  : less || equal;
}

/* A function of C, computed in double: its error is too small to matter once rounded. */
template <class Format>
SIM_PURE unsigned short sim_f16_function(unsigned short x, double (*function)(double)) {
    return sim_f16_result<Format>(function((double)sim_widened(Format{}, x)));
}
static inline double sim_reciprocal(double x) { return 1.0 / x; }
static inline double sim_reciprocal_root(double x) { return 1.0 / __builtin_sqrt(x); }
/* exp10() of older C libraries is inexact where the result is exact. */
static inline double sim_power_of_ten(double x) { return __builtin_pow(10.0, x); }
