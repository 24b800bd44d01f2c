// Every frame allocates, only the last allocation is freed.
#include "../../kernels.h"

int main(void)
{
    int *d_out = NULL;
    for (int k = 0; k < 5; k++) {
        CHECK(cudaMalloc((void **)&d_out, 64 * sizeof(int)));  // BUG
        ramp<<<1, 64>>>(d_out);
        CHECK_KERNEL();
    }
    print_sum(d_out, 64);
    CHECK(cudaFree(d_out));
    return failures != 0;
}
