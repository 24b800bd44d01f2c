// A block waits for all blocks behind it: it polls more words than fit in a row of a few.
#include "../check.h"

__global__ void last_first(volatile int *done, int *out)
{
    bool waits;
    do {
        waits = false;
        for (unsigned b = blockIdx.x + 1; b < gridDim.x; b++) waits |= done[b] == 0;
    } while (waits);
    out[blockIdx.x] = 5;
    __threadfence();
    done[blockIdx.x] = 1;
}

int main(void)
{
    int *d_done = device_zeros<int>(16), *d_out = device_zeros<int>(16);
    last_first<<<16, 1>>>(d_done, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 16, 5);
    return finish();
}
