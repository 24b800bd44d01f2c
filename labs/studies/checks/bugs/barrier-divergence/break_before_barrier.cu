// A thread that has found its pixel breaks out of the loop that holds the barrier.
#include "../../check.h"

__global__ void search(const unsigned char *in, int *out, int steps)
{
    __shared__ unsigned char row[96];
    int t = threadIdx.x, found = -1, level = 0;
    for (int k = 0; k < steps; k++) {
        unsigned char v = in[k * 96 + t];
        if (v > 250) {
            found = k;
            break;
        }
        row[t] = v;
        __syncthreads();  // BUG
        level = row[t];
    }
    out[t] = found < 0 ? -level : found;
}

int main(void)
{
    const int steps = 4, n = steps * 96;
    unsigned char *d_in = DEVICE_ARRAY(unsigned char, n, i % 256);
    int *d_out = device_zeros<int>(96);
    search<<<1, 96>>>(d_in, d_out, steps);
    CHECK_KERNEL();
    print_sum(d_out, 96);
    return finish();
}
