// Floats and bytes behind each other in one dynamic buffer, sizes and alignment right.
#include "../check.h"

__global__ void select(const float *in, const unsigned char *keep, float *out, int n)
{
    extern __shared__ float s_buffer[];
    float *s_value = s_buffer;
    unsigned char *s_keep = (unsigned char *)(s_buffer + blockDim.x);
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s_value[t] = i < n ? in[i] : 0.0f;
    s_keep[t] = i < n ? keep[i] : 0;
    __syncthreads();
    int other = blockDim.x - 1 - t;
    if (i < n) out[i] = s_keep[other] ? s_value[other] : -1.0f;
}

int main(void)
{
    const int n = 117;
    float *d_in = DEVICE_ARRAY(float, n, i);
    unsigned char *d_keep = DEVICE_ARRAY(unsigned char, n, i % 2);
    float *d_out = device_zeros<float>(n);
    select<<<3, 39, 39 * (sizeof(float) + 1)>>>(d_in, d_keep, d_out, n);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int other = i / 39 * 39 + 38 - i % 39;
        if (h_out[i] != (other % 2 ? other : -1)) failures++;
    }
    return finish();
}
