// cudaFree gets the host's array.
#include "../../kernels.h"
#include <cstdlib>

int main(void)
{
    const int n = 25;
    int *result = (int *)malloc(n * sizeof(int));
    int *d_out = device_zeros<int>(n);
    ramp<<<1, n>>>(d_out);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(result, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d\n", result[n - 1]);
    CHECK(cudaFree(result));  // BUG
    free(result);
    return finish();
}
