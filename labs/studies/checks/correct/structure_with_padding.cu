// expect: nothing
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
    static int h_in[n];
    for (int i = 0; i < n; i++) h_in[i] = i;
    int *d_in = device_copy(h_in);
    int *d_out = device_zeros<int>(n);
    swap_ends<<<1, n>>>(d_in, d_out);
    CHECK_KERNEL();
    static int h_out[n];
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h_out[i] != (63 - i) % 4 * 1000 + 63 - i) failures++;
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures != 0;
}
