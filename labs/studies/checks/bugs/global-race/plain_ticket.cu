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
    int *d_order = device_zeros<int>(n);
    draw<<<n, 32>>>(d_order);
    CHECK_KERNEL();
    print_sum(d_order, n);
    return finish();
}
