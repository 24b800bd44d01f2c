// The address is odd, and the last byte lies outside: the device complains of the first.
#include "../../check.h"

__device__ int counter;

__global__ void spoil(void)
{
    *(int *)((char *)&counter + 1) = 42;  // BUG
}

int main(void)
{
    spoil<<<1, 1>>>();
    CHECK_KERNEL();
    return failures != 0;
}
