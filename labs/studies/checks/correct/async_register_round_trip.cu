// Memory is registered, copied to and from, waited for, and unregistered.
#include "../kernels.h"

int main(void)
{
    const int n = 1000;
    static int h_data[1000];
    int *d_data = device_array<int>(n);
    cudaStream_t stream = new_stream();
    for (int round = 0; round < 2; round++) {
        CHECK(cudaHostRegister(h_data, sizeof h_data, cudaHostRegisterDefault));
        for (int i = 0; i < n; i++) h_data[i] = i;
        CHECK(cudaMemcpyAsync(d_data, h_data, n * sizeof(int), cudaMemcpyHostToDevice, stream));
        twice<<<4, 256, 0, stream>>>(d_data, n);
        CHECK(cudaMemcpyAsync(h_data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaHostUnregister(h_data));
        for (int i = 0; i < n; i++)
            if (h_data[i] != 2 * i) failures++;
    }
    return finish();
}
