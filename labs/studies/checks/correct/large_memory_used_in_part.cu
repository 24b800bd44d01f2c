// A __device__ array of 1 GB and an allocation of 16 GB, of which a few pages are used.
#include "../check.h"

__device__ int table[1 << 28];

__global__ void use_ends(unsigned char *bytes, size_t count, int *sum)
{
    bytes[0] = 1;
    bytes[count - 1] = 2;
    table[(1 << 28) - 1] = bytes[0] + bytes[count - 1];
    *sum = table[(1 << 28) - 1] + table[5];
}

int main(void)
{
    const size_t count = (size_t)16 << 30;
    unsigned char *d_bytes = NULL;
    CHECK(cudaMalloc((void **)&d_bytes, count));
    int *d_sum = NULL, h_sum = 0;
    CHECK(cudaMalloc((void **)&d_sum, sizeof h_sum));
    use_ends<<<1, 1>>>(d_bytes, count, d_sum);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(&h_sum, d_sum, sizeof h_sum, cudaMemcpyDeviceToHost));
    if (h_sum != 3) failures++;
    CHECK(cudaFree(d_bytes));
    CHECK(cudaFree(d_sum));
    return failures != 0;
}
