/* An honest file: printf in a kernel. */
#include <cstdio>
#include <cassert>
__global__ void say(int n) {
    assert(n > 0);
    if (threadIdx.x == 0)
        printf("block %d of %d\n", blockIdx.x, gridDim.x);
}
void call(int n) {
    say<<<2, 32>>>(n);
    cudaDeviceSynchronize();
    printf("host: %d\n", n);
}
