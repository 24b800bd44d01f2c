// expect: out-of-bounds
// The array has room for all of the last structure but its last word.
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

struct point {
    int x, y, z;
};

__global__ void set(point *points)
{
    points[threadIdx.x] = {1, 2, 3};  // BUG
}

int main(void)
{
    point *d_points = NULL;
    CHECK(cudaMalloc((void **)&d_points, 32 * sizeof(point) - sizeof(int)));
    set<<<1, 32>>>(d_points);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_points));
    return failures != 0;
}
