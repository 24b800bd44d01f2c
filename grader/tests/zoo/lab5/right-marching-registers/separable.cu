// zoo: right
//
// Every kernel is one warp wide and marches down 32 columns. What the column pass needs lies in
// registers: each row of the image is added to the sums of all results that it belongs to, and the
// oldest sum is finished. Lines are passed as kernel arguments, products with fmaf().
#include "lab.h"

#include <math.h>
#include <string.h>

#define ROWS_PER_BLOCK 48
#define N LINE_MAX_LENGTH

struct line {
    float c[N]; /* centred: a shorter line has zeros at both ends */
};
static struct line column, row;

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    memset(&column, 0, sizeof column);
    memset(&row, 0, sizeof row);
    for (int i = 0; i <= 2 * radius; i++) {
        column.c[MASK_MAX_RADIUS - radius + i] = h_column[i];
        row.c[MASK_MAX_RADIUS - radius + i] = h_row[i];
    }
    return cudaSuccess;
}

__device__ float at(const float *f, int w, int h, int x, int y, enum border border) {
    if (border == BORDER_REPLICATE) {
        x = x < 0 ? 0 : x >= w ? w - 1 : x;
        y = y < 0 ? 0 : y >= h ? h - 1 : y;
    }
    return x < 0 || y < 0 || x >= w || y >= h ? 0.0f : f[(size_t)y * w + x];
}

/* The row pass at (x0 + lane, y), by way of the warp's own stretch of shared memory. */
__device__ float row_sum(const float *f, int w, int h, int x0, int y, enum border border,
                         struct line p, float *s) {
    const int lane = threadIdx.x;
    __syncwarp();
    s[lane] = at(f, w, h, x0 + lane - MASK_MAX_RADIUS, y, border);
    if (lane < 2 * MASK_MAX_RADIUS) {
        s[32 + lane] = at(f, w, h, x0 + lane + 32 - MASK_MAX_RADIUS, y, border);
    }
    __syncwarp();
    float sum = 0.0f;
#pragma unroll
    for (int a = 0; a < N; a++) {
        sum = fmaf(p.c[a], s[lane + a], sum);
    }
    return sum;
}

__global__ void march_rows(const float *f, int w, int h, enum border border, struct line p,
                           float *out) {
    __shared__ float s[32 + 2 * MASK_MAX_RADIUS];
    const int x0 = blockIdx.x * 32, x = x0 + threadIdx.x;
    for (int y = blockIdx.y * ROWS_PER_BLOCK; y < min(h, (blockIdx.y + 1) * ROWS_PER_BLOCK); y++) {
        const float sum = row_sum(f, w, h, x0, y, border, p, s);
        if (x < w) {
            out[(size_t)y * w + x] = sum;
        }
    }
}

/* q is applied down the column; with `both` the row pass by p comes first. */
__global__ void march_down(const float *f, int w, int h, enum border border, struct line p,
                           struct line q, bool both, float *out) {
    __shared__ float s[32 + 2 * MASK_MAX_RADIUS];
    const int x0 = blockIdx.x * 32, x = x0 + threadIdx.x, first = blockIdx.y * ROWS_PER_BLOCK;
    float open[N]; /* open[k]: the sum of the result k rows above the newest */
#pragma unroll
    for (int k = 0; k < N; k++) {
        open[k] = 0.0f;
    }
    for (int y = first - MASK_MAX_RADIUS; y < first + ROWS_PER_BLOCK + MASK_MAX_RADIUS; y++) {
        const float t =
            both ? row_sum(f, w, h, x0, y, border, p, s) : at(f, w, h, x, y, border);
#pragma unroll
        for (int k = N - 1; k > 0; k--) {
            open[k] = fmaf(q.c[k], t, open[k - 1]);
        }
        open[0] = q.c[0] * t;
        const int done = y - MASK_MAX_RADIUS; /* has got all of its N rows */
        if (done >= first && done < min(h, first + ROWS_PER_BLOCK) && x < w) {
            out[(size_t)done * w + x] = open[N - 1];
        }
    }
}

static dim3 grid(int w, int h) {
    return dim3((w + 31) / 32, (h + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
}

cudaError_t correlate_rows(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    (void)radius;
    march_rows<<<grid(width, height), 32>>>(d_image, width, height, border, row, d_out);
    return cudaGetLastError();
}

cudaError_t correlate_columns(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_out) {
    (void)radius;
    march_down<<<grid(width, height), 32>>>(d_image, width, height, border, row, column, false,
                                            d_out);
    return cudaGetLastError();
}

enum separation separate(const float *h_mask, int radius, float *h_column, float *h_row,
                         struct contradiction *why) {
    const int n = 2 * radius + 1;
    const float *g = h_mask;
    int first = 0; /* any coefficient that is not 0 will do */
    while (first < n * n && g[first] == 0.0f) {
        first++;
    }
    memset(h_column, 0, n * sizeof(float));
    memset(h_row, 0, n * sizeof(float));
    if (first == n * n) {
        return SEPARABLE;
    }
    const int p = first % n, q = first / n;
    for (int b = 0; b < n; b++) {
        for (int a = 0; a < n; a++) {
            const double one = (double)g[b * n + a] * g[first];
            const double other = (double)g[b * n + p] * g[q * n + a];
            if (!(fabs(one - other) <= SEPARABLE_TOLERANCE * fabs(one))) {
                why->a = a - radius, why->b = b - radius;
                why->p = p - radius, why->q = q - radius;
                return NOT_SEPARABLE;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        h_column[i] = g[i * n + p];
        h_row[i] = g[q * n + i] / g[first];
    }
    return SEPARABLE;
}

cudaError_t correlate_separable(const float *d_image, int width, int height, int radius,
                                enum border border, float *d_between, float *d_out) {
    const cudaError_t error =
        correlate_rows(d_image, width, height, radius, border, d_between);
    if (error) {
        return error;
    }
    return correlate_columns(d_between, width, height, radius, border, d_out);
}

cudaError_t correlate_fused(const float *d_image, int width, int height, int radius,
                            enum border border, float *d_out) {
    (void)radius;
    march_down<<<grid(width, height), 32>>>(d_image, width, height, border, row, column, true,
                                            d_out);
    return cudaGetLastError();
}
