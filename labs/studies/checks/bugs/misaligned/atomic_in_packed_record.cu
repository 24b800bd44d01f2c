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
    print_sum(d_records, bytes);
    return finish();
}
