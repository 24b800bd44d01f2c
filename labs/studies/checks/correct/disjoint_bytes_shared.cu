// Four threads write the four bytes of one word: different bytes, no race.
#include "../check.h"

__global__ void reverse_bytes(const unsigned char *in, unsigned char *out)
{
    __shared__ unsigned char s[100];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[99 - t];
}

int main(void)
{
    const int n = 100;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i);
    unsigned char *d_out = device_zeros<unsigned char>(n);
    reverse_bytes<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, 99 - i);
    return finish();
}
