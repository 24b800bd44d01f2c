/* An honest file: occupancy. */
#include <cstdio>
__global__ void work(float *data) { data[threadIdx.x] = 1; }
int chosen() {
    int smallest_grid = 0, block = 0, blocks = 0;
    cudaOccupancyMaxPotentialBlockSize(&smallest_grid, &block, work, 0, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, block, 0);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, work);
    printf("%d registers\n", attributes.numRegs);
    return blocks;
}
