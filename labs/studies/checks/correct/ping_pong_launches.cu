// expect: nothing
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
    static int h_a[n];
    for (int i = 0; i < n; i++) h_a[i] = i;
    int *d_a = device_copy(h_a);
    int *d_b = NULL;
    CHECK(cudaMalloc((void **)&d_b, n * sizeof(int)));
    int *from = d_a, *to = d_b;
    for (int step = 0; step < 5; step++) {
        shift<<<3, 50>>>(from, to, n);
        int *t = from;
        from = to;
        to = t;
    }
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, from, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != (i + 5) % n) failures++;
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    return failures != 0;
}
