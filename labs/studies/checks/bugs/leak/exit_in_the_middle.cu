// exit() ends the program before cudaFree().
#include "../../kernels.h"

#include <cstdlib>

int main(int argc, char **)
{
    int *d_values = NULL;
    CHECK(cudaMalloc((void **)&d_values, 32 * sizeof(int)));  // BUG
    ramp<<<1, 32>>>(d_values);
    CHECK_KERNEL();
    if (argc < 5) exit(failures != 0);
    CHECK(cudaFree(d_values));
    return failures != 0;
}
