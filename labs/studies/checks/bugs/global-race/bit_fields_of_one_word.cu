// expect: global-race
// Two threads write different bit fields of one word: each writes the whole word.
#include <cstdio>
#include <cuda_runtime.h>

static int failures;

static void check(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    failures++;
}
#define CHECK(call) check(call, __LINE__)

struct halves {
    unsigned low : 12, high : 20;
};

__global__ void set(halves *words)
{
    if (threadIdx.x % 2 == 0)
        words[threadIdx.x / 2].low = 1;  // BUG
    else
        words[threadIdx.x / 2].high = 2;  // BUG (other side)
}

int main(void)
{
    halves *d_words = NULL;
    CHECK(cudaMalloc((void **)&d_words, 32 * sizeof(halves)));
    CHECK(cudaMemset(d_words, 0, 32 * sizeof(halves)));
    set<<<1, 64>>>(d_words);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(d_words));
    return failures != 0;
}
