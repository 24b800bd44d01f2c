/* half: 16-bit IEEE floats, alone and in pairs. Results have one rounding: sim_float16.h. */
#ifndef SIM_CUDA_FP16_H
#define SIM_CUDA_FP16_H

#include "cuda_runtime.h"
#include "sim_float16.h"

/* ---- types */

struct __attribute__((aligned(2))) __half_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x, y;
};

#define SIM_FROM(From)                                                                             \
    SIM_INLINE_MEMBER __half(From value)                                                           \
        : __x(sim_f16_rounded<sim_half_format>(sim_integer_to_odd(value), SIM_ROUND_NEAREST)) {    \
    }                                                                                              \
    SIM_INLINE_MEMBER __half &operator=(From value) {                                              \
        return *this = __half(value);                                                              \
    }
#define SIM_TO(To)                                                                                 \
    SIM_INLINE_MEMBER operator To() const {                                                        \
        return sim_to_integer<To>((double)sim_widened(sim_half_format{}, __x), SIM_ROUND_ZERO,     \
                                  false);                                                          \
    }

struct __attribute__((aligned(2))) __half {
  protected:
    unsigned short __x;

  public:
    __half() = default;
    SIM_INLINE_MEMBER constexpr __half(const __half_raw &raw) : __x(raw.x) {
    }
    SIM_INLINE_MEMBER operator __half_raw() const {
        return __half_raw{__x};
    }
    SIM_INLINE_MEMBER operator __half_raw() const volatile {
        return __half_raw{__x};
    }
    SIM_INLINE_MEMBER __half &operator=(const __half_raw &raw) {
        __x = raw.x;
        return *this;
    }
    SIM_INLINE_MEMBER volatile __half &operator=(const __half_raw &raw) volatile {
        __x = raw.x;
        return *this;
    }
    SIM_INLINE_MEMBER volatile __half &operator=(const volatile __half_raw &raw) volatile {
        __x = raw.x;
        return *this;
    }
#ifndef __CUDA_NO_HALF_CONVERSIONS__
    explicit __half(const struct __nv_bfloat16 &value); /* in cuda_bf16.h */
    SIM_INLINE_MEMBER __half(float value) : __x(sim_f16_nearest(sim_half_format{}, value)) {
    }
    SIM_INLINE_MEMBER __half &operator=(float value) {
        return *this = __half(value);
    }
    SIM_FROM(double)
    SIM_FROM(short)
    SIM_FROM(unsigned short)
    SIM_FROM(int)
    SIM_FROM(unsigned)
    SIM_FROM(long)
    SIM_FROM(unsigned long)
    SIM_FROM(long long)
    SIM_FROM(unsigned long long)
    SIM_INLINE_MEMBER operator float() const {
        return sim_widened(sim_half_format{}, __x);
    }
    SIM_TO(signed char)
    SIM_TO(unsigned char)
    SIM_TO(char)
    SIM_TO(short)
    SIM_TO(unsigned short)
    SIM_TO(int)
    SIM_TO(unsigned)
    SIM_TO(long)
    SIM_TO(unsigned long)
    SIM_TO(long long)
    SIM_TO(unsigned long long)
    SIM_INLINE_MEMBER operator bool() const {
        return (__x & 0x7fffu) != 0;
    }
#endif
};

#undef SIM_TO
#undef SIM_FROM

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    SIM_INLINE_MEMBER constexpr __half2(const __half &a, const __half &b) : x(a), y(b) {
    }
    SIM_INLINE_MEMBER __half2(const __half2_raw &raw) {
        __builtin_memcpy(static_cast<void *>(this), &raw, sizeof *this);
    }
    SIM_INLINE_MEMBER __half2 &operator=(const __half2_raw &raw) {
        __builtin_memcpy(static_cast<void *>(this), &raw, sizeof *this);
        return *this;
    }
    SIM_INLINE_MEMBER operator __half2_raw() const {
        __half2_raw raw;
        __builtin_memcpy(&raw, this, sizeof raw);
        return raw;
    }
};

typedef __half half, nv_half, __nv_half;
typedef __half2 half2, nv_half2, __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define SIM_F16 __half
#define SIM_F16X2 __half2
#define SIM_F16_RAW __half_raw
#define SIM_F16X2_RAW __half2_raw
#define SIM_FORMAT sim_half_format
#ifdef __CUDA_NO_HALF_OPERATORS__
#define SIM_F16_NO_OPERATORS
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define SIM_F16X2_NO_OPERATORS
#endif
#include "sim_float16_functions.h"
#undef SIM_F16X2_NO_OPERATORS
#undef SIM_F16_NO_OPERATORS

/* ---- the names that only this type has */

SIM_INLINED __half __float2half(float x) {
    return sim_of_bits(sim_half_format{}, sim_f16_nearest(sim_half_format{}, x));
}
SIM_INLINED __half __float2half_rn(float x) {
    return __float2half(x);
}
SIM_INLINED __half __double2half(double x) {
    return sim_of_bits(sim_half_format{}, sim_f16_rounded<sim_half_format>(x, SIM_ROUND_NEAREST));
}
SIM_INLINED float __half2float(__half x) {
    return sim_widened(sim_half_format{}, sim_bits(x));
}

#define SIM_FROM(name, From, mode)                                                                 \
    SIM_INLINED __half name(From x) {                                                              \
        return sim_of_bits(sim_half_format{},                                                      \
                           sim_f16_canonical<sim_half_format>(                                     \
                               sim_f16_rounded<sim_half_format>(sim_integer_to_odd(x), mode)));    \
    }
#define SIM_TO(name, To, mode)                                                                     \
    SIM_INLINED To name(__half x) {                                                                \
        return sim_to_integer<To>((double)sim_widened(sim_half_format{}, sim_bits(x)), mode,       \
                                  false);                                                          \
    }

SIM_FROM(__float2half_rz, double, SIM_ROUND_ZERO)
SIM_FROM(__float2half_rd, double, SIM_ROUND_DOWN)
SIM_FROM(__float2half_ru, double, SIM_ROUND_UP)
SIM_FROM(__short2half_rn, short, SIM_ROUND_NEAREST)
SIM_FROM(__short2half_rz, short, SIM_ROUND_ZERO)
SIM_FROM(__short2half_rd, short, SIM_ROUND_DOWN)
SIM_FROM(__short2half_ru, short, SIM_ROUND_UP)
SIM_FROM(__ushort2half_rn, unsigned short, SIM_ROUND_NEAREST)
SIM_FROM(__ushort2half_rz, unsigned short, SIM_ROUND_ZERO)
SIM_FROM(__ushort2half_rd, unsigned short, SIM_ROUND_DOWN)
SIM_FROM(__ushort2half_ru, unsigned short, SIM_ROUND_UP)
SIM_FROM(__int2half_rn, int, SIM_ROUND_NEAREST)
SIM_FROM(__int2half_rz, int, SIM_ROUND_ZERO)
SIM_FROM(__int2half_rd, int, SIM_ROUND_DOWN)
SIM_FROM(__int2half_ru, int, SIM_ROUND_UP)
SIM_FROM(__uint2half_rn, unsigned, SIM_ROUND_NEAREST)
SIM_FROM(__uint2half_rz, unsigned, SIM_ROUND_ZERO)
SIM_FROM(__uint2half_rd, unsigned, SIM_ROUND_DOWN)
SIM_FROM(__uint2half_ru, unsigned, SIM_ROUND_UP)
SIM_FROM(__ll2half_rn, long long, SIM_ROUND_NEAREST)
SIM_FROM(__ll2half_rz, long long, SIM_ROUND_ZERO)
SIM_FROM(__ll2half_rd, long long, SIM_ROUND_DOWN)
SIM_FROM(__ll2half_ru, long long, SIM_ROUND_UP)
SIM_FROM(__ull2half_rn, unsigned long long, SIM_ROUND_NEAREST)
SIM_FROM(__ull2half_rz, unsigned long long, SIM_ROUND_ZERO)
SIM_FROM(__ull2half_rd, unsigned long long, SIM_ROUND_DOWN)
SIM_FROM(__ull2half_ru, unsigned long long, SIM_ROUND_UP)

SIM_TO(__half2char_rz, signed char, SIM_ROUND_ZERO)
SIM_TO(__half2uchar_rz, unsigned char, SIM_ROUND_ZERO)
SIM_TO(__half2short_rn, short, SIM_ROUND_NEAREST)
SIM_TO(__half2short_rz, short, SIM_ROUND_ZERO)
SIM_TO(__half2short_rd, short, SIM_ROUND_DOWN)
SIM_TO(__half2short_ru, short, SIM_ROUND_UP)
SIM_TO(__half2ushort_rn, unsigned short, SIM_ROUND_NEAREST)
SIM_TO(__half2ushort_rz, unsigned short, SIM_ROUND_ZERO)
SIM_TO(__half2ushort_rd, unsigned short, SIM_ROUND_DOWN)
SIM_TO(__half2ushort_ru, unsigned short, SIM_ROUND_UP)
SIM_TO(__half2int_rn, int, SIM_ROUND_NEAREST)
SIM_TO(__half2int_rz, int, SIM_ROUND_ZERO)
SIM_TO(__half2int_rd, int, SIM_ROUND_DOWN)
SIM_TO(__half2int_ru, int, SIM_ROUND_UP)
SIM_TO(__half2uint_rn, unsigned, SIM_ROUND_NEAREST)
SIM_TO(__half2uint_rz, unsigned, SIM_ROUND_ZERO)
SIM_TO(__half2uint_rd, unsigned, SIM_ROUND_DOWN)
SIM_TO(__half2uint_ru, unsigned, SIM_ROUND_UP)
SIM_TO(__half2ll_rn, long long, SIM_ROUND_NEAREST)
SIM_TO(__half2ll_rz, long long, SIM_ROUND_ZERO)
SIM_TO(__half2ll_rd, long long, SIM_ROUND_DOWN)
SIM_TO(__half2ll_ru, long long, SIM_ROUND_UP)
SIM_TO(__half2ull_rn, unsigned long long, SIM_ROUND_NEAREST)
SIM_TO(__half2ull_rz, unsigned long long, SIM_ROUND_ZERO)
SIM_TO(__half2ull_rd, unsigned long long, SIM_ROUND_DOWN)
SIM_TO(__half2ull_ru, unsigned long long, SIM_ROUND_UP)

#undef SIM_TO
#undef SIM_FROM

SIM_INLINED short __half_as_short(__half x) {
    return (short)sim_bits(x);
}
SIM_INLINED unsigned short __half_as_ushort(__half x) {
    return sim_bits(x);
}
SIM_INLINED __half __short_as_half(short x) {
    return sim_of_bits(sim_half_format{}, (unsigned short)x);
}
SIM_INLINED __half __ushort_as_half(unsigned short x) {
    return sim_of_bits(sim_half_format{}, x);
}

/* ---- pairs */

SIM_INLINED __half2 __halves2half2(__half low, __half high) {
    return sim_of_bits(sim_half_format{}, (unsigned)sim_bits(low), (unsigned)sim_bits(high));
}
SIM_INLINED __half2 make_half2(__half low, __half high) {
    return __halves2half2(low, high);
}
SIM_INLINED __half2 __half2half2(__half x) {
    return __halves2half2(x, x);
}
SIM_INLINED __half __low2half(__half2 x) {
    return sim_of_bits(sim_half_format{}, sim_low(x));
}
SIM_INLINED __half __high2half(__half2 x) {
    return sim_of_bits(sim_half_format{}, sim_high(x));
}
SIM_INLINED __half2 __low2half2(__half2 x) {
    return __half2half2(__low2half(x));
}
SIM_INLINED __half2 __high2half2(__half2 x) {
    return __half2half2(__high2half(x));
}
SIM_INLINED __half2 __lows2half2(__half2 a, __half2 b) {
    return __halves2half2(__low2half(a), __low2half(b));
}
SIM_INLINED __half2 __highs2half2(__half2 a, __half2 b) {
    return __halves2half2(__high2half(a), __high2half(b));
}
SIM_INLINED __half2 __floats2half2_rn(float low, float high) {
    return __halves2half2(__float2half(low), __float2half(high));
}
SIM_INLINED __half2 __float2half2_rn(float x) {
    return __floats2half2_rn(x, x);
}
SIM_INLINED __half2 __float22half2_rn(float2 x) {
    return __floats2half2_rn(x.x, x.y);
}
SIM_INLINED float2 __half22float2(__half2 x) {
    float low = __low2float(x), high = __high2float(x);
    return float2{low, high};
}

#undef SIM_FORMAT
#undef SIM_F16X2_RAW
#undef SIM_F16_RAW
#undef SIM_F16X2
#undef SIM_F16

/* ---- constants */

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)

#endif
