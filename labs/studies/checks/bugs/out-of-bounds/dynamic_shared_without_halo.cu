// The launch asks for one float a thread; the kernel also stores an apron of 2 on either side.
#include "../../check.h"

#define R 2

__global__ void row_sum(const float *in, float *out, int n)
{
    extern __shared__ float s_row[];
    int first = blockIdx.x * blockDim.x - R;
    for (int k = threadIdx.x; k < blockDim.x + 2 * R; k += blockDim.x) {
        int i = first + k;
        s_row[k] = i >= 0 && i < n ? in[i] : 0.0f;  // BUG
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = s_row[threadIdx.x + R];  // BUG
}

int main(void)
{
    const int n = 300;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    row_sum<<<5, 64, 64 * sizeof(float)>>>(d_in, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
