// The address of a freed buffer comes back for another one; freeing NULL is allowed.
#include "../check.h"

__global__ void fill(int *out, int v)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main(void)
{
    int *nothing = NULL, first[96];
    for (int round = 0; round < 4; round++) {
        int *d_out = NULL;
        CHECK(cudaMalloc((void **)&d_out, 96 * sizeof(int)));
        fill<<<3, 32>>>(d_out, round);
        CHECK(cudaMemcpy(first, d_out, sizeof first, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 96; i++)
            if (first[i] != round) failures++;
        CHECK(cudaFree(d_out));
    }
    CHECK(cudaFree(nothing));
    return failures != 0;
}
