// One entry of the index table points far outside the image.
#include "../../check.h"

__global__ void gather(const float *image, const int *index, float *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = image[index[i]];  // BUG
}

int main(void)
{
    const int n = 90;
    float *d_image = DEVICE_ARRAY(float, n, i % 17);
    int *d_index = DEVICE_ARRAY(int, n, i == 71 ? 40000 : (7 * i) % n);
    float *d_out = device_zeros<float>(n);
    gather<<<1, 33>>>(d_image, d_index, d_out, n);
    CHECK_KERNEL();
    print_sum(d_out, n);
    return finish();
}
