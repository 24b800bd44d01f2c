/* bfloat16: floats with a fraction of 7 bits, alone and in pairs. Results have one rounding:
 * sim_float16.h. */
#ifndef SIM_CUDA_BF16_H
#define SIM_CUDA_BF16_H

#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "sim_float16.h"

/* ---- types */

struct __attribute__((aligned(2))) __nv_bfloat16_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
    unsigned short x, y;
};

#define SIM_FROM(From)                                                                             \
    SIM_INLINE_MEMBER __nv_bfloat16(From value)                                                    \
        : __x(sim_f16_rounded<sim_bfloat_format>(sim_integer_to_odd(value), SIM_ROUND_NEAREST)) {  \
    }                                                                                              \
    SIM_INLINE_MEMBER __nv_bfloat16 &operator=(From value) {                                       \
        return *this = __nv_bfloat16(value);                                                       \
    }
#define SIM_TO(To)                                                                                 \
    SIM_INLINE_MEMBER operator To() const {                                                        \
        return sim_to_integer<To>((double)sim_widened(sim_bfloat_format{}, __x), SIM_ROUND_ZERO,   \
                                  false);                                                          \
    }

struct __attribute__((aligned(2))) __nv_bfloat16 {
  protected:
    unsigned short __x;

  public:
    __nv_bfloat16() = default;
    SIM_INLINE_MEMBER constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {
    }
    SIM_INLINE_MEMBER operator __nv_bfloat16_raw() const {
        return __nv_bfloat16_raw{__x};
    }
    SIM_INLINE_MEMBER operator __nv_bfloat16_raw() const volatile {
        return __nv_bfloat16_raw{__x};
    }
    SIM_INLINE_MEMBER __nv_bfloat16 &operator=(const __nv_bfloat16_raw &raw) {
        __x = raw.x;
        return *this;
    }
    SIM_INLINE_MEMBER volatile __nv_bfloat16 &operator=(const __nv_bfloat16_raw &raw) volatile {
        __x = raw.x;
        return *this;
    }
    SIM_INLINE_MEMBER volatile __nv_bfloat16 &
    operator=(const volatile __nv_bfloat16_raw &raw) volatile {
        __x = raw.x;
        return *this;
    }
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
    SIM_INLINE_MEMBER explicit __nv_bfloat16(const __half &value)
        : __x(sim_f16_nearest(sim_bfloat_format{},
                              sim_widened(sim_half_format{}, sim_bits(value)))) {
    }
    SIM_INLINE_MEMBER __nv_bfloat16(float value)
        : __x(sim_f16_nearest(sim_bfloat_format{}, value)) {
    }
    SIM_INLINE_MEMBER __nv_bfloat16 &operator=(float value) {
        return *this = __nv_bfloat16(value);
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
        return sim_widened(sim_bfloat_format{}, __x);
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

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    SIM_INLINE_MEMBER constexpr __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
        : x(a), y(b) {
    }
    SIM_INLINE_MEMBER __nv_bfloat162(const __nv_bfloat162_raw &raw) {
        __builtin_memcpy(static_cast<void *>(this), &raw, sizeof *this);
    }
    SIM_INLINE_MEMBER __nv_bfloat162 &operator=(const __nv_bfloat162_raw &raw) {
        __builtin_memcpy(static_cast<void *>(this), &raw, sizeof *this);
        return *this;
    }
    SIM_INLINE_MEMBER operator __nv_bfloat162_raw() const {
        __nv_bfloat162_raw raw;
        __builtin_memcpy(&raw, this, sizeof raw);
        return raw;
    }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define SIM_F16 __nv_bfloat16
#define SIM_F16X2 __nv_bfloat162
#define SIM_F16_RAW __nv_bfloat16_raw
#define SIM_F16X2_RAW __nv_bfloat162_raw
#define SIM_FORMAT sim_bfloat_format
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define SIM_F16_NO_OPERATORS
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define SIM_F16X2_NO_OPERATORS
#endif
#include "sim_float16_functions.h"
#undef SIM_F16X2_NO_OPERATORS
#undef SIM_F16_NO_OPERATORS

#ifndef __CUDA_NO_HALF_CONVERSIONS__
SIM_INLINE_MEMBER __half::__half(const __nv_bfloat16 &value)
    : __x(sim_f16_nearest(sim_half_format{}, sim_widened(sim_bfloat_format{}, sim_bits(value)))) {
}
#endif

/* ---- the names that only this type has */

SIM_INLINED __nv_bfloat16 __float2bfloat16(float x) {
    return sim_of_bits(sim_bfloat_format{}, sim_f16_nearest(sim_bfloat_format{}, x));
}
SIM_INLINED __nv_bfloat16 __float2bfloat16_rn(float x) {
    return __float2bfloat16(x);
}
SIM_INLINED __nv_bfloat16 __double2bfloat16(double x) {
    return sim_of_bits(sim_bfloat_format{},
                       sim_f16_rounded<sim_bfloat_format>(x, SIM_ROUND_NEAREST));
}
SIM_INLINED float __bfloat162float(__nv_bfloat16 x) {
    return sim_widened(sim_bfloat_format{}, sim_bits(x));
}

#define SIM_FROM(name, From, mode)                                                                 \
    SIM_INLINED __nv_bfloat16 name(From x) {                                                       \
        return sim_of_bits(sim_bfloat_format{},                                                    \
                           sim_f16_canonical<sim_bfloat_format>(                                   \
                               sim_f16_rounded<sim_bfloat_format>(sim_integer_to_odd(x), mode)));  \
    }
#define SIM_TO(name, To, mode)                                                                     \
    SIM_INLINED To name(__nv_bfloat16 x) {                                                         \
        return sim_to_integer<To>((double)sim_widened(sim_bfloat_format{}, sim_bits(x)), mode,     \
                                  false);                                                          \
    }

SIM_FROM(__float2bfloat16_rz, double, SIM_ROUND_ZERO)
SIM_FROM(__float2bfloat16_rd, double, SIM_ROUND_DOWN)
SIM_FROM(__float2bfloat16_ru, double, SIM_ROUND_UP)
SIM_FROM(__short2bfloat16_rn, short, SIM_ROUND_NEAREST)
SIM_FROM(__short2bfloat16_rz, short, SIM_ROUND_ZERO)
SIM_FROM(__short2bfloat16_rd, short, SIM_ROUND_DOWN)
SIM_FROM(__short2bfloat16_ru, short, SIM_ROUND_UP)
SIM_FROM(__ushort2bfloat16_rn, unsigned short, SIM_ROUND_NEAREST)
SIM_FROM(__ushort2bfloat16_rz, unsigned short, SIM_ROUND_ZERO)
SIM_FROM(__ushort2bfloat16_rd, unsigned short, SIM_ROUND_DOWN)
SIM_FROM(__ushort2bfloat16_ru, unsigned short, SIM_ROUND_UP)
SIM_FROM(__int2bfloat16_rn, int, SIM_ROUND_NEAREST)
SIM_FROM(__int2bfloat16_rz, int, SIM_ROUND_ZERO)
SIM_FROM(__int2bfloat16_rd, int, SIM_ROUND_DOWN)
SIM_FROM(__int2bfloat16_ru, int, SIM_ROUND_UP)
SIM_FROM(__uint2bfloat16_rn, unsigned, SIM_ROUND_NEAREST)
SIM_FROM(__uint2bfloat16_rz, unsigned, SIM_ROUND_ZERO)
SIM_FROM(__uint2bfloat16_rd, unsigned, SIM_ROUND_DOWN)
SIM_FROM(__uint2bfloat16_ru, unsigned, SIM_ROUND_UP)
SIM_FROM(__ll2bfloat16_rn, long long, SIM_ROUND_NEAREST)
SIM_FROM(__ll2bfloat16_rz, long long, SIM_ROUND_ZERO)
SIM_FROM(__ll2bfloat16_rd, long long, SIM_ROUND_DOWN)
SIM_FROM(__ll2bfloat16_ru, long long, SIM_ROUND_UP)
SIM_FROM(__ull2bfloat16_rn, unsigned long long, SIM_ROUND_NEAREST)
SIM_FROM(__ull2bfloat16_rz, unsigned long long, SIM_ROUND_ZERO)
SIM_FROM(__ull2bfloat16_rd, unsigned long long, SIM_ROUND_DOWN)
SIM_FROM(__ull2bfloat16_ru, unsigned long long, SIM_ROUND_UP)

SIM_TO(__bfloat162char_rz, signed char, SIM_ROUND_ZERO)
SIM_TO(__bfloat162uchar_rz, unsigned char, SIM_ROUND_ZERO)
SIM_TO(__bfloat162short_rn, short, SIM_ROUND_NEAREST)
SIM_TO(__bfloat162short_rz, short, SIM_ROUND_ZERO)
SIM_TO(__bfloat162short_rd, short, SIM_ROUND_DOWN)
SIM_TO(__bfloat162short_ru, short, SIM_ROUND_UP)
SIM_TO(__bfloat162ushort_rn, unsigned short, SIM_ROUND_NEAREST)
SIM_TO(__bfloat162ushort_rz, unsigned short, SIM_ROUND_ZERO)
SIM_TO(__bfloat162ushort_rd, unsigned short, SIM_ROUND_DOWN)
SIM_TO(__bfloat162ushort_ru, unsigned short, SIM_ROUND_UP)
SIM_TO(__bfloat162int_rn, int, SIM_ROUND_NEAREST)
SIM_TO(__bfloat162int_rz, int, SIM_ROUND_ZERO)
SIM_TO(__bfloat162int_rd, int, SIM_ROUND_DOWN)
SIM_TO(__bfloat162int_ru, int, SIM_ROUND_UP)
SIM_TO(__bfloat162uint_rn, unsigned, SIM_ROUND_NEAREST)
SIM_TO(__bfloat162uint_rz, unsigned, SIM_ROUND_ZERO)
SIM_TO(__bfloat162uint_rd, unsigned, SIM_ROUND_DOWN)
SIM_TO(__bfloat162uint_ru, unsigned, SIM_ROUND_UP)
SIM_TO(__bfloat162ll_rn, long long, SIM_ROUND_NEAREST)
SIM_TO(__bfloat162ll_rz, long long, SIM_ROUND_ZERO)
SIM_TO(__bfloat162ll_rd, long long, SIM_ROUND_DOWN)
SIM_TO(__bfloat162ll_ru, long long, SIM_ROUND_UP)
SIM_TO(__bfloat162ull_rn, unsigned long long, SIM_ROUND_NEAREST)
SIM_TO(__bfloat162ull_rz, unsigned long long, SIM_ROUND_ZERO)
SIM_TO(__bfloat162ull_rd, unsigned long long, SIM_ROUND_DOWN)
SIM_TO(__bfloat162ull_ru, unsigned long long, SIM_ROUND_UP)

#undef SIM_TO
#undef SIM_FROM

SIM_INLINED short __bfloat16_as_short(__nv_bfloat16 x) {
    return (short)sim_bits(x);
}
SIM_INLINED unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) {
    return sim_bits(x);
}
SIM_INLINED __nv_bfloat16 __short_as_bfloat16(short x) {
    return sim_of_bits(sim_bfloat_format{}, (unsigned short)x);
}
SIM_INLINED __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
    return sim_of_bits(sim_bfloat_format{}, x);
}

/* ---- pairs */

SIM_INLINED __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
    return sim_of_bits(sim_bfloat_format{}, (unsigned)sim_bits(low), (unsigned)sim_bits(high));
}
SIM_INLINED __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
    return __halves2bfloat162(low, high);
}
SIM_INLINED __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) {
    return __halves2bfloat162(x, x);
}
SIM_INLINED __nv_bfloat16 __low2bfloat16(__nv_bfloat162 x) {
    return sim_of_bits(sim_bfloat_format{}, sim_low(x));
}
SIM_INLINED __nv_bfloat16 __high2bfloat16(__nv_bfloat162 x) {
    return sim_of_bits(sim_bfloat_format{}, sim_high(x));
}
SIM_INLINED __nv_bfloat162 __low2bfloat162(__nv_bfloat162 x) {
    return __bfloat162bfloat162(__low2bfloat16(x));
}
SIM_INLINED __nv_bfloat162 __high2bfloat162(__nv_bfloat162 x) {
    return __bfloat162bfloat162(__high2bfloat16(x));
}
SIM_INLINED __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __halves2bfloat162(__low2bfloat16(a), __low2bfloat16(b));
}
SIM_INLINED __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
    return __halves2bfloat162(__high2bfloat16(a), __high2bfloat16(b));
}
SIM_INLINED __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
    return __halves2bfloat162(__float2bfloat16(low), __float2bfloat16(high));
}
SIM_INLINED __nv_bfloat162 __float2bfloat162_rn(float x) {
    return __floats2bfloat162_rn(x, x);
}
SIM_INLINED __nv_bfloat162 __float22bfloat162_rn(float2 x) {
    return __floats2bfloat162_rn(x.x, x.y);
}
SIM_INLINED float2 __bfloat1622float2(__nv_bfloat162 x) {
    float low = __low2float(x), high = __high2float(x);
    return float2{low, high};
}

#undef SIM_FORMAT
#undef SIM_F16X2_RAW
#undef SIM_F16_RAW
#undef SIM_F16X2
#undef SIM_F16

/* ---- constants */

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)

#endif
