/* What the unit tests of the CUDA labs share. */
#pragma once

#include "test_suite.h"

#include <cuda_runtime_api.h>

/* Ends the test if a call has failed. */
static inline void must(cudaError_t error, const char *what) {
    ck_assert_msg(error == cudaSuccess, "%s failed: %s", what, cudaGetErrorName(error));
}

/* An array of the device, without a value. */
static inline void *device_array(size_t bytes) {
    void *array;
    must(cudaMalloc(&array, bytes), "cudaMalloc");
    return array;
}
