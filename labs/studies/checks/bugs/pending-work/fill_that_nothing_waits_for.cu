// The last operation of the program is a fill that nothing waits for.
#include "../../check.h"

__device__ int d_flags[64];

int main(void)
{
    void *at = NULL;
    cudaStream_t stream = new_stream();
    CHECK(cudaGetSymbolAddress(&at, d_flags));
    CHECK(cudaMemsetAsync(at, 1, sizeof d_flags, stream));  // BUG
    return finish();
}
