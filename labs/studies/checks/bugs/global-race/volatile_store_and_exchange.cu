// One block exchanges a word, the other stores to it: which value stays?
#include "../../check.h"

__global__ void choose(unsigned int *word)
{
    if (blockIdx.x == 0) {
        atomicExch(word, 1u); // BUG
    } else {
        *(volatile unsigned int *)word = 2u; // BUG (other side)
    }
}

int main(void)
{
    unsigned int *d_word = device_zeros<unsigned int>(1);
    choose<<<2, 1>>>(d_word);
    CHECK_KERNEL();
    return finish();
}
