// The host reads managed memory that a kernel, which it has not waited for, writes.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *managed = NULL;
    CHECK(cudaMallocManaged((void **)&managed, n * sizeof(int)));
    for (int i = 0; i < n; i++) managed[i] = 0;
    fill<<<4, 256>>>(managed, n, 3);  // BUG (other side)
    CHECK(cudaGetLastError());
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (managed[i] != 3 + i) wrong++;  // BUG
    CHECK(cudaDeviceSynchronize());
    failures += wrong;
    CHECK(cudaFree(managed));
    return failures != 0;
}
