// expect: nothing
// The ballot before the branch says who will come to the shuffle inside it.
#include "../check.h"

__global__ void first_of_group(const int *in, int *out, int n)
{
    int lane = threadIdx.x;
    unsigned int mask = __ballot_sync(0xffffffffu, lane < n);
    int v = -1;
    if (lane < n) {
        v = in[lane];
        v = __shfl_sync(mask, v, lane / 5 * 5);
    }
    out[lane] = v;
}

int main(void)
{
    const int n = 20;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = 100 + i;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(32);
    first_of_group<<<1, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
    static int h_out[32];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        if (h_out[i] != (i < n ? 100 + i / 5 * 5 : -1)) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
