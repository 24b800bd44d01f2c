/* What plain.cu computes, as a loop in C on one core; the same arguments and output. */
#include <stdio.h>
#include <stdlib.h>

#include "now.h"

enum { RADIUS = 6, SIZE = 2 * RADIUS + 1, SIDE = 200, TILE = 32 };

static float image[SIDE * SIDE], mask[SIZE * SIZE], out[SIDE * SIDE];

/* h(x, y) = sum of f(x - a, y - b) g(a, b), f being 0 outside. */
__attribute__((noinline)) static void convolve(void) {
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            float sum = 0.0f;
            for (int b = -RADIUS; b <= RADIUS; b++) {
                for (int a = -RADIUS; a <= RADIUS; a++) {
                    if (x - a >= 0 && x - a < SIDE && y - b >= 0 && y - b < SIDE) {
                        sum += image[(y - b) * SIDE + x - a] *
                               mask[(b + RADIUS) * SIZE + a + RADIUS];
                    }
                }
            }
            out[y * SIDE + x] = sum;
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: native TIMES COLUMNS ROWS\n");
        return 2;
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        image[i] = (float)(i % 17);
    }
    for (int i = 0; i < SIZE * SIZE; i++) {
        mask[i] = (float)(i % 5);
    }
    double least = 1e30;
    for (int i = 0; i < atoi(argv[1]); i++) {
        const double begin = now();
        convolve();
        least = now() - begin < least ? now() - begin : least;
    }
    double sum = 0;
    for (int y = 0; y < SIDE && y < TILE * atoi(argv[3]); y++) {
        for (int x = 0; x < SIDE && x < TILE * atoi(argv[2]); x++) {
            sum += out[y * SIDE + x];
        }
    }
    printf("native %.6f %.0f\n", least, sum);
    return 0;
}
