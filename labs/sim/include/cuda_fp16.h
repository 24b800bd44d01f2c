/* half: 16-bit IEEE floats, alone and in pairs. Results have one rounding: sim/float16.h. */
#pragma once

#include "cuda_runtime.h"
#include "sim/float16.h"

#define SIM_F16 __half
#define SIM_F16X2 __half2
#define SIM_F16_RAW __half_raw
#define SIM_F16X2_RAW __half2_raw
#define SIM_F16_OTHER __nv_bfloat16
#define SIM_F16_WORD half
#define SIM_FORMAT sim_half_format
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define SIM_F16_NO_CONVERSIONS
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define SIM_F16_NO_OPERATORS
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define SIM_F16X2_NO_OPERATORS
#endif
#include "sim/float16_functions.h"
#include "sim/float16_names.h"

typedef __half half, nv_half, __nv_half;
typedef __half2 half2, nv_half2, __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

SIM_INLINED __half2 __half2half2(__half x) { return __halves2half2(x, x); }

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
