// Static and dynamic shared memory fit one by one, but not together.
#include "../../check.h"

__global__ void two_tiles(const float *in, float *out)
{
    __shared__ float first[64][96];
    extern __shared__ float second[];
    int t = threadIdx.x;
    for (int k = 0; k < 64; k++) first[k][t] = in[k * 96 + t];
    for (int k = 0; k < 64; k++) second[k * 96 + t] = first[k][t];
    float sum = 0.0f;
    for (int k = 0; k < 64; k++) sum += second[k * 96 + t];
    out[t] = sum;
}

int main(void)
{
    const int n = 64 * 96;
    float *d_in = DEVICE_ARRAY(float, n, i % 17), *d_out = device_zeros<float>(96);
    two_tiles<<<1, 96, 30000>>>(d_in, d_out);  // BUG
    print_sum(d_out, 96);
    return finish();
}
