// The tile's base pointer lies in front of the image, but no access does.
#include "../check.h"

#define R 3

__global__ void sum7(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int *window = in + i - R;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k <= 2 * R; k++) {
        if (i + k < R || i + k - R >= n) continue;
        sum += window[k];
    }
    out[i] = sum;
}

int main(void)
{
    const int n = 75;
    int *d_in = DEVICE_ARRAY(int, n, 1), *d_out = device_zeros<int>(n);
    sum7<<<3, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    if (h_out[0] != 4 || h_out[30] != 7 || h_out[n - 1] != 4) failures++;
    return finish();
}
