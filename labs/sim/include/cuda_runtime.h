/* CUDA C++ for g++: what nvcc includes in every .cu file, as far as the simulator supports it.
 * The translator refuses a CUDA name that is in none of these headers. */
#pragma once
#define __CUDA_RUNTIME_H__ /* programs test this one */

#include "sim/host_heap.h" /* before anything that declares calloc() */

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
#include "sim/graph_calls.h"
#include "sim/in_order.h"
#include "sim/kernel_calls.h"
#include "sim/kernels.h"
#include "sim/launch.h"
#include "sim/memory.h"
#include "sim/symbols.h"

#include "sim/atomics.h"
#include "sim/bind.h"
#include "sim/cached_access.h"
#include "sim/device_functions.h"
#include "sim/device_memory.h"
#include "sim/integer.h"
#include "sim/math.h"
#include "sim/math_more.h"
#include "sim/simd.h"
#include "sim/surface.h"
#include "sim/texture.h"
#include "sim/warp.h"

#include "sim/scoped_atomics.h"
#include "vector_functions.h"
}

#endif
