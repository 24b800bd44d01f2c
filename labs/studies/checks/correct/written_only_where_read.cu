// expect: nothing
// Most of the temporary stays uninitialised; only what was written is read.
#include "../check.h"

__global__ void mark(const int *in, int *tmp, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 5 == 0) tmp[i] = i;
}

__global__ void collect(const int *in, const int *tmp, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] % 5 == 0 ? tmp[i] : -1;
}

int main(void)
{
    const int n = 160;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i;
    int *d_in = device_copy(h_in);
    int *d_tmp = NULL;
    CHECK(cudaMalloc((void **)&d_tmp, n * sizeof(int)));
    int *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, n * sizeof(int)));
    mark<<<2, 80>>>(d_in, d_tmp, n);
    collect<<<2, 80>>>(d_in, d_tmp, d_out, n);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != (i % 5 == 0 ? i : -1)) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_tmp));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
