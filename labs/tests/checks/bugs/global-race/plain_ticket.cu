// expect: global-race
// Every block draws a ticket by reading and incrementing a plain counter.
#include "../../check.h"

__device__ int next_ticket;

__global__ void draw(int *order)
{
    if (threadIdx.x == 0) {
        int mine = next_ticket;  // BUG
        next_ticket = mine + 1;  // BUG (other side)
        order[blockIdx.x] = mine;
    }
}

int main(void)
{
    const int n = 12;
    int *d_order = NULL;
    CHECK(cudaMalloc((void **)&d_order, n * sizeof(int)));
    CHECK(cudaMemset(d_order, 0, n * sizeof(int)));
    draw<<<n, 32>>>(d_order);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    static int h_order[n];
    CHECK(cudaMemcpy(h_order, d_order, sizeof h_order, cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += h_order[i];
    printf("%g\n", sum);
    CHECK(cudaFree(d_order));
    return failures != 0;
}
