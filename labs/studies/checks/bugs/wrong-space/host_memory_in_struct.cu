// The structure goes to the device, but the array it points to stays on the host.
#include "../../check.h"
#include <cstdlib>

struct mask {
    int side;
    float *weight;
};

__global__ void total(mask m, float *out)
{
    float sum = 0.0f;
    for (int k = 0; k < m.side * m.side; k++)
        sum += m.weight[k];  // BUG
    *out = sum;
}

int main(void)
{
    mask m = {3, (float *)malloc(9 * sizeof(float))};
    for (int k = 0; k < 9; k++) m.weight[k] = 1.0f / 9;
    float *d_out = NULL;
    CHECK(cudaMalloc((void **)&d_out, 1 * sizeof(float)));
    CHECK(cudaMemset(d_out, 0, 1 * sizeof(float)));
    total<<<1, 1>>>(m, d_out);
    CHECK_KERNEL();
    print_sum(d_out, 1);
    CHECK(cudaFree(d_out));
    free(m.weight);
    return failures != 0;
}
