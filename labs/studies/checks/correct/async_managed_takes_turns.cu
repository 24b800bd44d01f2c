// Host and device take turns on managed memory, with a wait between.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    int *managed = NULL;
    CHECK(cudaMallocManaged((void **)&managed, n * sizeof(int)));
    for (int i = 0; i < n; i++) managed[i] = i;
    for (int round = 0; round < 2; round++) {
        twice<<<4, 256>>>(managed, n);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++) managed[i] += 1;
    }
    for (int i = 0; i < n; i++)
        if (managed[i] != 4 * i + 3) failures++;
    CHECK(cudaFree(managed));
    return failures != 0;
}
