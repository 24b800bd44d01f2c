// expect: misaligned
// Records of 6 bytes packed without padding: the 4-byte counter of every second one is misaligned.
#include "../../check.h"

__global__ void vote(unsigned char *records, int n)
{
    int i = threadIdx.x % n;
    int *counter = (int *)(records + 6 * i);
    atomicAdd(counter, 1);  // BUG
}

int main(void)
{
    const int n = 10, bytes = 6 * n;
    unsigned char *d_records = device_zeros<unsigned char>(bytes);
    vote<<<1, 40>>>(d_records, n);
    CHECK_KERNEL();
    static unsigned char h_records[bytes];
    CHECK(cudaMemcpy(h_records, d_records, sizeof h_records, cudaMemcpyDeviceToHost));
    print_sum(h_records);
    CHECK(cudaFree(d_records));
    return failures != 0;
}
