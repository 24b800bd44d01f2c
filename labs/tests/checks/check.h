// CHECK() of the programs: it prints the error of a call and its line, and counts it in `failures`.
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
