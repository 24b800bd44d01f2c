/* Results of CUDA's exact device functions, as bits: rounding intrinsics, conversions, half and
 * bfloat16 arithmetic, integer and SIMD intrinsics. A GPU and the simulator must print the same.
 *
 *     nvcc -std=c++17 -arch=sm_90 -o math_truth math_truth.cu && ./math_truth > math_truth.out
 *     ./grade run labs/studies/nsight/math_truth.cu | diff - math_truth.out
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

#define FUNCTIONS(F) \
    F(fadd_rn, float, float, __fadd_rn(x, y)) \
    F(fsub_rn, float, float, __fsub_rn(x, y)) \
    F(fmul_rn, float, float, __fmul_rn(x, y)) \
    F(fdiv_rn, float, float, __fdiv_rn(x, y)) \
    F(fmaf_rn, float, float, __fmaf_rn(x, y, z)) \
    F(frcp_rn, float, float, __frcp_rn(x)) \
    F(fsqrt_rn, float, float, __fsqrt_rn(x)) \
    F(dadd_rn, double, double, __dadd_rn(x, y)) \
    F(dsub_rn, double, double, __dsub_rn(x, y)) \
    F(dmul_rn, double, double, __dmul_rn(x, y)) \
    F(ddiv_rn, double, double, __ddiv_rn(x, y)) \
    F(fma_rn, double, double, __fma_rn(x, y, z)) \
    F(drcp_rn, double, double, __drcp_rn(x)) \
    F(dsqrt_rn, double, double, __dsqrt_rn(x)) \
    F(double2float_rn, double, float, __double2float_rn(x)) \
    F(float2int_rn, float, int, __float2int_rn(x)) \
    F(double2int_rn, double, int, __double2int_rn(x)) \
    F(int2float_rn, int, float, __int2float_rn(x)) \
    F(float2uint_rn, float, u32, __float2uint_rn(x)) \
    F(double2uint_rn, double, u32, __double2uint_rn(x)) \
    F(uint2float_rn, u32, float, __uint2float_rn(x)) \
    F(float2ll_rn, float, s64, __float2ll_rn(x)) \
    F(double2ll_rn, double, s64, __double2ll_rn(x)) \
    F(ll2float_rn, s64, float, __ll2float_rn(x)) \
    F(ll2double_rn, s64, double, __ll2double_rn(x)) \
    F(float2ull_rn, float, u64, __float2ull_rn(x)) \
    F(double2ull_rn, double, u64, __double2ull_rn(x)) \
    F(ull2float_rn, u64, float, __ull2float_rn(x)) \
    F(ull2double_rn, u64, double, __ull2double_rn(x)) \
    F(fadd_rz, float, float, __fadd_rz(x, y)) \
    F(fsub_rz, float, float, __fsub_rz(x, y)) \
    F(fmul_rz, float, float, __fmul_rz(x, y)) \
    F(fdiv_rz, float, float, __fdiv_rz(x, y)) \
    F(fmaf_rz, float, float, __fmaf_rz(x, y, z)) \
    F(frcp_rz, float, float, __frcp_rz(x)) \
    F(fsqrt_rz, float, float, __fsqrt_rz(x)) \
    F(dadd_rz, double, double, __dadd_rz(x, y)) \
    F(dsub_rz, double, double, __dsub_rz(x, y)) \
    F(dmul_rz, double, double, __dmul_rz(x, y)) \
    F(ddiv_rz, double, double, __ddiv_rz(x, y)) \
    F(fma_rz, double, double, __fma_rz(x, y, z)) \
    F(drcp_rz, double, double, __drcp_rz(x)) \
    F(dsqrt_rz, double, double, __dsqrt_rz(x)) \
    F(double2float_rz, double, float, __double2float_rz(x)) \
    F(float2int_rz, float, int, __float2int_rz(x)) \
    F(double2int_rz, double, int, __double2int_rz(x)) \
    F(int2float_rz, int, float, __int2float_rz(x)) \
    F(float2uint_rz, float, u32, __float2uint_rz(x)) \
    F(double2uint_rz, double, u32, __double2uint_rz(x)) \
    F(uint2float_rz, u32, float, __uint2float_rz(x)) \
    F(float2ll_rz, float, s64, __float2ll_rz(x)) \
    F(double2ll_rz, double, s64, __double2ll_rz(x)) \
    F(ll2float_rz, s64, float, __ll2float_rz(x)) \
    F(ll2double_rz, s64, double, __ll2double_rz(x)) \
    F(float2ull_rz, float, u64, __float2ull_rz(x)) \
    F(double2ull_rz, double, u64, __double2ull_rz(x)) \
    F(ull2float_rz, u64, float, __ull2float_rz(x)) \
    F(ull2double_rz, u64, double, __ull2double_rz(x)) \
    F(fadd_rd, float, float, __fadd_rd(x, y)) \
    F(fsub_rd, float, float, __fsub_rd(x, y)) \
    F(fmul_rd, float, float, __fmul_rd(x, y)) \
    F(fdiv_rd, float, float, __fdiv_rd(x, y)) \
    F(fmaf_rd, float, float, __fmaf_rd(x, y, z)) \
    F(frcp_rd, float, float, __frcp_rd(x)) \
    F(fsqrt_rd, float, float, __fsqrt_rd(x)) \
    F(dadd_rd, double, double, __dadd_rd(x, y)) \
    F(dsub_rd, double, double, __dsub_rd(x, y)) \
    F(dmul_rd, double, double, __dmul_rd(x, y)) \
    F(ddiv_rd, double, double, __ddiv_rd(x, y)) \
    F(fma_rd, double, double, __fma_rd(x, y, z)) \
    F(drcp_rd, double, double, __drcp_rd(x)) \
    F(dsqrt_rd, double, double, __dsqrt_rd(x)) \
    F(double2float_rd, double, float, __double2float_rd(x)) \
    F(float2int_rd, float, int, __float2int_rd(x)) \
    F(double2int_rd, double, int, __double2int_rd(x)) \
    F(int2float_rd, int, float, __int2float_rd(x)) \
    F(float2uint_rd, float, u32, __float2uint_rd(x)) \
    F(double2uint_rd, double, u32, __double2uint_rd(x)) \
    F(uint2float_rd, u32, float, __uint2float_rd(x)) \
    F(float2ll_rd, float, s64, __float2ll_rd(x)) \
    F(double2ll_rd, double, s64, __double2ll_rd(x)) \
    F(ll2float_rd, s64, float, __ll2float_rd(x)) \
    F(ll2double_rd, s64, double, __ll2double_rd(x)) \
    F(float2ull_rd, float, u64, __float2ull_rd(x)) \
    F(double2ull_rd, double, u64, __double2ull_rd(x)) \
    F(ull2float_rd, u64, float, __ull2float_rd(x)) \
    F(ull2double_rd, u64, double, __ull2double_rd(x)) \
    F(fadd_ru, float, float, __fadd_ru(x, y)) \
    F(fsub_ru, float, float, __fsub_ru(x, y)) \
    F(fmul_ru, float, float, __fmul_ru(x, y)) \
    F(fdiv_ru, float, float, __fdiv_ru(x, y)) \
    F(fmaf_ru, float, float, __fmaf_ru(x, y, z)) \
    F(frcp_ru, float, float, __frcp_ru(x)) \
    F(fsqrt_ru, float, float, __fsqrt_ru(x)) \
    F(dadd_ru, double, double, __dadd_ru(x, y)) \
    F(dsub_ru, double, double, __dsub_ru(x, y)) \
    F(dmul_ru, double, double, __dmul_ru(x, y)) \
    F(ddiv_ru, double, double, __ddiv_ru(x, y)) \
    F(fma_ru, double, double, __fma_ru(x, y, z)) \
    F(drcp_ru, double, double, __drcp_ru(x)) \
    F(dsqrt_ru, double, double, __dsqrt_ru(x)) \
    F(double2float_ru, double, float, __double2float_ru(x)) \
    F(float2int_ru, float, int, __float2int_ru(x)) \
    F(double2int_ru, double, int, __double2int_ru(x)) \
    F(int2float_ru, int, float, __int2float_ru(x)) \
    F(float2uint_ru, float, u32, __float2uint_ru(x)) \
    F(double2uint_ru, double, u32, __double2uint_ru(x)) \
    F(uint2float_ru, u32, float, __uint2float_ru(x)) \
    F(float2ll_ru, float, s64, __float2ll_ru(x)) \
    F(double2ll_ru, double, s64, __double2ll_ru(x)) \
    F(ll2float_ru, s64, float, __ll2float_ru(x)) \
    F(ll2double_ru, s64, double, __ll2double_ru(x)) \
    F(float2ull_ru, float, u64, __float2ull_ru(x)) \
    F(double2ull_ru, double, u64, __double2ull_ru(x)) \
    F(ull2float_ru, u64, float, __ull2float_ru(x)) \
    F(ull2double_ru, u64, double, __ull2double_ru(x)) \
    F(frsqrt_rn, float, float, __frsqrt_rn(x)) \
    F(saturatef, float, float, __saturatef(x)) \
    F(fminf, float, float, fminf(x, y)) \
    F(fmaxf, float, float, fmaxf(x, y)) \
    F(half_from_double, double, half, __double2half(x)) \
    F(half_to_float, half, float, __half2float(x)) \
    F(half_to_char_rz, half, int, __half2char_rz(x)) \
    F(half_to_uchar_rz, half, int, __half2uchar_rz(x)) \
    F(half_from_float_rn, float, half, __float2half_rn(x)) \
    F(half_to_short_rn, half, short, __half2short_rn(x)) \
    F(half_from_short_rn, short, half, __short2half_rn(x)) \
    F(half_to_ushort_rn, half, u16, __half2ushort_rn(x)) \
    F(half_from_ushort_rn, u16, half, __ushort2half_rn(x)) \
    F(half_to_int_rn, half, int, __half2int_rn(x)) \
    F(half_from_int_rn, int, half, __int2half_rn(x)) \
    F(half_to_uint_rn, half, u32, __half2uint_rn(x)) \
    F(half_from_uint_rn, u32, half, __uint2half_rn(x)) \
    F(half_to_ll_rn, half, s64, __half2ll_rn(x)) \
    F(half_from_ll_rn, s64, half, __ll2half_rn(x)) \
    F(half_to_ull_rn, half, u64, __half2ull_rn(x)) \
    F(half_from_ull_rn, u64, half, __ull2half_rn(x)) \
    F(half_from_float_rz, float, half, __float2half_rz(x)) \
    F(half_to_short_rz, half, short, __half2short_rz(x)) \
    F(half_from_short_rz, short, half, __short2half_rz(x)) \
    F(half_to_ushort_rz, half, u16, __half2ushort_rz(x)) \
    F(half_from_ushort_rz, u16, half, __ushort2half_rz(x)) \
    F(half_to_int_rz, half, int, __half2int_rz(x)) \
    F(half_from_int_rz, int, half, __int2half_rz(x)) \
    F(half_to_uint_rz, half, u32, __half2uint_rz(x)) \
    F(half_from_uint_rz, u32, half, __uint2half_rz(x)) \
    F(half_to_ll_rz, half, s64, __half2ll_rz(x)) \
    F(half_from_ll_rz, s64, half, __ll2half_rz(x)) \
    F(half_to_ull_rz, half, u64, __half2ull_rz(x)) \
    F(half_from_ull_rz, u64, half, __ull2half_rz(x)) \
    F(half_from_float_rd, float, half, __float2half_rd(x)) \
    F(half_to_short_rd, half, short, __half2short_rd(x)) \
    F(half_from_short_rd, short, half, __short2half_rd(x)) \
    F(half_to_ushort_rd, half, u16, __half2ushort_rd(x)) \
    F(half_from_ushort_rd, u16, half, __ushort2half_rd(x)) \
    F(half_to_int_rd, half, int, __half2int_rd(x)) \
    F(half_from_int_rd, int, half, __int2half_rd(x)) \
    F(half_to_uint_rd, half, u32, __half2uint_rd(x)) \
    F(half_from_uint_rd, u32, half, __uint2half_rd(x)) \
    F(half_to_ll_rd, half, s64, __half2ll_rd(x)) \
    F(half_from_ll_rd, s64, half, __ll2half_rd(x)) \
    F(half_to_ull_rd, half, u64, __half2ull_rd(x)) \
    F(half_from_ull_rd, u64, half, __ull2half_rd(x)) \
    F(half_from_float_ru, float, half, __float2half_ru(x)) \
    F(half_to_short_ru, half, short, __half2short_ru(x)) \
    F(half_from_short_ru, short, half, __short2half_ru(x)) \
    F(half_to_ushort_ru, half, u16, __half2ushort_ru(x)) \
    F(half_from_ushort_ru, u16, half, __ushort2half_ru(x)) \
    F(half_to_int_ru, half, int, __half2int_ru(x)) \
    F(half_from_int_ru, int, half, __int2half_ru(x)) \
    F(half_to_uint_ru, half, u32, __half2uint_ru(x)) \
    F(half_from_uint_ru, u32, half, __uint2half_ru(x)) \
    F(half_to_ll_ru, half, s64, __half2ll_ru(x)) \
    F(half_from_ll_ru, s64, half, __ll2half_ru(x)) \
    F(half_to_ull_ru, half, u64, __half2ull_ru(x)) \
    F(half_from_ull_ru, u64, half, __ull2half_ru(x)) \
    F(half_hadd, half, half, __hadd(x, y)) \
    F(half_hadd_rn, half, half, __hadd_rn(x, y)) \
    F(half_hadd_sat, half, half, __hadd_sat(x, y)) \
    F(half_hsub, half, half, __hsub(x, y)) \
    F(half_hsub_rn, half, half, __hsub_rn(x, y)) \
    F(half_hsub_sat, half, half, __hsub_sat(x, y)) \
    F(half_hmul, half, half, __hmul(x, y)) \
    F(half_hmul_rn, half, half, __hmul_rn(x, y)) \
    F(half_hmul_sat, half, half, __hmul_sat(x, y)) \
    F(half_hdiv, half, half, __hdiv(x, y)) \
    F(half_hmax, half, half, __hmax(x, y)) \
    F(half_hmin, half, half, __hmin(x, y)) \
    F(half_hmax_nan, half, half, __hmax_nan(x, y)) \
    F(half_hmin_nan, half, half, __hmin_nan(x, y)) \
    F(half_hfma, half, half, __hfma(x, y, z)) \
    F(half_hfma_sat, half, half, __hfma_sat(x, y, z)) \
    F(half_hfma_relu, half, half, __hfma_relu(x, y, z)) \
    F(half_hneg, half, half, __hneg(x)) \
    F(half_habs, half, half, __habs(x)) \
    F(half_htrunc, half, half, htrunc(x)) \
    F(half_hceil, half, half, hceil(x)) \
    F(half_hfloor, half, half, hfloor(x)) \
    F(half_hrint, half, half, hrint(x)) \
    F(half_heq, half, int, __heq(x, y)) \
    F(half_hequ, half, int, __hequ(x, y)) \
    F(half_hne, half, int, __hne(x, y)) \
    F(half_hneu, half, int, __hneu(x, y)) \
    F(half_hlt, half, int, __hlt(x, y)) \
    F(half_hltu, half, int, __hltu(x, y)) \
    F(half_hle, half, int, __hle(x, y)) \
    F(half_hleu, half, int, __hleu(x, y)) \
    F(half_hgt, half, int, __hgt(x, y)) \
    F(half_hgtu, half, int, __hgtu(x, y)) \
    F(half_hge, half, int, __hge(x, y)) \
    F(half_hgeu, half, int, __hgeu(x, y)) \
    F(half_hisnan, half, int, __hisnan(x)) \
    F(half_hisinf, half, int, __hisinf(x)) \
    F(half_hadd2, half2, half2, __hadd2(x, y)) \
    F(half_hsub2, half2, half2, __hsub2(x, y)) \
    F(half_hmul2, half2, half2, __hmul2(x, y)) \
    F(half_hadd2_sat, half2, half2, __hadd2_sat(x, y)) \
    F(half_h2div, half2, half2, __h2div(x, y)) \
    F(half_hmax2, half2, half2, __hmax2(x, y)) \
    F(half_hmin2, half2, half2, __hmin2(x, y)) \
    F(half_hmax2_nan, half2, half2, __hmax2_nan(x, y)) \
    F(half_hmin2_nan, half2, half2, __hmin2_nan(x, y)) \
    F(half_hfma2, half2, half2, __hfma2(x, y, z)) \
    F(half_hfma2_relu, half2, half2, __hfma2_relu(x, y, z)) \
    F(half_hcmadd, half2, half2, __hcmadd(x, y, z)) \
    F(half_heq2, half2, half2, __heq2(x, y)) \
    F(half_hltu2, half2, half2, __hltu2(x, y)) \
    F(half_hge2, half2, half2, __hge2(x, y)) \
    F(half_hne2_mask, half2, u32, __hne2_mask(x, y)) \
    F(half_hgtu2_mask, half2, u32, __hgtu2_mask(x, y)) \
    F(half_hle2_mask, half2, u32, __hle2_mask(x, y)) \
    F(half_lowhigh2highlow, half2, half2, __lowhigh2highlow(x)) \
    F(half_operators, half, half, (x + y) - (x > y ? z : x / z)) \
    F(bf16_from_double, double, bf16, __double2bfloat16(x)) \
    F(bf16_to_float, bf16, float, __bfloat162float(x)) \
    F(bf16_to_char_rz, bf16, int, __bfloat162char_rz(x)) \
    F(bf16_to_uchar_rz, bf16, int, __bfloat162uchar_rz(x)) \
    F(bf16_from_float_rn, float, bf16, __float2bfloat16_rn(x)) \
    F(bf16_to_short_rn, bf16, short, __bfloat162short_rn(x)) \
    F(bf16_from_short_rn, short, bf16, __short2bfloat16_rn(x)) \
    F(bf16_to_ushort_rn, bf16, u16, __bfloat162ushort_rn(x)) \
    F(bf16_from_ushort_rn, u16, bf16, __ushort2bfloat16_rn(x)) \
    F(bf16_to_int_rn, bf16, int, __bfloat162int_rn(x)) \
    F(bf16_from_int_rn, int, bf16, __int2bfloat16_rn(x)) \
    F(bf16_to_uint_rn, bf16, u32, __bfloat162uint_rn(x)) \
    F(bf16_from_uint_rn, u32, bf16, __uint2bfloat16_rn(x)) \
    F(bf16_to_ll_rn, bf16, s64, __bfloat162ll_rn(x)) \
    F(bf16_from_ll_rn, s64, bf16, __ll2bfloat16_rn(x)) \
    F(bf16_to_ull_rn, bf16, u64, __bfloat162ull_rn(x)) \
    F(bf16_from_ull_rn, u64, bf16, __ull2bfloat16_rn(x)) \
    F(bf16_from_float_rz, float, bf16, __float2bfloat16_rz(x)) \
    F(bf16_to_short_rz, bf16, short, __bfloat162short_rz(x)) \
    F(bf16_from_short_rz, short, bf16, __short2bfloat16_rz(x)) \
    F(bf16_to_ushort_rz, bf16, u16, __bfloat162ushort_rz(x)) \
    F(bf16_from_ushort_rz, u16, bf16, __ushort2bfloat16_rz(x)) \
    F(bf16_to_int_rz, bf16, int, __bfloat162int_rz(x)) \
    F(bf16_from_int_rz, int, bf16, __int2bfloat16_rz(x)) \
    F(bf16_to_uint_rz, bf16, u32, __bfloat162uint_rz(x)) \
    F(bf16_from_uint_rz, u32, bf16, __uint2bfloat16_rz(x)) \
    F(bf16_to_ll_rz, bf16, s64, __bfloat162ll_rz(x)) \
    F(bf16_from_ll_rz, s64, bf16, __ll2bfloat16_rz(x)) \
    F(bf16_to_ull_rz, bf16, u64, __bfloat162ull_rz(x)) \
    F(bf16_from_ull_rz, u64, bf16, __ull2bfloat16_rz(x)) \
    F(bf16_from_float_rd, float, bf16, __float2bfloat16_rd(x)) \
    F(bf16_to_short_rd, bf16, short, __bfloat162short_rd(x)) \
    F(bf16_from_short_rd, short, bf16, __short2bfloat16_rd(x)) \
    F(bf16_to_ushort_rd, bf16, u16, __bfloat162ushort_rd(x)) \
    F(bf16_from_ushort_rd, u16, bf16, __ushort2bfloat16_rd(x)) \
    F(bf16_to_int_rd, bf16, int, __bfloat162int_rd(x)) \
    F(bf16_from_int_rd, int, bf16, __int2bfloat16_rd(x)) \
    F(bf16_to_uint_rd, bf16, u32, __bfloat162uint_rd(x)) \
    F(bf16_from_uint_rd, u32, bf16, __uint2bfloat16_rd(x)) \
    F(bf16_to_ll_rd, bf16, s64, __bfloat162ll_rd(x)) \
    F(bf16_from_ll_rd, s64, bf16, __ll2bfloat16_rd(x)) \
    F(bf16_to_ull_rd, bf16, u64, __bfloat162ull_rd(x)) \
    F(bf16_from_ull_rd, u64, bf16, __ull2bfloat16_rd(x)) \
    F(bf16_from_float_ru, float, bf16, __float2bfloat16_ru(x)) \
    F(bf16_to_short_ru, bf16, short, __bfloat162short_ru(x)) \
    F(bf16_from_short_ru, short, bf16, __short2bfloat16_ru(x)) \
    F(bf16_to_ushort_ru, bf16, u16, __bfloat162ushort_ru(x)) \
    F(bf16_from_ushort_ru, u16, bf16, __ushort2bfloat16_ru(x)) \
    F(bf16_to_int_ru, bf16, int, __bfloat162int_ru(x)) \
    F(bf16_from_int_ru, int, bf16, __int2bfloat16_ru(x)) \
    F(bf16_to_uint_ru, bf16, u32, __bfloat162uint_ru(x)) \
    F(bf16_from_uint_ru, u32, bf16, __uint2bfloat16_ru(x)) \
    F(bf16_to_ll_ru, bf16, s64, __bfloat162ll_ru(x)) \
    F(bf16_from_ll_ru, s64, bf16, __ll2bfloat16_ru(x)) \
    F(bf16_to_ull_ru, bf16, u64, __bfloat162ull_ru(x)) \
    F(bf16_from_ull_ru, u64, bf16, __ull2bfloat16_ru(x)) \
    F(bf16_hadd, bf16, bf16, __hadd(x, y)) \
    F(bf16_hadd_rn, bf16, bf16, __hadd_rn(x, y)) \
    F(bf16_hadd_sat, bf16, bf16, __hadd_sat(x, y)) \
    F(bf16_hsub, bf16, bf16, __hsub(x, y)) \
    F(bf16_hsub_rn, bf16, bf16, __hsub_rn(x, y)) \
    F(bf16_hsub_sat, bf16, bf16, __hsub_sat(x, y)) \
    F(bf16_hmul, bf16, bf16, __hmul(x, y)) \
    F(bf16_hmul_rn, bf16, bf16, __hmul_rn(x, y)) \
    F(bf16_hmul_sat, bf16, bf16, __hmul_sat(x, y)) \
    F(bf16_hdiv, bf16, bf16, __hdiv(x, y)) \
    F(bf16_hmax, bf16, bf16, __hmax(x, y)) \
    F(bf16_hmin, bf16, bf16, __hmin(x, y)) \
    F(bf16_hmax_nan, bf16, bf16, __hmax_nan(x, y)) \
    F(bf16_hmin_nan, bf16, bf16, __hmin_nan(x, y)) \
    F(bf16_hfma, bf16, bf16, __hfma(x, y, z)) \
    F(bf16_hfma_sat, bf16, bf16, __hfma_sat(x, y, z)) \
    F(bf16_hfma_relu, bf16, bf16, __hfma_relu(x, y, z)) \
    F(bf16_hneg, bf16, bf16, __hneg(x)) \
    F(bf16_habs, bf16, bf16, __habs(x)) \
    F(bf16_htrunc, bf16, bf16, htrunc(x)) \
    F(bf16_hceil, bf16, bf16, hceil(x)) \
    F(bf16_hfloor, bf16, bf16, hfloor(x)) \
    F(bf16_hrint, bf16, bf16, hrint(x)) \
    F(bf16_heq, bf16, int, __heq(x, y)) \
    F(bf16_hequ, bf16, int, __hequ(x, y)) \
    F(bf16_hne, bf16, int, __hne(x, y)) \
    F(bf16_hneu, bf16, int, __hneu(x, y)) \
    F(bf16_hlt, bf16, int, __hlt(x, y)) \
    F(bf16_hltu, bf16, int, __hltu(x, y)) \
    F(bf16_hle, bf16, int, __hle(x, y)) \
    F(bf16_hleu, bf16, int, __hleu(x, y)) \
    F(bf16_hgt, bf16, int, __hgt(x, y)) \
    F(bf16_hgtu, bf16, int, __hgtu(x, y)) \
    F(bf16_hge, bf16, int, __hge(x, y)) \
    F(bf16_hgeu, bf16, int, __hgeu(x, y)) \
    F(bf16_hisnan, bf16, int, __hisnan(x)) \
    F(bf16_hisinf, bf16, int, __hisinf(x)) \
    F(bf16_hadd2, bf162, bf162, __hadd2(x, y)) \
    F(bf16_hsub2, bf162, bf162, __hsub2(x, y)) \
    F(bf16_hmul2, bf162, bf162, __hmul2(x, y)) \
    F(bf16_hadd2_sat, bf162, bf162, __hadd2_sat(x, y)) \
    F(bf16_h2div, bf162, bf162, __h2div(x, y)) \
    F(bf16_hmax2, bf162, bf162, __hmax2(x, y)) \
    F(bf16_hmin2, bf162, bf162, __hmin2(x, y)) \
    F(bf16_hmax2_nan, bf162, bf162, __hmax2_nan(x, y)) \
    F(bf16_hmin2_nan, bf162, bf162, __hmin2_nan(x, y)) \
    F(bf16_hfma2, bf162, bf162, __hfma2(x, y, z)) \
    F(bf16_hfma2_relu, bf162, bf162, __hfma2_relu(x, y, z)) \
    F(bf16_hcmadd, bf162, bf162, __hcmadd(x, y, z)) \
    F(bf16_heq2, bf162, bf162, __heq2(x, y)) \
    F(bf16_hltu2, bf162, bf162, __hltu2(x, y)) \
    F(bf16_hge2, bf162, bf162, __hge2(x, y)) \
    F(bf16_hne2_mask, bf162, u32, __hne2_mask(x, y)) \
    F(bf16_hgtu2_mask, bf162, u32, __hgtu2_mask(x, y)) \
    F(bf16_hle2_mask, bf162, u32, __hle2_mask(x, y)) \
    F(bf16_lowhigh2highlow, bf162, bf162, __lowhigh2highlow(x)) \
    F(bf16_operators, bf16, bf16, (x + y) - (x > y ? z : x / z)) \
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
    F(vabs2, u32, u32, __vabs2(x)) \
    F(vabsss2, u32, u32, __vabsss2(x)) \
    F(vneg2, u32, u32, __vneg2(x)) \
    F(vnegss2, u32, u32, __vnegss2(x)) \
    F(vadd2, u32, u32, __vadd2(x, y)) \
    F(vaddss2, u32, u32, __vaddss2(x, y)) \
    F(vaddus2, u32, u32, __vaddus2(x, y)) \
    F(vsub2, u32, u32, __vsub2(x, y)) \
    F(vsubss2, u32, u32, __vsubss2(x, y)) \
    F(vsubus2, u32, u32, __vsubus2(x, y)) \
    F(vavgs2, u32, u32, __vavgs2(x, y)) \
    F(vavgu2, u32, u32, __vavgu2(x, y)) \
    F(vhaddu2, u32, u32, __vhaddu2(x, y)) \
    F(vabsdiffs2, u32, u32, __vabsdiffs2(x, y)) \
    F(vabsdiffu2, u32, u32, __vabsdiffu2(x, y)) \
    F(vmaxs2, u32, u32, __vmaxs2(x, y)) \
    F(vmaxu2, u32, u32, __vmaxu2(x, y)) \
    F(vmins2, u32, u32, __vmins2(x, y)) \
    F(vminu2, u32, u32, __vminu2(x, y)) \
    F(vsads2, u32, u32, __vsads2(x, y)) \
    F(vsadu2, u32, u32, __vsadu2(x, y)) \
    F(vcmpeq2, u32, u32, __vcmpeq2(x, y)) \
    F(vcmpne2, u32, u32, __vcmpne2(x, y)) \
    F(vcmpges2, u32, u32, __vcmpges2(x, y)) \
    F(vcmpgeu2, u32, u32, __vcmpgeu2(x, y)) \
    F(vcmpgts2, u32, u32, __vcmpgts2(x, y)) \
    F(vcmpgtu2, u32, u32, __vcmpgtu2(x, y)) \
    F(vcmples2, u32, u32, __vcmples2(x, y)) \
    F(vcmpleu2, u32, u32, __vcmpleu2(x, y)) \
    F(vcmplts2, u32, u32, __vcmplts2(x, y)) \
    F(vcmpltu2, u32, u32, __vcmpltu2(x, y)) \
    F(vseteq2, u32, u32, __vseteq2(x, y)) \
    F(vsetne2, u32, u32, __vsetne2(x, y)) \
    F(vsetges2, u32, u32, __vsetges2(x, y)) \
    F(vsetgeu2, u32, u32, __vsetgeu2(x, y)) \
    F(vsetgts2, u32, u32, __vsetgts2(x, y)) \
    F(vsetgtu2, u32, u32, __vsetgtu2(x, y)) \
    F(vsetles2, u32, u32, __vsetles2(x, y)) \
    F(vsetleu2, u32, u32, __vsetleu2(x, y)) \
    F(vsetlts2, u32, u32, __vsetlts2(x, y)) \
    F(vsetltu2, u32, u32, __vsetltu2(x, y)) \
    F(vabs4, u32, u32, __vabs4(x)) \
    F(vabsss4, u32, u32, __vabsss4(x)) \
    F(vneg4, u32, u32, __vneg4(x)) \
    F(vnegss4, u32, u32, __vnegss4(x)) \
    F(vadd4, u32, u32, __vadd4(x, y)) \
    F(vaddss4, u32, u32, __vaddss4(x, y)) \
    F(vaddus4, u32, u32, __vaddus4(x, y)) \
    F(vsub4, u32, u32, __vsub4(x, y)) \
    F(vsubss4, u32, u32, __vsubss4(x, y)) \
    F(vsubus4, u32, u32, __vsubus4(x, y)) \
    F(vavgs4, u32, u32, __vavgs4(x, y)) \
    F(vavgu4, u32, u32, __vavgu4(x, y)) \
    F(vhaddu4, u32, u32, __vhaddu4(x, y)) \
    F(vabsdiffs4, u32, u32, __vabsdiffs4(x, y)) \
    F(vabsdiffu4, u32, u32, __vabsdiffu4(x, y)) \
    F(vmaxs4, u32, u32, __vmaxs4(x, y)) \
    F(vmaxu4, u32, u32, __vmaxu4(x, y)) \
    F(vmins4, u32, u32, __vmins4(x, y)) \
    F(vminu4, u32, u32, __vminu4(x, y)) \
    F(vsads4, u32, u32, __vsads4(x, y)) \
    F(vsadu4, u32, u32, __vsadu4(x, y)) \
    F(vcmpeq4, u32, u32, __vcmpeq4(x, y)) \
    F(vcmpne4, u32, u32, __vcmpne4(x, y)) \
    F(vcmpges4, u32, u32, __vcmpges4(x, y)) \
    F(vcmpgeu4, u32, u32, __vcmpgeu4(x, y)) \
    F(vcmpgts4, u32, u32, __vcmpgts4(x, y)) \
    F(vcmpgtu4, u32, u32, __vcmpgtu4(x, y)) \
    F(vcmples4, u32, u32, __vcmples4(x, y)) \
    F(vcmpleu4, u32, u32, __vcmpleu4(x, y)) \
    F(vcmplts4, u32, u32, __vcmplts4(x, y)) \
    F(vcmpltu4, u32, u32, __vcmpltu4(x, y)) \
    F(vseteq4, u32, u32, __vseteq4(x, y)) \
    F(vsetne4, u32, u32, __vsetne4(x, y)) \
    F(vsetges4, u32, u32, __vsetges4(x, y)) \
    F(vsetgeu4, u32, u32, __vsetgeu4(x, y)) \
    F(vsetgts4, u32, u32, __vsetgts4(x, y)) \
    F(vsetgtu4, u32, u32, __vsetgtu4(x, y)) \
    F(vsetles4, u32, u32, __vsetles4(x, y)) \
    F(vsetleu4, u32, u32, __vsetleu4(x, y)) \
    F(vsetlts4, u32, u32, __vsetlts4(x, y)) \
    F(vsetltu4, u32, u32, __vsetltu4(x, y)) \
    F(vimax3_s32, u32, u32, (u32)__vimax3_s32(x, y, z)) \
    F(vimax3_u32, u32, u32, (u32)__vimax3_u32(x, y, z)) \
    F(vimax3_s32_relu, u32, u32, (u32)__vimax3_s32_relu(x, y, z)) \
    F(vimax_s32_relu, u32, u32, (u32)__vimax_s32_relu(x, y)) \
    F(viaddmax_s32, u32, u32, (u32)__viaddmax_s32(x, y, z)) \
    F(viaddmax_u32, u32, u32, (u32)__viaddmax_u32(x, y, z)) \
    F(viaddmax_s32_relu, u32, u32, (u32)__viaddmax_s32_relu(x, y, z)) \
    F(vimax3_s16x2, u32, u32, (u32)__vimax3_s16x2(x, y, z)) \
    F(vimax3_u16x2, u32, u32, (u32)__vimax3_u16x2(x, y, z)) \
    F(vimax3_s16x2_relu, u32, u32, (u32)__vimax3_s16x2_relu(x, y, z)) \
    F(vimax_s16x2_relu, u32, u32, (u32)__vimax_s16x2_relu(x, y)) \
    F(viaddmax_s16x2, u32, u32, (u32)__viaddmax_s16x2(x, y, z)) \
    F(viaddmax_u16x2, u32, u32, (u32)__viaddmax_u16x2(x, y, z)) \
    F(viaddmax_s16x2_relu, u32, u32, (u32)__viaddmax_s16x2_relu(x, y, z)) \
    F(vimin3_s32, u32, u32, (u32)__vimin3_s32(x, y, z)) \
    F(vimin3_u32, u32, u32, (u32)__vimin3_u32(x, y, z)) \
    F(vimin3_s32_relu, u32, u32, (u32)__vimin3_s32_relu(x, y, z)) \
    F(vimin_s32_relu, u32, u32, (u32)__vimin_s32_relu(x, y)) \
    F(viaddmin_s32, u32, u32, (u32)__viaddmin_s32(x, y, z)) \
    F(viaddmin_u32, u32, u32, (u32)__viaddmin_u32(x, y, z)) \
    F(viaddmin_s32_relu, u32, u32, (u32)__viaddmin_s32_relu(x, y, z)) \
    F(vimin3_s16x2, u32, u32, (u32)__vimin3_s16x2(x, y, z)) \
    F(vimin3_u16x2, u32, u32, (u32)__vimin3_u16x2(x, y, z)) \
    F(vimin3_s16x2_relu, u32, u32, (u32)__vimin3_s16x2_relu(x, y, z)) \
    F(vimin_s16x2_relu, u32, u32, (u32)__vimin_s16x2_relu(x, y)) \
    F(viaddmin_s16x2, u32, u32, (u32)__viaddmin_s16x2(x, y, z)) \
    F(viaddmin_u16x2, u32, u32, (u32)__viaddmin_u16x2(x, y, z)) \
    F(viaddmin_s16x2_relu, u32, u32, (u32)__viaddmin_s16x2_relu(x, y, z))

#define INEXACT(F) \
    F(half_hsqrt, half, half, hsqrt(x)) \
    F(half_hrsqrt, half, half, hrsqrt(x)) \
    F(half_hrcp, half, half, hrcp(x)) \
    F(half_hlog, half, half, hlog(x)) \
    F(half_hlog2, half, half, hlog2(x)) \
    F(half_hlog10, half, half, hlog10(x)) \
    F(half_hexp, half, half, hexp(x)) \
    F(half_hexp2, half, half, hexp2(x)) \
    F(half_hexp10, half, half, hexp10(x)) \
    F(half_hcos, half, half, hcos(x)) \
    F(half_hsin, half, half, hsin(x)) \
    F(half_htanh, half, half, htanh(x)) \
    F(half_htanh_approx, half, half, htanh_approx(x)) \
    F(bf16_hsqrt, bf16, bf16, hsqrt(x)) \
    F(bf16_hrsqrt, bf16, bf16, hrsqrt(x)) \
    F(bf16_hrcp, bf16, bf16, hrcp(x)) \
    F(bf16_hlog, bf16, bf16, hlog(x)) \
    F(bf16_hlog2, bf16, bf16, hlog2(x)) \
    F(bf16_hlog10, bf16, bf16, hlog10(x)) \
    F(bf16_hexp, bf16, bf16, hexp(x)) \
    F(bf16_hexp2, bf16, bf16, hexp2(x)) \
    F(bf16_hexp10, bf16, bf16, hexp10(x)) \
    F(bf16_hcos, bf16, bf16, hcos(x)) \
    F(bf16_hsin, bf16, bf16, hsin(x)) \
    F(bf16_htanh, bf16, bf16, htanh(x)) \
    F(bf16_htanh_approx, bf16, bf16, htanh_approx(x)) \
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
