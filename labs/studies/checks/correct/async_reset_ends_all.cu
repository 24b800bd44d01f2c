// cudaDeviceReset() ends the work that is queued, and the streams and events of the program.
#include "../kernels.h"

int main(void)
{
    cudaStream_t stream;
    cudaEvent_t event;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    fill_table<<<4, 256, 0, stream>>>(1);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceReset());
    return failures != 0;
}
