/* Results of CUDA's exact device functions, as bits: rounding intrinsics, conversions, half and
 * bfloat16 arithmetic, integer and SIMD intrinsics. A GPU and the simulator must print the same.
 *
 *     nvcc -std=c++17 -arch=sm_90 -o math_truth math_truth.cu && ./math_truth > math_truth.out
 *     ./grade run labs/studies/truth/math_truth.cu | diff - math_truth.out
 *
 *     math_truth            every result: a line of 16 in hexadecimal begins with the function's name
 *     math_truth sums       one checksum for each function
 *     math_truth inexact    the functions that CUDA does not define to the last bit, for comparison
 *
 * What is no number has many forms; in float and double all are printed alike. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef __NVCC__
#pragma nv_diag_suppress 550 /* not every function uses y and z */
#endif

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;
typedef long long s64;
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;

#define INPUTS 384

/* ---- the functions: F(name, type of x, y and z, type of the result, result) */

/* of one or two arguments, where the name says all */
#define PACKED_2(F, f) F(f, u32, u32, __##f(x, y))
#define HALVES_2(F, T, f) F(T##_##f, T, T, __##f(x, y))
#define COMPARED(F, T, f) F(T##_##f, T, int, __##f(x, y))
#define PAIRS_2(F, T, T2, f) F(T##_##f, T2, T2, __##f(x, y))
#define HALVES_1(F, T, f) F(T##_##f, T, T, f(x))
#define FLOATS_1(F, f) F(f, float, float, f(x))
#define FLOATS_2(F, f) F(f, float, float, f(x, y))

/* in all four directions: _rn, _rz, _rd and _ru */
#define ROUNDED(F, r) \
    F(fadd_##r, float, float, __fadd_##r(x, y)) \
    F(fsub_##r, float, float, __fsub_##r(x, y)) \
    F(fmul_##r, float, float, __fmul_##r(x, y)) \
    F(fdiv_##r, float, float, __fdiv_##r(x, y)) \
    F(fmaf_##r, float, float, __fmaf_##r(x, y, z)) \
    F(frcp_##r, float, float, __frcp_##r(x)) \
    F(fsqrt_##r, float, float, __fsqrt_##r(x)) \
    F(dadd_##r, double, double, __dadd_##r(x, y)) \
    F(dsub_##r, double, double, __dsub_##r(x, y)) \
    F(dmul_##r, double, double, __dmul_##r(x, y)) \
    F(ddiv_##r, double, double, __ddiv_##r(x, y)) \
    F(fma_##r, double, double, __fma_##r(x, y, z)) \
    F(drcp_##r, double, double, __drcp_##r(x)) \
    F(dsqrt_##r, double, double, __dsqrt_##r(x)) \
    F(double2float_##r, double, float, __double2float_##r(x)) \
    F(float2int_##r, float, int, __float2int_##r(x)) \
    F(double2int_##r, double, int, __double2int_##r(x)) \
    F(int2float_##r, int, float, __int2float_##r(x)) \
    F(float2uint_##r, float, u32, __float2uint_##r(x)) \
    F(double2uint_##r, double, u32, __double2uint_##r(x)) \
    F(uint2float_##r, u32, float, __uint2float_##r(x)) \
    F(float2ll_##r, float, s64, __float2ll_##r(x)) \
    F(double2ll_##r, double, s64, __double2ll_##r(x)) \
    F(ll2float_##r, s64, float, __ll2float_##r(x)) \
    F(ll2double_##r, s64, double, __ll2double_##r(x)) \
    F(float2ull_##r, float, u64, __float2ull_##r(x)) \
    F(double2ull_##r, double, u64, __double2ull_##r(x)) \
    F(ull2float_##r, u64, float, __ull2float_##r(x)) \
    F(ull2double_##r, u64, double, __ull2double_##r(x))

/* of half and of bfloat16: the type, its name in functions, and two of it */
#define ROUNDED_HALF(F, T, N, r) \
    F(T##_from_float_##r, float, T, __float2##N##_##r(x)) \
    F(T##_to_short_##r, T, short, __##N##2short_##r(x)) \
    F(T##_from_short_##r, short, T, __short2##N##_##r(x)) \
    F(T##_to_ushort_##r, T, u16, __##N##2ushort_##r(x)) \
    F(T##_from_ushort_##r, u16, T, __ushort2##N##_##r(x)) \
    F(T##_to_int_##r, T, int, __##N##2int_##r(x)) \
    F(T##_from_int_##r, int, T, __int2##N##_##r(x)) \
    F(T##_to_uint_##r, T, u32, __##N##2uint_##r(x)) \
    F(T##_from_uint_##r, u32, T, __uint2##N##_##r(x)) \
    F(T##_to_ll_##r, T, s64, __##N##2ll_##r(x)) \
    F(T##_from_ll_##r, s64, T, __ll2##N##_##r(x)) \
    F(T##_to_ull_##r, T, u64, __##N##2ull_##r(x)) \
    F(T##_from_ull_##r, u64, T, __ull2##N##_##r(x))

#define HALVES(F, T, N, T2) \
    F(T##_from_double, double, T, __double2##N(x)) \
    F(T##_to_float, T, float, __##N##2float(x)) \
    F(T##_to_char_rz, T, int, __##N##2char_rz(x)) \
    F(T##_to_uchar_rz, T, int, __##N##2uchar_rz(x)) \
    ROUNDED_HALF(F, T, N, rn) \
    ROUNDED_HALF(F, T, N, rz) \
    ROUNDED_HALF(F, T, N, rd) \
    ROUNDED_HALF(F, T, N, ru) \
    HALVES_2(F, T, hadd) HALVES_2(F, T, hadd_rn) HALVES_2(F, T, hadd_sat) HALVES_2(F, T, hsub) \
    HALVES_2(F, T, hsub_rn) HALVES_2(F, T, hsub_sat) HALVES_2(F, T, hmul) HALVES_2(F, T, hmul_rn) \
    HALVES_2(F, T, hmul_sat) HALVES_2(F, T, hdiv) HALVES_2(F, T, hmax) HALVES_2(F, T, hmin) \
    HALVES_2(F, T, hmax_nan) HALVES_2(F, T, hmin_nan) \
    F(T##_hfma, T, T, __hfma(x, y, z)) \
    F(T##_hfma_sat, T, T, __hfma_sat(x, y, z)) \
    F(T##_hfma_relu, T, T, __hfma_relu(x, y, z)) \
    F(T##_hneg, T, T, __hneg(x)) \
    F(T##_habs, T, T, __habs(x)) \
    HALVES_1(F, T, htrunc) HALVES_1(F, T, hceil) HALVES_1(F, T, hfloor) HALVES_1(F, T, hrint) \
    COMPARED(F, T, heq) COMPARED(F, T, hequ) COMPARED(F, T, hne) COMPARED(F, T, hneu) \
    COMPARED(F, T, hlt) COMPARED(F, T, hltu) COMPARED(F, T, hle) COMPARED(F, T, hleu) \
    COMPARED(F, T, hgt) COMPARED(F, T, hgtu) COMPARED(F, T, hge) COMPARED(F, T, hgeu) \
    F(T##_hisnan, T, int, __hisnan(x)) \
    F(T##_hisinf, T, int, __hisinf(x)) \
    PAIRS_2(F, T, T2, hadd2) PAIRS_2(F, T, T2, hsub2) PAIRS_2(F, T, T2, hmul2) \
    PAIRS_2(F, T, T2, hadd2_sat) PAIRS_2(F, T, T2, h2div) PAIRS_2(F, T, T2, hmax2) \
    PAIRS_2(F, T, T2, hmin2) PAIRS_2(F, T, T2, hmax2_nan) PAIRS_2(F, T, T2, hmin2_nan) \
    F(T##_hfma2, T2, T2, __hfma2(x, y, z)) \
    F(T##_hfma2_relu, T2, T2, __hfma2_relu(x, y, z)) \
    F(T##_hcmadd, T2, T2, __hcmadd(x, y, z)) \
    PAIRS_2(F, T, T2, heq2) PAIRS_2(F, T, T2, hltu2) PAIRS_2(F, T, T2, hge2) \
    F(T##_hne2_mask, T2, u32, __hne2_mask(x, y)) \
    F(T##_hgtu2_mask, T2, u32, __hgtu2_mask(x, y)) \
    F(T##_hle2_mask, T2, u32, __hle2_mask(x, y)) \
    F(T##_lowhigh2highlow, T2, T2, __lowhigh2highlow(x)) \
    F(T##_operators, T, T, (x + y) - (x > y ? z : x / z))

/* of two shorts or four bytes in a word */
#define PACKED(F, n) \
    F(vabs##n, u32, u32, __vabs##n(x)) \
    F(vabsss##n, u32, u32, __vabsss##n(x)) \
    F(vneg##n, u32, u32, __vneg##n(x)) \
    F(vnegss##n, u32, u32, __vnegss##n(x)) \
    PACKED_2(F, vadd##n) PACKED_2(F, vaddss##n) PACKED_2(F, vaddus##n) PACKED_2(F, vsub##n) \
    PACKED_2(F, vsubss##n) PACKED_2(F, vsubus##n) PACKED_2(F, vavgs##n) PACKED_2(F, vavgu##n) \
    PACKED_2(F, vhaddu##n) PACKED_2(F, vabsdiffs##n) PACKED_2(F, vabsdiffu##n) \
    PACKED_2(F, vmaxs##n) PACKED_2(F, vmaxu##n) PACKED_2(F, vmins##n) PACKED_2(F, vminu##n) \
    PACKED_2(F, vsads##n) PACKED_2(F, vsadu##n) PACKED_2(F, vcmpeq##n) PACKED_2(F, vcmpne##n) \
    PACKED_2(F, vcmpges##n) PACKED_2(F, vcmpgeu##n) PACKED_2(F, vcmpgts##n) \
    PACKED_2(F, vcmpgtu##n) PACKED_2(F, vcmples##n) PACKED_2(F, vcmpleu##n) \
    PACKED_2(F, vcmplts##n) PACKED_2(F, vcmpltu##n) PACKED_2(F, vseteq##n) PACKED_2(F, vsetne##n) \
    PACKED_2(F, vsetges##n) PACKED_2(F, vsetgeu##n) PACKED_2(F, vsetgts##n) \
    PACKED_2(F, vsetgtu##n) PACKED_2(F, vsetles##n) PACKED_2(F, vsetleu##n) \
    PACKED_2(F, vsetlts##n) PACKED_2(F, vsetltu##n)

/* max or min */
#define EXTREMES(F, m) \
    F(vi##m##3_s32, u32, u32, (u32)__vi##m##3_s32(x, y, z)) \
    F(vi##m##3_u32, u32, u32, (u32)__vi##m##3_u32(x, y, z)) \
    F(vi##m##3_s32_relu, u32, u32, (u32)__vi##m##3_s32_relu(x, y, z)) \
    F(vi##m##_s32_relu, u32, u32, (u32)__vi##m##_s32_relu(x, y)) \
    F(viadd##m##_s32, u32, u32, (u32)__viadd##m##_s32(x, y, z)) \
    F(viadd##m##_u32, u32, u32, (u32)__viadd##m##_u32(x, y, z)) \
    F(viadd##m##_s32_relu, u32, u32, (u32)__viadd##m##_s32_relu(x, y, z)) \
    F(vi##m##3_s16x2, u32, u32, (u32)__vi##m##3_s16x2(x, y, z)) \
    F(vi##m##3_u16x2, u32, u32, (u32)__vi##m##3_u16x2(x, y, z)) \
    F(vi##m##3_s16x2_relu, u32, u32, (u32)__vi##m##3_s16x2_relu(x, y, z)) \
    F(vi##m##_s16x2_relu, u32, u32, (u32)__vi##m##_s16x2_relu(x, y)) \
    F(viadd##m##_s16x2, u32, u32, (u32)__viadd##m##_s16x2(x, y, z)) \
    F(viadd##m##_u16x2, u32, u32, (u32)__viadd##m##_u16x2(x, y, z)) \
    F(viadd##m##_s16x2_relu, u32, u32, (u32)__viadd##m##_s16x2_relu(x, y, z))

#define FUNCTIONS(F) \
    ROUNDED(F, rn) \
    ROUNDED(F, rz) \
    ROUNDED(F, rd) \
    ROUNDED(F, ru) \
    F(frsqrt_rn, float, float, __frsqrt_rn(x)) \
    F(saturatef, float, float, __saturatef(x)) \
    F(fminf, float, float, fminf(x, y)) \
    F(fmaxf, float, float, fmaxf(x, y)) \
    HALVES(F, half, half, half2) \
    HALVES(F, bf16, bfloat16, bf162) \
    F(half_from_bf16, bf16, half, half(x)) \
    F(bf16_from_half, half, bf16, bf16(x)) \
    F(brev, u32, u32, (u32)__brev(x)) \
    F(popc, u32, u32, (u32)__popc(x)) \
    F(clz, u32, u32, (u32)__clz((int)x)) \
    F(ffs, u32, u32, (u32)__ffs((int)x)) \
    F(mul24, u32, u32, (u32)__mul24((int)x, (int)y)) \
    F(umul24, u32, u32, (u32)__umul24(x, y)) \
    F(mulhi, u32, u32, (u32)__mulhi((int)x, (int)y)) \
    F(umulhi, u32, u32, (u32)__umulhi(x, y)) \
    F(sad, u32, u32, (u32)__sad((int)x, (int)y, z)) \
    F(usad, u32, u32, (u32)__usad(x, y, z)) \
    F(hadd, u32, u32, (u32)__hadd((int)x, (int)y)) \
    F(rhadd, u32, u32, (u32)__rhadd((int)x, (int)y)) \
    F(uhadd, u32, u32, (u32)__uhadd(x, y)) \
    F(urhadd, u32, u32, (u32)__urhadd(x, y)) \
    F(byte_perm, u32, u32, (u32)__byte_perm(x, y, z)) \
    F(funnelshift_l, u32, u32, (u32)__funnelshift_l(x, y, z)) \
    F(funnelshift_r, u32, u32, (u32)__funnelshift_r(x, y, z)) \
    F(funnelshift_lc, u32, u32, (u32)__funnelshift_lc(x, y, z & 63)) \
    F(funnelshift_rc, u32, u32, (u32)__funnelshift_rc(x, y, z & 63)) \
    F(dp4a_s, u32, u32, (u32)__dp4a((int)x, (int)y, (int)z)) \
    F(dp4a_u, u32, u32, (u32)__dp4a(x, y, z)) \
    F(dp2a_lo_s, u32, u32, (u32)__dp2a_lo((int)x, (int)y, (int)z)) \
    F(dp2a_hi_s, u32, u32, (u32)__dp2a_hi((int)x, (int)y, (int)z)) \
    F(dp2a_lo_u, u32, u32, (u32)__dp2a_lo(x, y, z)) \
    F(dp2a_hi_u, u32, u32, (u32)__dp2a_hi(x, y, z)) \
    F(int_as_float, u32, u32, (u32)__float_as_uint(__uint_as_float(x))) \
    F(brevll, u64, u64, (u64)__brevll(x)) \
    F(popcll, u64, u64, (u64)__popcll(x)) \
    F(clzll, u64, u64, (u64)__clzll((s64)x)) \
    F(ffsll, u64, u64, (u64)__ffsll((s64)x)) \
    F(mul64hi, u64, u64, (u64)__mul64hi((s64)x, (s64)y)) \
    F(umul64hi, u64, u64, (u64)__umul64hi(x, y)) \
    F(hiloint2double, u64, u64, __double_as_longlong(__hiloint2double((int)x, (int)y))) \
    F(double2hiint, double, u32, __double2hiint(x) ^ __double2loint(y)) \
    PACKED(F, 2) \
    PACKED(F, 4) \
    EXTREMES(F, max) \
    EXTREMES(F, min)

#define INEXACT_HALF(F, T) \
    HALVES_1(F, T, hsqrt) HALVES_1(F, T, hrsqrt) HALVES_1(F, T, hrcp) HALVES_1(F, T, hlog) \
    HALVES_1(F, T, hlog2) HALVES_1(F, T, hlog10) HALVES_1(F, T, hexp) HALVES_1(F, T, hexp2) \
    HALVES_1(F, T, hexp10) HALVES_1(F, T, hcos) HALVES_1(F, T, hsin) HALVES_1(F, T, htanh) \
    HALVES_1(F, T, htanh_approx)

#define INEXACT(F) \
    INEXACT_HALF(F, half) \
    INEXACT_HALF(F, bf16) \
    FLOATS_1(F, expf) FLOATS_1(F, exp2f) FLOATS_1(F, exp10f) FLOATS_1(F, expm1f) FLOATS_1(F, logf) \
    FLOATS_1(F, log2f) FLOATS_1(F, log10f) FLOATS_1(F, log1pf) FLOATS_1(F, sinf) FLOATS_1(F, cosf) \
    FLOATS_1(F, tanf) FLOATS_1(F, sinhf) FLOATS_1(F, coshf) FLOATS_1(F, tanhf) FLOATS_1(F, asinf) \
    FLOATS_1(F, acosf) FLOATS_1(F, atanf) FLOATS_1(F, asinhf) FLOATS_1(F, acoshf) \
    FLOATS_1(F, atanhf) FLOATS_1(F, erff) FLOATS_1(F, erfcf) FLOATS_1(F, erfinvf) \
    FLOATS_1(F, erfcinvf) FLOATS_1(F, erfcxf) FLOATS_1(F, normcdff) FLOATS_1(F, normcdfinvf) \
    FLOATS_1(F, tgammaf) FLOATS_1(F, lgammaf) FLOATS_1(F, cbrtf) FLOATS_1(F, rcbrtf) \
    FLOATS_1(F, rsqrtf) FLOATS_1(F, sinpif) FLOATS_1(F, cospif) FLOATS_1(F, cyl_bessel_i0f) \
    FLOATS_1(F, cyl_bessel_i1f) FLOATS_1(F, j0f) FLOATS_1(F, j1f) FLOATS_1(F, y0f) \
    FLOATS_1(F, y1f) FLOATS_1(F, __expf) FLOATS_1(F, __logf) FLOATS_1(F, __log2f) \
    FLOATS_1(F, __log10f) FLOATS_1(F, __sinf) FLOATS_1(F, __cosf) FLOATS_1(F, __tanf) \
    FLOATS_1(F, __exp10f) FLOATS_1(F, __tanhf) \
    FLOATS_2(F, powf) FLOATS_2(F, atan2f) FLOATS_2(F, hypotf) FLOATS_2(F, rhypotf) \
    FLOATS_2(F, fmodf) FLOATS_2(F, remainderf) FLOATS_2(F, fdimf) FLOATS_2(F, nextafterf) \
    FLOATS_2(F, __powf) FLOATS_2(F, __fdividef)

#define KERNEL(name, In, Out, ...)                                                                 \
    __global__ void k_##name(const In *xs, const In *ys, const In *zs, Out *results) {             \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        In x = xs[i], y = ys[i], z = zs[i];                                                        \
        (void)y;                                                                                   \
        (void)z;                                                                                   \
        results[i] = (__VA_ARGS__);                                                                \
    }

FUNCTIONS(KERNEL)
INEXACT(KERNEL)

/* ---- inputs: pairs of special values, then random bits, then values whose sizes are similar */

static u64 state;

static u64 random64() {
    u64 bits = 0;
    for (int i = 0; i < 4; i++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        bits = bits << 16 | (state >> 48);
    }
    return bits;
}

/* A floating-point value with a fraction of `digits` bits and an exponent of one of two ranges. */
static u64 similar(int digits, int bias, int narrow, int wide) {
    u64 random = random64();
    int range = random >> 40 & 1 ? narrow : wide;
    int exponent = bias + (int)((random >> 41) % (u64)(2 * range + 1)) - range;
    u64 fraction = random64() & ((1ull << digits) - 1);
    if (random >> 60 & 1) {
        fraction &= fraction << digits / 2; /* fewer bits: ties and exact results */
    }
    return fraction | (u64)(exponent > 0 ? exponent : 0) << digits;
}

static const u64 special_double[] = {0, 1ull << 63, 1, 0x000fffffffffffffull, 0x0010000000000000ull,
                                     0x3ff0000000000000ull, 0xbff0000000000000ull,
                                     0x3fe0000000000000ull, 0x7fefffffffffffffull,
                                     0x7ff0000000000000ull, 0xfff0000000000000ull,
                                     0x7ff8000000000000ull, 0x41dfffffffe00000ull};
static const u64 special_float[] = {0, 0x80000000, 1, 0x007fffff, 0x00800000, 0x3f800000,
                                    0xbf800000, 0x3f000000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                    0x7fc00000, 0x4f000000};
static const u64 special_half[] = {0, 0x8000, 1, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3800, 0x7bff,
                                   0x7c00, 0xfc00, 0x7fff, 0x8001};
static const u64 special_bf16[] = {0, 0x8000, 1, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x3f00, 0x7f7f,
                                   0x7f80, 0xff80, 0x7fff, 0x8001};
static const u64 special_int[] = {0, ~0ull, 1, 0x8000000080000000ull, 0x7fffffff7fffffffull,
                                  0x80808080, 0x7f7f7f7f, 0x80008000, 0x7fff7fff, 0x00ff00ff,
                                  0x8000000000000000ull, 0x0020001f, 0x01000001};
#define SPECIALS 13

static u64 sign(int bit) {
    return (random64() & 1) << bit;
}
static u64 similar_bits(float) {
    return similar(23, 127, 4, 30) | sign(31);
}
static u64 similar_bits(double) {
    return similar(52, 1023, 40, 160) | sign(63);
}
static u64 similar_bits(half) {
    return similar(10, 15, 3, 12) | sign(15);
}
static u64 similar_bits(bf16) {
    return similar(7, 127, 4, 30) | sign(15);
}
static u64 similar_bits(half2) {
    return similar_bits(half()) << 16 | similar_bits(half());
}
static u64 similar_bits(bf162) {
    return similar_bits(bf16()) << 16 | similar_bits(bf16());
}
template <class T> static u64 similar_bits(T) {
    u64 random = random64();
    return random64() >> random % 64 ^ (random >> 32 & 1 ? ~0ull : 0);
}
static u64 special_bits(float, int i) {
    return special_float[i];
}
static u64 special_bits(double, int i) {
    return special_double[i];
}
static u64 special_bits(half, int i) {
    return special_half[i];
}
static u64 special_bits(bf16, int i) {
    return special_bf16[i];
}
static u64 special_bits(half2, int i) {
    return special_half[i] << 16 | special_half[(i + 5) % SPECIALS];
}
static u64 special_bits(bf162, int i) {
    return special_bf16[i] << 16 | special_bf16[(i + 5) % SPECIALS];
}
template <class T> static u64 special_bits(T, int i) {
    return special_int[i];
}

template <class T> static void fill(T *values, int which) {
    state = 12345 + which;
    for (int i = 0; i < INPUTS; i++) {
        int at[3] = {i % SPECIALS, i / SPECIALS % SPECIALS, (i + i / SPECIALS) % SPECIALS};
        u64 bits = i < SPECIALS * SPECIALS ? special_bits(T(), at[which])
                   : i % 3 == 0            ? random64()
                                           : similar_bits(T());
        memcpy((void *)&values[i], &bits, sizeof(T));
    }
}

/* ---- output */

static u64 bits_of(float x) {
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7fffffff : bits;
}
static u64 bits_of(double x) {
    u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? ~0ull >> 1 : bits;
}
template <class T> static u64 bits_of(T x) {
    u64 bits = 0;
    memcpy(&bits, &x, sizeof x);
    return bits;
}

static void check(cudaError_t error, const char *name) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(error));
        exit(1);
    }
}

template <class In, class Out>
static void run(const char *name, void (*kernel)(const In *, const In *, const In *, Out *),
                bool sums) {
    static In inputs[3][INPUTS];
    static Out results[INPUTS];
    In *d_inputs;
    Out *d_results;
    for (int which = 0; which < 3; which++) {
        fill(inputs[which], which);
    }
    check(cudaMalloc(&d_inputs, sizeof inputs), name);
    check(cudaMalloc(&d_results, sizeof results), name);
    check(cudaMemcpy(d_inputs, inputs, sizeof inputs, cudaMemcpyHostToDevice), name);
    kernel<<<INPUTS / 128, 128>>>(d_inputs, d_inputs + INPUTS, d_inputs + 2 * INPUTS, d_results);
    check(cudaGetLastError(), name);
    check(cudaMemcpy(results, d_results, sizeof results, cudaMemcpyDeviceToHost), name);
    check(cudaFree(d_inputs), name);
    check(cudaFree(d_results), name);
    u64 sum = 0;
    for (int i = 0; i < INPUTS; i++) {
        u64 bits = bits_of(results[i]);
        sum = (sum ^ bits) * 0x100000001b3ull;
        if (!sums) {
            if (i % 16 == 0) {
                printf("%s%s %3d:", i ? "\n" : "", name, i);
            }
            printf(" %0*llx", 2 * (int)sizeof(Out), bits);
        }
    }
    if (sums) {
        printf("%s %016llx\n", name, sum);
    } else {
        printf("\n");
    }
}

#define RUN(name, In, Out, ...) run<In, Out>(#name, k_##name, sums);

int main(int argc, char **argv) {
    bool sums = argc > 1 && strcmp(argv[1], "sums") == 0;
    if (argc > 1 && strcmp(argv[1], "inexact") == 0) {
        INEXACT(RUN)
    } else {
        FUNCTIONS(RUN)
    }
    return 0;
}
