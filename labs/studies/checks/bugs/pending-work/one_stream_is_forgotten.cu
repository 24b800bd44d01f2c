// The program waits for one of its two streams.
#include "../../kernels.h"

int main(void)
{
    cudaStream_t first = new_stream(), second = new_stream();
    fill_table<<<2, 256, 0, first>>>(1);
    CHECK(cudaStreamSynchronize(first));
    fill_table<<<4, 256, 0, second>>>(2);  // BUG
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(first));
    return finish();
}
