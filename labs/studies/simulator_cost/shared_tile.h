/* Source 4's 13x13 correlation of a 200x200 image, image and mask in shared memory. */
#ifndef BENCH_SHARED_TILE_H
#define BENCH_SHARED_TILE_H

enum { RADIUS = 6, SIZE = 2 * RADIUS + 1, SIDE = 200, TILE = 32, APRON = TILE + SIZE - 1 };

/* Each thread fills four cells of its block's tile and computes one pixel. */
__global__ void shared_tile(const float *mask, const float *image, float *out, int w, int h) {
    __shared__ float s_image[APRON * APRON];
    __shared__ float s_mask[SIZE * SIZE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    if (tx < SIZE && ty < SIZE) {
        s_mask[ty * SIZE + tx] = mask[ty * SIZE + tx];
    }
    for (int y = 2 * ty; y < 2 * ty + 2; y++) {
        for (int x = 2 * tx; x < 2 * tx + 2; x++) {
            if (y < APRON && x < APRON) {
                const int column = (int)(blockIdx.x * TILE) + x - RADIUS;
                const int row = (int)(blockIdx.y * TILE) + y - RADIUS;
                const bool inside = column >= 0 && row >= 0 && column < w && row < h;
                s_image[y * APRON + x] = inside ? image[row * w + column] : 0.0f;
            }
        }
    }
    __syncthreads();
    float sum = 0.0f;
    for (int b = 0; b < SIZE; b++) {
        for (int a = 0; a < SIZE; a++) {
            sum += s_mask[b * SIZE + a] *
                   s_image[(ty + SIZE - 1 - b) * APRON + tx + SIZE - 1 - a];
        }
    }
    const int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    if (x < w && y < h) {
        out[y * w + x] = sum;
    }
}

#endif
