// expect: out-of-bounds
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
    static float h_image[n];
    for (int i = 0; i < n; i++) h_image[i] = (float)(i % 17);
    float *d_image = device_copy(h_image);
    static int h_index[n];
    for (int i = 0; i < n; i++) h_index[i] = i == 71 ? 40000 : (7 * i) % n;
    int *d_index = device_copy(h_index);
    float *d_out = device_zeros<float>(n);
    gather<<<1, 33>>>(d_image, d_index, d_out, n);
    CHECK_KERNEL();
    static float h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    print_sum(h_out);
    CHECK(cudaFree(d_image));
    CHECK(cudaFree(d_index));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
