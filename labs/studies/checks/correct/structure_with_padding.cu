// Structures with padding bytes are stored and loaded as a whole in shared memory.
#include "../check.h"

struct candidate {
    char kind;  // three bytes of padding follow
    int score;
};

__global__ void swap_ends(const int *in, int *out)
{
    __shared__ candidate s[64];
    int t = threadIdx.x;
    s[t].kind = (char)(t % 4);
    s[t].score = in[t];
    __syncthreads();
    candidate c = s[63 - t];
    out[t] = c.kind * 1000 + c.score;
}

int main(void)
{
    const int n = 64;
    int *d_in = DEVICE_ARRAY(int, n, i), *d_out = device_zeros<int>(n);
    swap_ends<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    EXPECT(d_out, n, (63 - i) % 4 * 1000 + 63 - i);
    return finish();
}
