/* The words that mark functions and variables for the device. Outside of nvcc's own headers they mean
 * nothing to a host compiler. */
#ifndef SIM_HOST_DEFINES_H
#define SIM_HOST_DEFINES_H
#define __HOST_DEFINES_H__

#define __global__
#define __device__
#define __host__
#define __cudart_builtin__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define CUDARTAPI
#define CUDART_CB
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
/* Nothing, as g++'s own headers write __attribute__((__noinline__)). */
#define __noinline__

#endif
