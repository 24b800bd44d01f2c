// expect: note shared-race
// Many threads raise one flag in shared memory: they all store the same value.
#include "../check.h"

__global__ void any_bright(const int *in, int *out)
{
    __shared__ int s_any;
    int t = threadIdx.x;
    if (t == 0) s_any = 0;
    __syncthreads();
    if (in[blockIdx.x * blockDim.x + t] > 12) s_any = 1;
    __syncthreads();
    if (t == 0) out[blockIdx.x] = s_any;
}

int main(void)
{
    const int n = 3 * 96;
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i % 17;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(3);
    any_bright<<<3, 96>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[3];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 3; i++)
        if (h_out[i] != 1) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
