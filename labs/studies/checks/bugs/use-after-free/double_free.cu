// Two names for one buffer, each of them freed.
#include "../../kernels.h"

int main(void)
{
    const int n = 333;
    float *d_image = NULL;
    CHECK(cudaMalloc((void **)&d_image, n * sizeof(float)));
    CHECK(cudaMemset(d_image, 0, n * sizeof(float)));
    float *d_result = d_image;  // in place
    twice<<<3, 111>>>(d_image, n);
    CHECK_KERNEL();
    print_sum(d_result, n);
    CHECK(cudaFree(d_image));
    CHECK(cudaFree(d_result));  // BUG
    return failures != 0;
}
