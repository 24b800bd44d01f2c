// The kernel stores its count through the address of a variable on the host's stack.
#include "../../check.h"

__global__ void count_large(const int *in, int *count, int n)
{
    int c = 0;
    for (int i = 0; i < n; i++) c += in[i] > 8;
    *count = c;  // BUG
}

int main(void)
{
    const int n = 64;
    int count = 0;
    int *d_in = DEVICE_ARRAY(int, n, i % 17);
    count_large<<<1, 1>>>(d_in, &count, n);
    CHECK_KERNEL();
    printf("%d\n", count);
    return finish();
}
