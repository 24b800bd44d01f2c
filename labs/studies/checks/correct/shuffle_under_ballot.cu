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
    int *d_in = DEVICE_ARRAY(int, n, 100 + i), *d_out = device_zeros<int>(32);
    first_of_group<<<1, 32>>>(d_in, d_out, n);
    CHECK_KERNEL();
    EXPECT(d_out, 32, (i < n ? 100 + i / 5 * 5 : -1));
    return finish();
}
