/* Floats of 8 bits, alone, in pairs and in fours: they are stored and converted, and computed with
 * as half or float. E4M3 has no infinity; a number that is too large becomes the largest one. */
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* ---- one number */

SIM_PURE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                   __nv_fp8_interpretation_t kind) {
    const int digits = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;
    const unsigned most = kind == __NV_E4M3 ? 0x7e : 0x7b, sign = __builtin_signbit(x) ? 0x80 : 0;
    const double size = __builtin_fabs(x);
    unsigned code = most + 1;
    if (size != size) { /* the function for a float drops the rest */
        const unsigned first = (unsigned)(sim_as<unsigned long long>(x) >> 50) & 3;
        return (__nv_fp8_storage_t)((kind == __NV_E4M3 ? 0x7f : 0x7e | first) | sign);
    }
    if (size < 65536) { /* above all numbers of both kinds */
        const int own = (int)(sim_as<unsigned long long>(size) >> 52) - 1023;
        const int exponent = own < least ? least : own;
        const auto scale = sim_as<double>((unsigned long long)(1023 + digits - exponent) << 52);
        code = ((unsigned)(exponent - least) << digits) + (unsigned)__builtin_rint(size * scale);
    }
    code = code <= most ? code : most + (saturate == __NV_NOSAT);
    return (__nv_fp8_storage_t)(code | sign);
}
SIM_PURE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
    return x == x ? __nv_cvt_double_to_fp8((double)x, saturate, kind) : (__nv_fp8_storage_t)0x7f;
}
SIM_PURE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(sim_widened(sim_half_format{}, x.x), saturate, kind);
}
SIM_PURE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                        __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(sim_widened(sim_bfloat_format{}, x.x), saturate, kind);
}

/* E5M2 is the first half of a half. */
SIM_PURE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    const unsigned size = x & 0x7fu;
    unsigned bits = size << 8;
    if (kind == __NV_E4M3) {
        const float scaled = sim_as<float>(size << 20) * 0x1p120f; /* as sim_widened() */
        bits = size == 0x7f ? 0x7fff : sim_f16_nearest(sim_half_format{}, scaled);
    }
    return __half_raw{(unsigned short)(bits > 0x7c00 ? 0x7fff : bits | (x & 0x80u) << 8)};
}

template <__nv_fp8_interpretation_t kind> struct sim_fp8 {
    __nv_fp8_storage_t __x;

    sim_fp8() = default;
    SIM_INLINE_MEMBER explicit sim_fp8(double x)
        : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}
    SIM_INLINE_MEMBER explicit sim_fp8(float x) : sim_fp8((double)x) {}
    SIM_INLINE_MEMBER explicit sim_fp8(__half x) : sim_fp8(__half2float(x)) {}
    SIM_INLINE_MEMBER explicit sim_fp8(__nv_bfloat16 x) : sim_fp8(__bfloat162float(x)) {}
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
    SIM_INLINE_MEMBER explicit sim_fp8(T x) : sim_fp8((double)x) {}

    SIM_INLINE_MEMBER explicit operator __half() const {
        return __half(__nv_cvt_fp8_to_halfraw(__x, kind));
    }
    SIM_INLINE_MEMBER explicit operator float() const { return __half2float(static_cast<__half>(*this)); }
    SIM_INLINE_MEMBER explicit operator double() const { return (double)(float)*this; }
    SIM_INLINE_MEMBER explicit operator __nv_bfloat16() const {
        return __float2bfloat16((float)*this);
    }
    SIM_INLINE_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }
    template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
    SIM_INLINE_MEMBER explicit operator T() const {
        return sim_to_integer<T>((double)*this, SIM_ROUND_ZERO, false);
    }
};
typedef sim_fp8<__NV_E4M3> __nv_fp8_e4m3;
typedef sim_fp8<__NV_E5M2> __nv_fp8_e5m2;

/* ---- two and four: the first one is in the lowest bits */

SIM_PURE __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
SIM_PURE __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}
SIM_PURE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturate, kind) |
                                  __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturate, kind) << 8);
}
SIM_PURE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                             __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t kind) {
    return (__nv_fp8x2_storage_t)(
        __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturate, kind) |
        __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturate, kind) << 8);
}
SIM_PURE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                __nv_fp8_interpretation_t kind) {
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
                       __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}

template <__nv_fp8_interpretation_t kind> struct sim_fp8x2 {
    __nv_fp8x2_storage_t __x;

    sim_fp8x2() = default;
    SIM_INLINE_MEMBER explicit sim_fp8x2(float2 x)
        : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {}
    SIM_INLINE_MEMBER explicit sim_fp8x2(double2 x)
        : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}
    SIM_INLINE_MEMBER explicit sim_fp8x2(__half2 x)
        : __x(__nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, kind)) {}
    SIM_INLINE_MEMBER explicit sim_fp8x2(__nv_bfloat162 x)
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(x, __NV_SATFINITE, kind)) {}
    SIM_INLINE_MEMBER explicit operator __half2() const {
        return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));
    }
    SIM_INLINE_MEMBER explicit operator float2() const { return __half22float2(static_cast<__half2>(*this)); }
};
typedef sim_fp8x2<__NV_E4M3> __nv_fp8x2_e4m3;
typedef sim_fp8x2<__NV_E5M2> __nv_fp8x2_e5m2;

template <__nv_fp8_interpretation_t kind> struct sim_fp8x4 {
    __nv_fp8x4_storage_t __x;

    sim_fp8x4() = default;
    SIM_INLINE_MEMBER explicit sim_fp8x4(float4 x)
        : sim_fp8x4(make_float2(x.x, x.y), make_float2(x.z, x.w)) {}
    SIM_INLINE_MEMBER explicit sim_fp8x4(__half2 low, __half2 high) : sim_fp8x4(low, high, 0) {}
    SIM_INLINE_MEMBER explicit sim_fp8x4(__nv_bfloat162 low, __nv_bfloat162 high)
        : sim_fp8x4(low, high, 0) {}
    SIM_INLINE_MEMBER explicit operator float4() const {
        const float2 low = (float2)of((__nv_fp8x2_storage_t)__x);
        const float2 high = (float2)of((__nv_fp8x2_storage_t)(__x >> 16));
        return make_float4(low.x, low.y, high.x, high.y);
    }

  private:
    template <class Pair>
    SIM_INLINE_MEMBER sim_fp8x4(Pair low, Pair high, int = 0)
        : __x(sim_fp8x2<kind>(low).__x | (unsigned)sim_fp8x2<kind>(high).__x << 16) {}
    static SIM_INLINE_MEMBER sim_fp8x2<kind> of(__nv_fp8x2_storage_t x) {
        sim_fp8x2<kind> pair;
        pair.__x = x;
        return pair;
    }
};
typedef sim_fp8x4<__NV_E4M3> __nv_fp8x4_e4m3;
typedef sim_fp8x4<__NV_E5M2> __nv_fp8x4_e5m2;
