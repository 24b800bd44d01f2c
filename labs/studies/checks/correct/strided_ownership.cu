// expect: nothing
// Every thread reads back only the elements of the shared array that it wrote itself.
#include "../check.h"

__global__ void two_phases(const int *in, int *out, int n)
{
    __shared__ int s[300];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = in[i] * 2;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] += 1;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[i];
}

int main(void)
{
    const int n = 300;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    two_phases<<<1, 70>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 2 * i + 1) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
