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
    int *d_in = DEVICE_ARRAY(int, n, i % 17), *d_out = device_zeros<int>(3);
    any_bright<<<3, 96>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 3, 1);
    return finish();
}
