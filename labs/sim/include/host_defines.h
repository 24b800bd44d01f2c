/* The words that mark functions and variables for the device. The translator reads them in a .cu
 * file, after the preprocessor (SIM_TRANSLATES), an editor as clang's attributes (sim/editor.h); in
 * a .cpp or .c file they mean nothing. A program may ask with #ifdef whether they exist. */
#pragma once
#define __HOST_DEFINES_H__

#ifdef SIM_TRANSLATES
#define __global__ __global__
#define __device__ __device__
#define __host__ __host__
#define __shared__ __shared__
#define __constant__ __constant__
#define __managed__ __managed__
#define __forceinline__ __forceinline__
#define __noinline__ __noinline__
#define __cluster_dims__(...) __attribute__((sim_cluster_dims(__VA_ARGS__)))
#define __launch_bounds__ __launch_bounds__
#elif defined(SIM_EDITOR)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__
#define __cluster_dims__(...)
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
/* Nothing, as g++'s own headers write __attribute__((__noinline__)). */
#define __noinline__
#define __cluster_dims__(...)
#define __launch_bounds__(...)
#endif
#define __maxnreg__(...)
#define __grid_constant__
#define __cudart_builtin__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define CUDARTAPI
#define CUDART_CB
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
