/* CUDA C++ for g++: what nvcc includes in every .cu file, as far as the simulator supports it.
 * rewrite.py refuses a CUDA name that is in none of these headers. */
#pragma once
#define __CUDA_RUNTIME_H__ /* programs test this one */

#include "sim_host_heap.h" /* before anything that declares calloc() */

#include "cuda_runtime_api.h"

#ifdef __cplusplus

/* nvcc includes these as well: kernels may call printf() and sqrtf() without an #include. */
#include <assert.h>
#include <ctype.h>
#include <initializer_list>
#include <limits.h>
#include <limits>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tuple>
#include <type_traits>
#include <utility>

extern "C++" {
#include "sim_graph_calls.h"
#include "sim_kernel_calls.h"
#include "sim_kernels.h"
#include "sim_launch.h"
#include "sim_memory.h"
#include "sim_symbols.h"

#include "sim_atomics.h"
#include "sim_bind.h"
#include "sim_cached_access.h"
#include "sim_device_functions.h"
#include "sim_device_memory.h"
#include "sim_integer.h"
#include "sim_math.h"
#include "sim_math_more.h"
#include "sim_simd.h"
#include "sim_surface.h"
#include "sim_texture.h"
#include "sim_warp.h"
#include "vector_functions.h"
}

#endif
