// expect: nothing
// A radius larger than the image: every access is guarded, none is made.
#include "../check.h"

__global__ void box(const int *in, int *out, int n, int r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = i - r; k <= i + r; k++)
        if (k >= 0 && k < n) sum += in[k];
    out[i] = sum;
}

int main(void)
{
    const int n = 9;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = 1;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    box<<<2, 7>>>(d_in, d_out, n, 20);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != n) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
