// The first block to come makes the table; the others wait until it is there.
#include "../check.h"

__device__ int state; // 0: nothing, 1: in work, 2: there

__global__ void use(int *table, int *out)
{
    int seen = atomicCAS(&state, 0, 1);
    if (seen == 0) {
        for (int i = 0; i < 16; i++) table[i] = 5;
        __threadfence();
        atomicExch(&state, 2);
    } else {
        while (atomicAdd(&state, 0) != 2) { }
        __threadfence();
    }
    out[blockIdx.x] = table[blockIdx.x];
}

int main(void)
{
    int *d_table = device_array<int>(16), *d_out = device_zeros<int>(16);
    use<<<16, 1>>>(d_table, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 16, 5);
    return finish();
}
