// zoo: right
//
// One kernel for both passes of parts A and B: it filters along x and writes the result transposed,
// by way of a tile of 32 x 33. Launched twice, it has filtered both ways, and turned back.
#include "lab.h"

#include <string.h>

enum { R = MASK_MAX_RADIUS, SIDE = 32 };

__constant__ float c_line[2][LINE_MAX_LENGTH];

cudaError_t set_lines(const float *h_column, const float *h_row, int radius) {
    if (radius < 0 || radius > R) {
        return cudaErrorInvalidValue;
    }
    float both[2][LINE_MAX_LENGTH] = {{0}};
    memcpy(both[0] + R - radius, h_row, (2 * radius + 1) * sizeof(float));
    memcpy(both[1] + R - radius, h_column, (2 * radius + 1) * sizeof(float));
    return cudaMemcpyToSymbol(c_line, both, sizeof both);
}

__device__ float px(const float *f, int w, int h, int x, int y, enum border border) {
    const int cx = x < 0 ? 0 : (x < w ? x : w - 1);
    const int cy = y < 0 ? 0 : (y < h ? y : h - 1);
    if (border == BORDER_ZERO && (cx != x || cy != y)) {
        return 0.0f;
    }
    return f[(size_t)cy * w + cx];
}

/* f is w x h; out becomes h x w: out(y, x) of the row-filtered f(x, y). */
__global__ void filter_and_turn(const float *f, int w, int h, int r, int which, enum border border,
                                float *out) {
    __shared__ float in[SIDE][SIDE + 2 * R];
    __shared__ float turned[SIDE][SIDE + 1];
    const int x0 = blockIdx.x * SIDE, y0 = blockIdx.y * SIDE, t = threadIdx.x;
    for (int v = threadIdx.y; v < SIDE; v += blockDim.y) {
        in[v][t] = px(f, w, h, x0 - R + t, y0 + v, border);
        if (t < 2 * R) {
            in[v][t + SIDE] = px(f, w, h, x0 - R + SIDE + t, y0 + v, border);
        }
    }
    __syncthreads();
    for (int v = threadIdx.y; v < SIDE; v += blockDim.y) {
        float sum = 0.0f;
        for (int a = -r; a <= r; a++) {
            sum += in[v][t + R + a] * c_line[which][R + a];
        }
        turned[v][t] = sum;
    }
    __syncthreads();
    for (int u = threadIdx.y; u < SIDE; u += blockDim.y) {
        if (x0 + u < w && y0 + t < h) {
            out[(size_t)(x0 + u) * h + y0 + t] = turned[t][u];
        }
    }
}

cudaError_t filter_coalesced(const float *d_image, int width, int height, int radius,
                             enum border border, float *d_between, float *d_out) {
    const dim3 block(SIDE, 8);
    const unsigned across = (width + SIDE - 1) / SIDE, down = (height + SIDE - 1) / SIDE;
    filter_and_turn<<<dim3(across, down), block>>>(d_image, width, height, radius, 0, border,
                                                   d_between);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        filter_and_turn<<<dim3(down, across), block>>>(d_between, height, width, radius, 1, border,
                                                       d_out);
        error = cudaGetLastError();
    }
    return error;
}

cudaError_t filter_conflict_free(const float *d_image, int width, int height, int radius,
                                 enum border border, float *d_between, float *d_out) {
    return filter_coalesced(d_image, width, height, radius, border, d_between, d_out);
}

/* Part C, one kernel: a warp walks down 96 columns. Its lanes hold a group of four each, with an
 * apron of two at either side; the row sums of the last 17 rows lie in a ring of shared memory, from
 * where each is read once for the eight results of a turn. */
enum { TURN = 8, RING = TURN + 2 * R, INNER = 28 };

__device__ float4 fetch(const float *f, int w, int h, int x, int y, enum border border) {
    const bool all = w % 4 == 0 && x >= 0 && x + 4 <= w && y >= 0 && y < h;
    float4 v;
    if (all) {
        v = *(const float4 *)&f[(size_t)y * w + x];
    } else {
        v = make_float4(px(f, w, h, x, y, border), px(f, w, h, x + 1, y, border),
                        px(f, w, h, x + 2, y, border), px(f, w, h, x + 3, y, border));
    }
    return v;
}

__global__ void walk(const float *f, int w, int h, enum border border, int rows, float *out) {
    __shared__ float4 line[2][32 + 4];
    __shared__ float4 ring[RING][32];
    const int lane = threadIdx.x, x = 4 * ((int)blockIdx.x * INNER + lane - 2);
    const int first = blockIdx.y * rows, end = min(first + rows, h);
    if (lane < 4) { /* read by the outer lanes, whose sums nobody uses */
        line[0][lane < 2 ? lane : 32 + lane] = make_float4(0, 0, 0, 0);
        line[1][lane < 2 ? lane : 32 + lane] = make_float4(0, 0, 0, 0);
    }
    for (int y = first - R; y < end + R + TURN; y++) {
        float4 *mine = line[y & 1];
        mine[lane + 2] = fetch(f, w, h, x, y, border);
        __syncwarp();
        float t[20];
        for (int i = 0; i < 5; i++) {
            const float4 v = mine[lane + i];
            t[4 * i] = v.x;
            t[4 * i + 1] = v.y;
            t[4 * i + 2] = v.z;
            t[4 * i + 3] = v.w;
        }
        float4 sum = make_float4(0, 0, 0, 0);
        for (int a = 0; a < LINE_MAX_LENGTH; a++) {
            sum.x += t[a] * c_line[0][a];
            sum.y += t[a + 1] * c_line[0][a];
            sum.z += t[a + 2] * c_line[0][a];
            sum.w += t[a + 3] * c_line[0][a];
        }
        const int n = y - (first - R);
        ring[n % RING][lane] = sum; /* only this lane reads it */
        if (n < 2 * R + TURN - 1 || (n - 2 * R + 1) % TURN != 0) {
            continue;
        }
        const int top = y - R - TURN + 1; /* eight results are due */
        float4 h8[TURN] = {};
        for (int i = 0; i < RING; i++) {
            const float4 v = ring[(n + 1 + i) % RING][lane];
            for (int k = 0; k < TURN; k++) {
                if (i - k >= 0 && i - k < LINE_MAX_LENGTH) {
                    const float c = c_line[1][i - k];
                    h8[k].x += v.x * c;
                    h8[k].y += v.y * c;
                    h8[k].z += v.z * c;
                    h8[k].w += v.w * c;
                }
            }
        }
        for (int k = 0; k < TURN; k++) {
            if (lane < 2 || lane >= 2 + INNER || x >= w || top + k >= end) {
                continue;
            }
            float *p = out + (size_t)(top + k) * w + x;
            if (w % 4 == 0) {
                *(float4 *)p = h8[k];
            } else {
                const float v[4] = {h8[k].x, h8[k].y, h8[k].z, h8[k].w};
                for (int i = 0; i < 4 && x + i < w; i++) {
                    p[i] = v[i];
                }
            }
        }
    }
}

cudaError_t filter_vectorised(const float *d_image, int width, int height, int radius,
                              enum border border, float *d_between, float *d_out) {
    (void)radius;
    (void)d_between;
    const int rows = 64;
    walk<<<dim3((width + 4 * INNER - 1) / (4 * INNER), (height + rows - 1) / rows), 32>>>(
        d_image, width, height, border, rows, d_out);
    return cudaGetLastError();
}
