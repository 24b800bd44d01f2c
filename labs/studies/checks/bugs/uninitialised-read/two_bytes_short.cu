// cudaMemset() ends two bytes early, so only half of the last word is written.
#include "../../check.h"

__global__ void add_one(int *values)
{
    values[threadIdx.x] += 1;  // BUG
}

int main(void)
{
    int *d_values = device_array<int>(64);
    CHECK(cudaMemset(d_values, 0, 64 * sizeof(int) - 2));
    add_one<<<1, 64>>>(d_values);
    CHECK_KERNEL();
    return finish();
}
