// The second array in the dynamic buffer starts 8 elements before the end of the first.
#include "../../check.h"

__global__ void two_rows(const int *a, const int *b, int *out)
{
    extern __shared__ int s_buffer[];
    int t = threadIdx.x, n = blockDim.x;
    int *s_a = s_buffer, *s_b = s_buffer + n - 8;
    s_a[t] = a[t];  // BUG (other side)
    s_b[t] = b[t] + 100;  // BUG
    __syncthreads();
    out[t] = s_a[n - 1 - t] + s_b[t];
}

int main(void)
{
    const int n = 80;
    int *d_a = DEVICE_ARRAY(int, n, i % 17), *d_b = DEVICE_ARRAY(int, n, i % 17);
    int *d_out = device_zeros<int>(n);
    two_rows<<<1, n, 2 * n * sizeof(int)>>>(d_a, d_b, d_out);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
