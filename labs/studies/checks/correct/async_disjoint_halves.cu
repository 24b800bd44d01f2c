// Two streams work on two halves of one array, in one byte's distance.
#include "../check.h"

__global__ void invert(char *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = (char)~data[i];
}

int main(void)
{
    const int n = 999, part = 333;
    static char h_data[999];
    char *d_data = NULL;
    CHECK(cudaMalloc((void **)&d_data, n));
    CHECK(cudaMemset(d_data, 0, n));
    cudaStream_t first = new_stream(), second = new_stream();
    invert<<<2, 256, 0, first>>>(d_data, part);
    invert<<<3, 256, 0, second>>>(d_data + part, n - part);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_data, d_data, n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_data[i] != -1) failures++;
    CHECK(cudaFree(d_data));
    return finish();
}
