// A mask in constant memory, copied in two parts.
#include "../check.h"

__constant__ int c_mask[5];

__global__ void correlate(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = -2; k <= 2; k++)
        if (i + k >= 0 && i + k < n) sum += in[i + k] * c_mask[k + 2];
    out[i] = sum;
}

int main(void)
{
    const int n = 90;
    int mask[5] = {1, 10, 100, 1000, 10000};
    CHECK(cudaMemcpyToSymbol(c_mask, mask, 3 * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(c_mask, mask + 3, 2 * sizeof(int), 3 * sizeof(int)));
    int *d_in = DEVICE_ARRAY(int, n, 1), *d_out = device_zeros<int>(n);
    correlate<<<2, 48>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    if (h_out[0] != 11100 || h_out[5] != 11111 || h_out[n - 1] != 111) failures++;
    return finish();
}
