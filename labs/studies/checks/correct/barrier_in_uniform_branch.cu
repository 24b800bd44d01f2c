// expect: nothing
// The condition is the same for all threads of a block, though not for all blocks.
#include "../check.h"

__global__ void maybe_reverse(const int *in, const int *mode, int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    s[t] = in[i];
    if (mode[blockIdx.x]) {
        __syncthreads();
        out[i] = s[95 - t];
    } else {
        out[i] = s[t];
    }
}

int main(void)
{
    const int n = 4 * 96;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 96;
    int *d_in = device_copy(h_in);
    static int h_mode[4];
    for (int i = 0; i < 4; i++) h_mode[i] = i % 2;
    int *d_mode = device_copy(h_mode);
    int *d_out = device_zeros<int>(n);
    maybe_reverse<<<4, 96>>>(d_in, d_mode, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != (i / 96 % 2 ? 95 - i % 96 : i % 96)) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_mode));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
