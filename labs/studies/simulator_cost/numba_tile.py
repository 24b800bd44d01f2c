"""Source 004's kernel on Numba's CUDA simulator: a 13x13 correlation through shared memory.

    NUMBA_ENABLE_CUDASIM=1 python numba_tile.py COLUMNS ROWS

Runs COLUMNS x ROWS blocks of 32x32 threads on a 200x200 image and prints the processor time of the
launch, in seconds, and the sum of the pixels. Pixel i of the image is i % 17, coefficient i of the
mask is i % 5.
"""

import sys
import time

import numpy as np
from numba import cuda, float32

SIZE = 13
RADIUS = SIZE // 2
TILE = 32
APRON = TILE + SIZE - 1
SIDE = 200


@cuda.jit
def shared_tile(mask, image, out):  # type: ignore[no-untyped-def]
    s_image = cuda.shared.array(APRON * APRON, float32)
    s_mask = cuda.shared.array(SIZE * SIZE, float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if tx < SIZE and ty < SIZE:
        s_mask[ty * SIZE + tx] = mask[ty, tx]
    for y in (2 * ty, 2 * ty + 1):
        for x in (2 * tx, 2 * tx + 1):
            if y < APRON and x < APRON:
                column = cuda.blockIdx.x * TILE + x - RADIUS
                row = cuda.blockIdx.y * TILE + y - RADIUS
                if column >= 0 and row >= 0 and column < SIDE and row < SIDE:
                    s_image[y * APRON + x] = image[row, column]
                else:
                    s_image[y * APRON + x] = float32(0)
    cuda.syncthreads()
    total = float32(0)
    for b in range(SIZE):
        for a in range(SIZE):
            total += s_mask[b * SIZE + a] * s_image[(ty + SIZE - 1 - b) * APRON + tx + SIZE - 1 - a]
    x = cuda.blockIdx.x * TILE + tx
    y = cuda.blockIdx.y * TILE + ty
    if x < SIDE and y < SIDE:
        out[y, x] = total


def main() -> None:
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    image = (np.arange(SIDE * SIDE) % 17).astype(np.float32).reshape(SIDE, SIDE)
    mask = (np.arange(SIZE * SIZE) % 5).astype(np.float32).reshape(SIZE, SIZE)
    out = np.zeros_like(image)
    begin = time.process_time()
    shared_tile[(columns, rows), (TILE, TILE)](mask, image, out)
    print(f"numba {time.process_time() - begin:.6f} {out.sum(dtype=np.float64):.0f}")


if __name__ == "__main__":
    main()
