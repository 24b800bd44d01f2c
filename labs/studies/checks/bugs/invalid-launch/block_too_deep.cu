// 4 x 2 x 80 threads are few enough, but a block may be only 64 deep.
#include "../../check.h"

__global__ void channels(float *out, int depth)
{
    int c = threadIdx.z;
    if (c < depth) out[(c * 2 + threadIdx.y) * 4 + threadIdx.x] = c;
}

int main(void)
{
    const int depth = 80, n = 8 * depth;
    float *d_out = device_zeros<float>(n);
    channels<<<1, dim3(4, 2, depth)>>>(d_out, depth);  // BUG
    print_sum(d_out, n);
    return finish();
}
