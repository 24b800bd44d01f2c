// A structure of two floats may start at any word; only float2 needs a multiple of 8.
#include "../check.h"

struct pair {
    float x, y;
};

__global__ void swap(pair *pairs)
{
    pair p = pairs[threadIdx.x];
    pairs[threadIdx.x] = {p.y, p.x};
}

int main(void)
{
    static float h_words[65];
    for (int i = 0; i < 65; i++) h_words[i] = (float)i;
    float *d_words = device_copy(h_words);
    swap<<<1, 32>>>((pair *)(d_words + 1));
    CHECK_KERNEL();
    CHECK(cudaMemcpy(h_words, d_words, sizeof h_words, cudaMemcpyDeviceToHost));
    for (int i = 1; i < 65; i++)
        if (h_words[i] != (i % 2 ? i + 1 : i - 1)) failures++;
    return finish();
}
