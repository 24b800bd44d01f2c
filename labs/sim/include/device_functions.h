/* The toolkit declares __syncthreads() and similar functions here; cuda_runtime.h has them. */
#include "cuda_runtime.h"
