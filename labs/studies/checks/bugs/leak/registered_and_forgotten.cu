// Memory is registered and never unregistered.
#include "../../check.h"

int main(void)
{
    const int n = 1000;
    static int h_data[1000];
    int *d_data = device_array<int>(n);
    CHECK(cudaHostRegister(h_data, sizeof h_data, cudaHostRegisterDefault));  // BUG
    CHECK(cudaMemcpyAsync(d_data, h_data, n * sizeof(int), cudaMemcpyHostToDevice, 0));
    CHECK(cudaDeviceSynchronize());
    return finish();
}
