// expect: shared-race
// Every thread sets its own bit, but a bit cannot be stored alone: |= rewrites the word.
#include "../../check.h"

__global__ void pack(const unsigned char *in, unsigned int *out)
{
    __shared__ unsigned int s_word;
    int t = threadIdx.x;
    if (t == 0) s_word = 0;
    __syncthreads();
    if (in[blockIdx.x * 32 + t] > 127)
        s_word |= 1u << t;  // BUG
    __syncthreads();
    if (t == 0) out[blockIdx.x] = s_word;
}

int main(void)
{
    const int n = 128;
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)((i * 37) % 256);
    unsigned char *d_in = device_copy(h_in);
    unsigned int *d_out = device_zeros<unsigned int>(4);
    pack<<<4, 32>>>(d_in, d_out);
    CHECK_KERNEL();
    static unsigned int h_out[4];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
