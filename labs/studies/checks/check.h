// What the programs share. CHECK() prints the error of a call and its line, and counts it in
// `failures`.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

static int failures;

static void check(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    failures++;
}
#define CHECK(call) check(call, __LINE__)
// After a launch: its error, and that of the kernel.
#define CHECK_KERNEL() (CHECK(cudaGetLastError()), CHECK(cudaDeviceSynchronize()))

// The array in the device's memory.
template <class T, size_t N> T *device_copy(const T (&array)[N])
{
    T *d_array = NULL;
    CHECK(cudaMalloc((void **)&d_array, sizeof array));
    CHECK(cudaMemcpy(d_array, array, sizeof array, cudaMemcpyHostToDevice));
    return d_array;
}

// So many elements of the device's memory, all 0.
template <class T> T *device_zeros(size_t count)
{
    T *d_array = NULL;
    CHECK(cudaMalloc((void **)&d_array, count * sizeof(T)));
    CHECK(cudaMemset(d_array, 0, count * sizeof(T)));
    return d_array;
}

template <class T, size_t N> void print_sum(const T (&array)[N])
{
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) sum += array[i];
    printf("%g\n", sum);
}
