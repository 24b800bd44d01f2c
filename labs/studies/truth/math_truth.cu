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
    F(T##_hadd, T, T, __hadd(x, y)) \
    F(T##_hadd_rn, T, T, __hadd_rn(x, y)) \
    F(T##_hadd_sat, T, T, __hadd_sat(x, y)) \
    F(T##_hsub, T, T, __hsub(x, y)) \
    F(T##_hsub_rn, T, T, __hsub_rn(x, y)) \
    F(T##_hsub_sat, T, T, __hsub_sat(x, y)) \
    F(T##_hmul, T, T, __hmul(x, y)) \
    F(T##_hmul_rn, T, T, __hmul_rn(x, y)) \
    F(T##_hmul_sat, T, T, __hmul_sat(x, y)) \
    F(T##_hdiv, T, T, __hdiv(x, y)) \
    F(T##_hmax, T, T, __hmax(x, y)) \
    F(T##_hmin, T, T, __hmin(x, y)) \
    F(T##_hmax_nan, T, T, __hmax_nan(x, y)) \
    F(T##_hmin_nan, T, T, __hmin_nan(x, y)) \
    F(T##_hfma, T, T, __hfma(x, y, z)) \
    F(T##_hfma_sat, T, T, __hfma_sat(x, y, z)) \
    F(T##_hfma_relu, T, T, __hfma_relu(x, y, z)) \
    F(T##_hneg, T, T, __hneg(x)) \
    F(T##_habs, T, T, __habs(x)) \
    F(T##_htrunc, T, T, htrunc(x)) \
    F(T##_hceil, T, T, hceil(x)) \
    F(T##_hfloor, T, T, hfloor(x)) \
    F(T##_hrint, T, T, hrint(x)) \
    F(T##_heq, T, int, __heq(x, y)) \
    F(T##_hequ, T, int, __hequ(x, y)) \
    F(T##_hne, T, int, __hne(x, y)) \
    F(T##_hneu, T, int, __hneu(x, y)) \
    F(T##_hlt, T, int, __hlt(x, y)) \
    F(T##_hltu, T, int, __hltu(x, y)) \
    F(T##_hle, T, int, __hle(x, y)) \
    F(T##_hleu, T, int, __hleu(x, y)) \
    F(T##_hgt, T, int, __hgt(x, y)) \
    F(T##_hgtu, T, int, __hgtu(x, y)) \
    F(T##_hge, T, int, __hge(x, y)) \
    F(T##_hgeu, T, int, __hgeu(x, y)) \
    F(T##_hisnan, T, int, __hisnan(x)) \
    F(T##_hisinf, T, int, __hisinf(x)) \
    F(T##_hadd2, T2, T2, __hadd2(x, y)) \
    F(T##_hsub2, T2, T2, __hsub2(x, y)) \
    F(T##_hmul2, T2, T2, __hmul2(x, y)) \
    F(T##_hadd2_sat, T2, T2, __hadd2_sat(x, y)) \
    F(T##_h2div, T2, T2, __h2div(x, y)) \
    F(T##_hmax2, T2, T2, __hmax2(x, y)) \
    F(T##_hmin2, T2, T2, __hmin2(x, y)) \
    F(T##_hmax2_nan, T2, T2, __hmax2_nan(x, y)) \
    F(T##_hmin2_nan, T2, T2, __hmin2_nan(x, y)) \
    F(T##_hfma2, T2, T2, __hfma2(x, y, z)) \
    F(T##_hfma2_relu, T2, T2, __hfma2_relu(x, y, z)) \
    F(T##_hcmadd, T2, T2, __hcmadd(x, y, z)) \
    F(T##_heq2, T2, T2, __heq2(x, y)) \
    F(T##_hltu2, T2, T2, __hltu2(x, y)) \
    F(T##_hge2, T2, T2, __hge2(x, y)) \
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
    F(vadd##n, u32, u32, __vadd##n(x, y)) \
    F(vaddss##n, u32, u32, __vaddss##n(x, y)) \
    F(vaddus##n, u32, u32, __vaddus##n(x, y)) \
    F(vsub##n, u32, u32, __vsub##n(x, y)) \
    F(vsubss##n, u32, u32, __vsubss##n(x, y)) \
    F(vsubus##n, u32, u32, __vsubus##n(x, y)) \
    F(vavgs##n, u32, u32, __vavgs##n(x, y)) \
    F(vavgu##n, u32, u32, __vavgu##n(x, y)) \
    F(vhaddu##n, u32, u32, __vhaddu##n(x, y)) \
    F(vabsdiffs##n, u32, u32, __vabsdiffs##n(x, y)) \
    F(vabsdiffu##n, u32, u32, __vabsdiffu##n(x, y)) \
    F(vmaxs##n, u32, u32, __vmaxs##n(x, y)) \
    F(vmaxu##n, u32, u32, __vmaxu##n(x, y)) \
    F(vmins##n, u32, u32, __vmins##n(x, y)) \
    F(vminu##n, u32, u32, __vminu##n(x, y)) \
    F(vsads##n, u32, u32, __vsads##n(x, y)) \
    F(vsadu##n, u32, u32, __vsadu##n(x, y)) \
    F(vcmpeq##n, u32, u32, __vcmpeq##n(x, y)) \
    F(vcmpne##n, u32, u32, __vcmpne##n(x, y)) \
    F(vcmpges##n, u32, u32, __vcmpges##n(x, y)) \
    F(vcmpgeu##n, u32, u32, __vcmpgeu##n(x, y)) \
    F(vcmpgts##n, u32, u32, __vcmpgts##n(x, y)) \
    F(vcmpgtu##n, u32, u32, __vcmpgtu##n(x, y)) \
    F(vcmples##n, u32, u32, __vcmples##n(x, y)) \
    F(vcmpleu##n, u32, u32, __vcmpleu##n(x, y)) \
    F(vcmplts##n, u32, u32, __vcmplts##n(x, y)) \
    F(vcmpltu##n, u32, u32, __vcmpltu##n(x, y)) \
    F(vseteq##n, u32, u32, __vseteq##n(x, y)) \
    F(vsetne##n, u32, u32, __vsetne##n(x, y)) \
    F(vsetges##n, u32, u32, __vsetges##n(x, y)) \
    F(vsetgeu##n, u32, u32, __vsetgeu##n(x, y)) \
    F(vsetgts##n, u32, u32, __vsetgts##n(x, y)) \
    F(vsetgtu##n, u32, u32, __vsetgtu##n(x, y)) \
    F(vsetles##n, u32, u32, __vsetles##n(x, y)) \
    F(vsetleu##n, u32, u32, __vsetleu##n(x, y)) \
    F(vsetlts##n, u32, u32, __vsetlts##n(x, y)) \
    F(vsetltu##n, u32, u32, __vsetltu##n(x, y))

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
    F(T##_hsqrt, T, T, hsqrt(x)) \
    F(T##_hrsqrt, T, T, hrsqrt(x)) \
    F(T##_hrcp, T, T, hrcp(x)) \
    F(T##_hlog, T, T, hlog(x)) \
    F(T##_hlog2, T, T, hlog2(x)) \
    F(T##_hlog10, T, T, hlog10(x)) \
    F(T##_hexp, T, T, hexp(x)) \
    F(T##_hexp2, T, T, hexp2(x)) \
    F(T##_hexp10, T, T, hexp10(x)) \
    F(T##_hcos, T, T, hcos(x)) \
    F(T##_hsin, T, T, hsin(x)) \
    F(T##_htanh, T, T, htanh(x)) \
    F(T##_htanh_approx, T, T, htanh_approx(x))

#define INEXACT(F) \
    INEXACT_HALF(F, half) \
    INEXACT_HALF(F, bf16) \
    F(expf, float, float, expf(x)) \
    F(exp2f, float, float, exp2f(x)) \
    F(exp10f, float, float, exp10f(x)) \
    F(expm1f, float, float, expm1f(x)) \
    F(logf, float, float, logf(x)) \
    F(log2f, float, float, log2f(x)) \
    F(log10f, float, float, log10f(x)) \
    F(log1pf, float, float, log1pf(x)) \
    F(sinf, float, float, sinf(x)) \
    F(cosf, float, float, cosf(x)) \
    F(tanf, float, float, tanf(x)) \
    F(sinhf, float, float, sinhf(x)) \
    F(coshf, float, float, coshf(x)) \
    F(tanhf, float, float, tanhf(x)) \
    F(asinf, float, float, asinf(x)) \
    F(acosf, float, float, acosf(x)) \
    F(atanf, float, float, atanf(x)) \
    F(asinhf, float, float, asinhf(x)) \
    F(acoshf, float, float, acoshf(x)) \
    F(atanhf, float, float, atanhf(x)) \
    F(erff, float, float, erff(x)) \
    F(erfcf, float, float, erfcf(x)) \
    F(erfinvf, float, float, erfinvf(x)) \
    F(erfcinvf, float, float, erfcinvf(x)) \
    F(erfcxf, float, float, erfcxf(x)) \
    F(normcdff, float, float, normcdff(x)) \
    F(normcdfinvf, float, float, normcdfinvf(x)) \
    F(tgammaf, float, float, tgammaf(x)) \
    F(lgammaf, float, float, lgammaf(x)) \
    F(cbrtf, float, float, cbrtf(x)) \
    F(rcbrtf, float, float, rcbrtf(x)) \
    F(rsqrtf, float, float, rsqrtf(x)) \
    F(sinpif, float, float, sinpif(x)) \
    F(cospif, float, float, cospif(x)) \
    F(cyl_bessel_i0f, float, float, cyl_bessel_i0f(x)) \
    F(cyl_bessel_i1f, float, float, cyl_bessel_i1f(x)) \
    F(j0f, float, float, j0f(x)) \
    F(j1f, float, float, j1f(x)) \
    F(y0f, float, float, y0f(x)) \
    F(y1f, float, float, y1f(x)) \
    F(__expf, float, float, __expf(x)) \
    F(__logf, float, float, __logf(x)) \
    F(__log2f, float, float, __log2f(x)) \
    F(__log10f, float, float, __log10f(x)) \
    F(__sinf, float, float, __sinf(x)) \
    F(__cosf, float, float, __cosf(x)) \
    F(__tanf, float, float, __tanf(x)) \
    F(__exp10f, float, float, __exp10f(x)) \
    F(__tanhf, float, float, __tanhf(x)) \
    F(powf, float, float, powf(x, y)) \
    F(atan2f, float, float, atan2f(x, y)) \
    F(hypotf, float, float, hypotf(x, y)) \
    F(rhypotf, float, float, rhypotf(x, y)) \
    F(fmodf, float, float, fmodf(x, y)) \
    F(remainderf, float, float, remainderf(x, y)) \
    F(fdimf, float, float, fdimf(x, y)) \
    F(nextafterf, float, float, nextafterf(x, y)) \
    F(__powf, float, float, __powf(x, y)) \
    F(__fdividef, float, float, __fdividef(x, y))

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
