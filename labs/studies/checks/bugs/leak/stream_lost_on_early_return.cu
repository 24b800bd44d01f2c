// The function returns early and forgets its stream.
#include "../../kernels.h"

static bool work(int rounds)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));  // BUG
    if (rounds == 0) return false;
    for (int r = 0; r < rounds; r++) fill_table<<<4, 256, 0, stream>>>(r);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    return true;
}

int main(void)
{
    if (!work(2) || work(0)) failures++;
    return failures != 0;
}
