// Every round creates an event; only the last one is destroyed.
#include "../../kernels.h"

int main(void)
{
    cudaEvent_t done = NULL;
    for (int round = 0; round < 3; round++) {
        CHECK(cudaEventCreate(&done));  // BUG
        fill_table<<<4, 256>>>(round);
        CHECK(cudaEventRecord(done));
        CHECK(cudaEventSynchronize(done));
    }
    CHECK(cudaEventDestroy(done));
    return failures != 0;
}
