/* cudaProfilerStart() and cudaProfilerStop() are with the functions of the device. */
#include "cuda_runtime_api.h"
