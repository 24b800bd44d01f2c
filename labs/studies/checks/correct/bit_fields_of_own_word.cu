// Bit fields share a word, but every thread has its own word.
#include "../check.h"

struct state {
    unsigned low : 5, middle : 11, high : 16;
};

__global__ void set(state *states)
{
    state *s = &states[blockIdx.x * blockDim.x + threadIdx.x];
    s->low = threadIdx.x % 32;
    s->middle = 2;
    s->high = s->low + s->middle;
}

int main(void)
{
    state *d_states = device_zeros<state>(128);
    set<<<2, 64>>>(d_states);
    CHECK_KERNEL();
    static state h_states[128];
    CHECK(cudaMemcpy(h_states, d_states, sizeof h_states, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        if (h_states[i].high != (unsigned)i % 32 + 2) failures++;
    return finish();
}
