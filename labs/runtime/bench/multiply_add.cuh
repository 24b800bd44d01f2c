/* What a device does at most: multiply-adds that wait for nothing. */
#pragma once

enum { CHAINS = 8, STEPS = 4096 };

/* CHAINS * STEPS multiply-adds for each thread, in registers. */
template <typename real>
static __global__ void multiply_add(real factor, real summand, real *d_result) {
    real chain[CHAINS];
    for (int i = 0; i < CHAINS; i++) {
        chain[i] = (real)threadIdx.x + (real)i;
    }
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < CHAINS; i++) {
            chain[i] = fma(chain[i], factor, summand);
        }
    }
    real sum = 0;
    for (int i = 0; i < CHAINS; i++) {
        sum += chain[i];
    }
    if (sum == -1) { /* never true, but the compiler cannot know that */
        *d_result = sum;
    }
}
