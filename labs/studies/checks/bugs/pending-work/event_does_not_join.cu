// The event was recorded before the last kernel, so waiting for it does not cover that.
#include "../../kernels.h"

int main(void)
{
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    fill_table<<<4, 256>>>(1);
    CHECK(cudaEventRecord(done));
    fill_table<<<4, 256>>>(2);  // BUG
    CHECK(cudaGetLastError());
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaEventDestroy(done));
    return failures != 0;
}
