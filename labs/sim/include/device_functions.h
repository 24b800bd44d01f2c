/* In the toolkit its functions are __syncthreads() and its kin; here, as there, all are known. */
#include "cuda_runtime.h"
