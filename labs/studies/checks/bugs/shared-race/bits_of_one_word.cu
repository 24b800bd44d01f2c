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
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, (i * 37) % 256);
    unsigned int *d_out = device_zeros<unsigned int>(4);
    pack<<<4, 32>>>(d_in, d_out);
    CHECK_KERNEL();
    print_sum(d_out, 4);
    return finish();
}
