/* bfloat16: floats with a fraction of 7 bits, alone and in pairs. Results have one rounding:
 * sim/float16.h. */
#pragma once

#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "sim/float16.h"

#define SIM_F16 __nv_bfloat16
#define SIM_F16X2 __nv_bfloat162
#define SIM_F16_RAW __nv_bfloat16_raw
#define SIM_F16X2_RAW __nv_bfloat162_raw
#define SIM_F16_OTHER __half
#define SIM_F16_WORD bfloat16
#define SIM_FORMAT sim_bfloat_format
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define SIM_F16_NO_CONVERSIONS
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define SIM_F16_NO_OPERATORS
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define SIM_F16X2_NO_OPERATORS
#endif
#include "sim/float16_functions.h"
#include "sim/float16_names.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#ifndef __CUDA_NO_HALF_CONVERSIONS__
SIM_INLINE_MEMBER __half::__half(const __nv_bfloat16 &value)
    : __x(sim_f16_nearest(sim_half_format{}, sim_widened(sim_bfloat_format{}, sim_bits(value)))) {}
#endif
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
SIM_INLINE_MEMBER __nv_bfloat16::__nv_bfloat16(const __half &value)
    : __x(sim_f16_nearest(sim_bfloat_format{}, sim_widened(sim_half_format{}, sim_bits(value)))) {}
#endif

SIM_INLINED __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) {
    return __halves2bfloat162(x, x);
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
