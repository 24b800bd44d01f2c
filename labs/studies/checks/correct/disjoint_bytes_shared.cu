// expect: nothing
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
    static unsigned char h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = (unsigned char)(i);
    unsigned char *d_in = device_copy(h_in);
    unsigned char *d_out = device_zeros<unsigned char>(n);
    reverse_bytes<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    static unsigned char h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != 99 - i) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
