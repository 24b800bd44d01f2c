// Dynamic shared memory carved in two: the doubles start behind an odd number of floats.
#include "../../check.h"

__global__ void row_sums(const float *in, double *out, int w)
{
    extern __shared__ __align__(16) unsigned char s_bytes[];
    float *s_row = (float *)s_bytes;
    double *s_sum = (double *)(s_row + w);
    int t = threadIdx.x;
    s_row[t] = in[blockIdx.x * w + t];
    __syncthreads();
    if (t == 0) {
        double sum = 0.0;
        for (int x = 0; x < w; x++) sum += s_row[x];
        s_sum[0] = sum;  // BUG
        out[blockIdx.x] = sum;
    }
}

int main(void)
{
    const int w = 45, h = 10, n = w * h;
    float *d_in = DEVICE_ARRAY(float, n, i % 17);
    double *d_out = device_zeros<double>(h);
    row_sums<<<h, w, w * sizeof(float) + sizeof(double)>>>(d_in, d_out, w);
    CHECK_KERNEL();
    print_sum(d_out, h);
    return finish();
}
