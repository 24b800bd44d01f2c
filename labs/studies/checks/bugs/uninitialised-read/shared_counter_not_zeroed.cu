// A counter in shared memory is incremented but never set to zero.
#include "../../check.h"

__global__ void count_bright(const float *in, int *out, int n)
{
    __shared__ int s_count;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 8.0f)
        atomicAdd(&s_count, 1);  // BUG
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&out[blockIdx.x], atomicExch(&s_count, 0));
}

int main(void)
{
    const int n = 300;
    float *d_in = DEVICE_ARRAY(float, n, i % 17);
    int *d_out = device_zeros<int>(3);
    count_bright<<<3, 100>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, 3);
    return finish();
}
