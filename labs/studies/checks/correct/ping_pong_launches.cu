// What one launch writes the next one reads: launches on a stream follow one another.
#include "../check.h"

__global__ void shift(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(i + 1) % n];
}

int main(void)
{
    const int n = 150;
    int *d_a = DEVICE_ARRAY(int, n, i), *d_b = device_array<int>(n);
    int *from = d_a, *to = d_b;
    for (int step = 0; step < 5; step++) {
        shift<<<3, 50>>>(from, to, n);
        int *t = from;
        from = to;
        to = t;
    }
    CHECK_KERNEL();
    EXPECT(from, n, (i + 5) % n);
    return finish();
}
