// The array has room for all of the last structure but its last word.
#include "../../check.h"

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
    CHECK_KERNEL();
    CHECK(cudaFree(d_points));
    return failures != 0;
}
