// main() returns, and nothing has waited for the kernel.
#include "../../check.h"

__global__ void hello(void)
{
    printf("hello from thread %d\n", threadIdx.x);
}

int main(void)
{
    hello<<<1, 4>>>();  // BUG
    CHECK(cudaGetLastError());
    return failures != 0;
}
