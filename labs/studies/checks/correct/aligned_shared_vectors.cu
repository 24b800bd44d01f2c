// Rows of 36 floats are padded and still 16-byte aligned.
#include "../check.h"

__global__ void row_sums(const float *in, float *out)
{
    __shared__ __align__(16) float tile[8][36];
    int t = threadIdx.x;
    for (int y = 0; y < 8; y++) tile[y][t] = in[y * 32 + t];
    __syncthreads();
    if (t < 8) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++) {
            float4 v = *(const float4 *)&tile[t][4 * k];
            sum += v.x + v.y + v.z + v.w;
        }
        out[t] = sum;
    }
}

int main(void)
{
    const int n = 8 * 32;
    float *d_in = DEVICE_ARRAY(float, n, i / 32), *d_out = device_zeros<float>(8);
    row_sums<<<1, 32>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, 8, 32 * i);
    return finish();
}
