// Two threads update two fields of the same structure.
#include "../check.h"

struct extent {
    short low, high;
};

__global__ void widen(extent *e, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= 2 * n) return;
    if (k % 2) e[k / 2].high += 3;
    else e[k / 2].low -= 3;
}

int main(void)
{
    const int n = 70;
    static extent h_e[n];
    for (int i = 0; i < n; i++) h_e[i].low = h_e[i].high = (short)i;
    extent *d_e = device_copy(h_e);
    widen<<<3, 49>>>(d_e, n);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_e, d_e, sizeof h_e, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_e[i].low != i - 3 || h_e[i].high != i + 3) failures++;
    return finish();
}
