// Memory of malloc(), calloc() and realloc() is freed, also by another function.
#include "../kernels.h"

#include <cstdlib>

static int *numbers(int n)
{
    int *p = (int *)calloc(n / 2, sizeof(int));
    return (int *)realloc(p, n * sizeof(int));
}

int main(void)
{
    const int n = 1000;
    int *h_data = numbers(n), *d_data = NULL;
    char *name = (char *)malloc(16);
    for (int i = 0; i < n; i++) h_data[i] = i;
    CHECK(cudaMalloc((void **)&d_data, n * sizeof(int)));
    CHECK(cudaMemcpy(d_data, h_data, n * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<4, 256>>>(d_data, n);
    CHECK(cudaMemcpy(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_data[i] != 2 * i) failures++;
    CHECK(cudaFree(d_data));
    free(name);
    free(h_data);
    return failures != 0;
}
