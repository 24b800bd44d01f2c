// The two halves share one element: the second begins one too early.
#include "../../kernels.h"

int main(void)
{
    const int n = 1000;
    int *d_in = device_zeros<int>(n), *d_out = device_zeros<int>(n);
    CHECK(cudaDeviceSynchronize());
    cudaStream_t first = new_stream(), second = new_stream();
    const int half = n / 2;
    twice<<<2, 256, 0, first>>>(d_in, half);                  // BUG
    twice<<<2, 256, 0, second>>>(d_in + half - 1, half + 1);  // BUG (other side)
    CHECK_KERNEL();
    return finish();
}
