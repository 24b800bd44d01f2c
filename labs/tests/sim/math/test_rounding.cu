// The rounding intrinsics against the processor's own rounding modes, bit by bit.
#include "../test_sim.h"

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <fenv.h>
#include <math.h>
#include <stdint.h>

#define SAMPLES 100000

static const int processor[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
static uint64_t state;

static uint64_t random64(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

template <class T> static T opaque(T x) {
    volatile T y = x;
    return y;
}
template <class To, class From> static To bits_as(From x) {
    To y;
    memcpy(&y, &x, sizeof y);
    return y;
}

// Random bits; or sizes alike, sometimes with few digits, so that results are exact or halfway.
static float random_value(float) {
    uint64_t r = random64();
    uint32_t bits = (uint32_t)(r >> 32);
    if (r & 3) {
        bits = (bits & 0x807fffffu) | (uint32_t)(127 + (int)(r >> 8 & 31) - 16) << 23;
    }
    return bits_as<float>(r & 4 ? bits & ~0u << (r >> 16 & 31) % 24 : bits);
}
static double random_value(double) {
    uint64_t r = random64(), bits = random64();
    if ((r >> 40 & 7) == 0) { // near the ends of the range
        uint64_t exponent = (r >> 44 & 1 ? 1900 : 0) + (r >> 45) % 147;
        bits = (bits & 0x800fffffffffffffu) | exponent << 52;
    } else if (r & 3) {
        bits = (bits & 0x800fffffffffffffu) | (uint64_t)(1023 + (int)(r >> 8 & 63) - 32) << 52;
    }
    return bits_as<double>(r & 4 ? bits & ~0ull << (r >> 16 & 63) % 53 : bits);
}

template <class T> static bool same(T a, T b) {
    return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}

// Each of 4 functions, one a rounding mode, against `exact` under that mode.
template <class T, class F, class E> static void compare(const char *name, F functions, E exact) {
    state = 88172645463325252ull;
    for (int i = 0; i < SAMPLES; i++) {
        T x = random_value(T()), y = random_value(T()), z = random_value(T());
        if (i % 7 == 0) {
            z = -x * y; // all but cancels
        }
        if (i % 11 == 0) {
            y = i & 1 ? x : -x;
        }
        for (int mode = 0; mode < 4; mode++) {
            auto ours = functions[mode](x, y, z);
            fesetround(processor[mode]);
            auto expected = opaque(exact(opaque(x), opaque(y), opaque(z)));
            fesetround(FE_TONEAREST);
            if (!same(ours, expected)) { // an assertion that holds costs a system call
                ck_abort_msg("%s, mode %d: %a, %a, %a give %a, not %a", name, mode, (double)x,
                             (double)y, (double)z, (double)ours, (double)expected);
            }
        }
    }
}

#define COMPARE(T, name, call, exact)                                                              \
    {                                                                                              \
        auto functions = {                                                                         \
            +[](T x, T y, T z) { return (void)x, (void)y, (void)z, name##_rn call; },              \
            +[](T x, T y, T z) { return (void)x, (void)y, (void)z, name##_rz call; },              \
            +[](T x, T y, T z) { return (void)x, (void)y, (void)z, name##_rd call; },              \
            +[](T x, T y, T z) { return (void)x, (void)y, (void)z, name##_ru call; }};             \
        compare<T>(#name, functions.begin(),                                                       \
                   [](T x, T y, T z) { return (void)x, (void)y, (void)z, exact; });                \
    }

TEST(floats_round_once) {
    COMPARE(float, __fadd, (x, y), x + y)
    COMPARE(float, __fsub, (x, y), x - y)
    COMPARE(float, __fmul, (x, y), x *y)
    COMPARE(float, __fdiv, (x, y), x / y)
    COMPARE(float, __fmaf, (x, y, z), fmaf(x, y, z))
    COMPARE(float, __fmaf_ieee, (x, y, z), fmaf(x, y, z))
    COMPARE(float, __frcp, (x), 1.0f / x)
    COMPARE(float, __fsqrt, (x), sqrtf(x))
}

TEST(doubles_round_once) {
    COMPARE(double, __dadd, (x, y), x + y)
    COMPARE(double, __dsub, (x, y), x - y)
    COMPARE(double, __dmul, (x, y), x *y)
    COMPARE(double, __ddiv, (x, y), x / y)
    COMPARE(double, __fma, (x, y, z), fma(x, y, z))
    COMPARE(double, __drcp, (x), 1.0 / x)
    COMPARE(double, __dsqrt, (x), sqrt(x))
    COMPARE(double, __double2float, (x), (float)x)
}

// Integers as numbers: through the compiler's conversion in that mode. The numbers are bits of
// doubles.
#define COMPARE_INTEGER(T, From, To, name)                                                         \
    COMPARE(T, name, ((From)bits_as<uint64_t>((double)x)),                                         \
            (To)opaque((From)bits_as<uint64_t>((double)x)))

TEST(integers_round_once) {
    COMPARE_INTEGER(double, int, float, __int2float)
    COMPARE_INTEGER(double, unsigned, float, __uint2float)
    COMPARE_INTEGER(double, long long, float, __ll2float)
    COMPARE_INTEGER(double, long long, double, __ll2double)
}

// The compiler's own conversion of large unsigned numbers rounds twice in these modes.
TEST(large_unsigned_integers_round_once) {
    const unsigned long long x = ~0ull;
    ck_assert(__ull2double_rz(x) == 18446744073709549568.0);
    ck_assert(__ull2double_rd(x) == 18446744073709549568.0);
    ck_assert(__ull2double_ru(x) == 18446744073709551616.0);
    ck_assert(__ull2float_rd(x) == 18446742974197923840.0f);
    ck_assert(__ull2float_ru(0x8000000000000001ull) == 9223373136366403584.0f);
    ck_assert(__ull2double_rz(0x8000000000000401ull) == 9223372036854775808.0);
    ck_assert(__ull2double_ru(0x8000000000000001ull) == 9223372036854777856.0);
    ck_assert(__ull2float_rz(0x8000008000000001ull) == 9223372036854775808.0f);
}

// The product is halfway between two bfloat16, and the sum is less by too little for a double.
TEST(a_fused_bfloat16_rounds_once) {
    __nv_bfloat16 x = __float2bfloat16(1 + 0x1p-7f), y = __float2bfloat16(1.5f);
    ck_assert_float_eq(__bfloat162float(__hfma(x, y, __float2bfloat16(-0x1p-80f))), 1.5f + 0x1p-7f);
    ck_assert_float_eq(__bfloat162float(__hfma(x, y, __float2bfloat16(0.0f))), 1.5f + 0x1p-6f);
}

// Every float of two binades: all others are these, scaled by a power of 4.
TEST(reciprocal_root_is_the_nearest) {
    for (uint32_t bits = 0x3f800000u; bits < 0x40800000u; bits++) {
        float x = bits_as<float>(bits), y = __frsqrt_rn(x);
        long double exact = 1.0L / sqrtl(x);
        long double error = fabsl(y - exact);
        if (error > fabsl(nextafterf(y, 0) - exact) || error > fabsl(nextafterf(y, 9) - exact)) {
            ck_abort_msg("__frsqrt_rn(%a)", (double)x);
        }
    }
}

// What an H100 says of conversions to and from 8 bits, CUDA 13.0: one number for each function, of
// all halves and bfloat16 and as many floats and doubles.
static unsigned mixed(unsigned sum, unsigned value) {
    return (sum ^ value) * 16777619u + (sum >> 13);
}
TEST(eight_bits_as_an_h100_converts) {
    static const unsigned on_h100[4][5] = {
        {0x7a4adb40, 0x7b80acc9, 0xccbbaee1, 0x2fd3cebb, 0x28191622},
        {0x9f7db5d1, 0xe1736e66, 0x6e5e5223, 0x08678b9a, 0x3128f906},
        {0x8ed9b3f1, 0x0ace6589, 0x3fe025fb, 0x33956685, 0x28191622},
        {0xf273eb5d, 0x9ede1b23, 0x203725a5, 0x847e4a7a, 0x3128f906},
    };
    for (int t = 0; t < 4; t++) {
        auto kind = t % 2 ? __NV_E5M2 : __NV_E4M3;
        auto saturate = t / 2 ? __NV_NOSAT : __NV_SATFINITE;
        unsigned sums[5] = {1, 1, 1, 1, 1};
        for (unsigned i = 0; i < 65536; i++) {
            float f = __uint_as_float(i * 65537u);
            auto bits = (unsigned short)i;
            sums[0] = mixed(sums[0], __nv_cvt_float_to_fp8(f, saturate, kind));
            sums[1] = mixed(sums[1], __nv_cvt_double_to_fp8(f * 1.0000000001, saturate, kind));
            sums[2] = mixed(sums[2], __nv_cvt_halfraw_to_fp8(__half_raw{bits}, saturate, kind));
            sums[3] = mixed(sums[3],
                            __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{bits}, saturate, kind));
            sums[4] = mixed(sums[4], __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)i, kind).x);
        }
        for (int k = 0; k < 5; k++) {
            ck_assert_uint_eq(sums[k], on_h100[t][k]);
        }
    }
    __nv_fp8x4_e4m3 four(__floats2half2_rn(1.3f, -500.f), __floats2half2_rn(0.01f, 7.f));
    ck_assert_uint_eq(four.__x, 0x4e05fe3a);
    ck_assert_float_eq(((float4)four).y, -448);
    ck_assert_int_eq((int)__nv_fp8_e5m2(-77), -80);
    ck_assert(!(bool)__nv_fp8_e4m3(0.f));
}

SUITE("rounding")
