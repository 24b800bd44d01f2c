/* What a plain run costs: source 4's kernel on the simulator. Arguments: how often, and the columns
 * and rows of blocks whose pixels are summed. Prints the least processor time of a launch in
 * seconds, and the sum. */
#include <stdio.h>
#include <stdlib.h>

#include "now.h"
#include "shared_tile.h"

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: plain TIMES COLUMNS ROWS\n");
        return 2;
    }
    static float h_image[SIDE * SIDE], h_mask[SIZE * SIZE];
    float *image, *mask, *out;
    if (cudaMalloc((void **)&image, sizeof h_image) != cudaSuccess ||
        cudaMalloc((void **)&mask, sizeof h_mask) != cudaSuccess ||
        cudaMalloc((void **)&out, sizeof h_image) != cudaSuccess) {
        return 1;
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        h_image[i] = (float)(i % 17);
    }
    for (int i = 0; i < SIZE * SIZE; i++) {
        h_mask[i] = (float)(i % 5);
    }
    cudaMemcpy(image, h_image, sizeof h_image, cudaMemcpyHostToDevice);
    cudaMemcpy(mask, h_mask, sizeof h_mask, cudaMemcpyHostToDevice);
    const dim3 grid((SIDE + TILE - 1) / TILE, (SIDE + TILE - 1) / TILE), block(TILE, TILE);
    double least = 1e30;
    for (int i = 0; i < atoi(argv[1]); i++) {
        const double begin = now();
        shared_tile<<<grid, block>>>(mask, image, out, SIDE, SIDE);
        cudaDeviceSynchronize();
        least = now() - begin < least ? now() - begin : least;
    }
    cudaMemcpy(h_image, out, sizeof h_image, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int y = 0; y < SIDE && y < TILE * atoi(argv[3]); y++) {
        for (int x = 0; x < SIDE && x < TILE * atoi(argv[2]); x++) {
            sum += h_image[y * SIDE + x];
        }
    }
    printf("plain %.6f %.0f\n", least, sum);
    cudaFree(image);
    cudaFree(mask);
    cudaFree(out);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
