// One warp writes single bytes, another reads them as words, and no barrier is between.
#include "../../check.h"

__global__ void gather(int *out)
{
    __shared__ int s_words[8];
    char *s_bytes = (char *)s_words;
    if (threadIdx.x < 32) s_bytes[threadIdx.x] = (char)threadIdx.x;  // BUG (other side)
    if (threadIdx.x >= 32 && threadIdx.x < 40)
        out[threadIdx.x - 32] = s_words[threadIdx.x - 32];  // BUG
}

int main(void)
{
    int *d_out = device_array<int>(8);
    gather<<<1, 64>>>(d_out);
    CHECK_KERNEL();
    return finish();
}
