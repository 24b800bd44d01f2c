// Two threads write different bit fields of one word: each writes the whole word.
#include "../../check.h"

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
    halves *d_words = device_zeros<halves>(32);
    set<<<1, 64>>>(d_words);
    CHECK_KERNEL();
    return finish();
}
