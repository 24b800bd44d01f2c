// __syncthreads waits for one block only; block 0 reads what the other blocks may not have written.
#include "../../check.h"

__global__ void mean(const float *in, float *partial, float *out)
{
    int t = threadIdx.x, n = blockDim.x;
    if (t == 0) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) sum += in[blockIdx.x * n + k];
        partial[blockIdx.x] = sum;  // BUG (other side)
    }
    __syncthreads();
    if (blockIdx.x == 0 && t == 0) {
        float all = 0.0f;
        for (int b = 0; b < gridDim.x; b++)
            all += partial[b];  // BUG
        *out = all / (n * gridDim.x);
    }
}

int main(void)
{
    const int blocks = 5, n = blocks * 40;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_partial = device_zeros<float>(blocks);
    float *d_out = device_zeros<float>(1);
    mean<<<blocks, 40>>>(d_in, d_partial, d_out);
    CHECK_KERNEL();
    print_sum(d_out, 1);
    return finish();
}
