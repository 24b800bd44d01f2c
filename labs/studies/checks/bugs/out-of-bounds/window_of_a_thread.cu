// expect: out-of-bounds
// A thread collects the pixels of its window in an array with room for the smaller window.
#include "../../check.h"

template <int ROOM>
__global__ void largest(const float *in, float *out, int n, int radius)
{
    float window[ROOM];
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    if (i >= n) return;
    for (int k = -radius; k <= radius; k++)
        window[count++] = in[min(max(i + k, 0), n - 1)];  // BUG
    float most = window[0];
    for (int k = 1; k < ROOM; k++)
        most = max(most, window[k]);
    out[i] = most;
}

int main(void)
{
    const int n = 100;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(n);
    largest<5><<<2, 64>>>(d_in, d_out, n, 3);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
