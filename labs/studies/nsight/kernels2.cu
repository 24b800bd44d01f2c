// kernels2.cu - 44 more student-style kernels, each launched exactly once.
// Second ground truth for memory counters: loops left early, divergent branches, vector types,
// shared-memory idioms, warp intrinsics, odd blocks and pitches.  kernels.cu is the first.
// Build: nvcc -O3 -arch=native -lineinfo kernels2.cu -o kernels2
// Prints one line per kernel after all have run: name, then the sum of its outputs.  Pixels and
// masks are small multiples of powers of two, so that every sum is exact, fused or not.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned char byte;

// ==== control flow ===========================================================================

// Distance to the first bright pixel on the right, at most 20: a loop left by break.
__global__ void k_search_break(const byte *img, int *dist, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        int d;
        for (d = 0; d < 20; d++) {
            if (x + d >= w) break;
            if (img[y * w + x + d] > 230) break;
        }
        dist[y * w + x] = d;
    }
}

// First of eight neighbours that is darker: the thread returns from inside the loop.
__global__ void k_return_in_loop(const byte *img, const int *dx, const int *dy, int *out, int w,
                                 int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1) return;
    int v = img[y * w + x];
    for (int k = 0; k < 8; k++) {
        if (img[(y + dy[k]) * w + x + dx[k]] + 90 < v) {
            out[y * w + x] = k + 1;
            return;
        }
    }
    out[y * w + x] = 9;
}

// Three guards, each of which stores and leaves before the loop starts.
__global__ void k_guards_then_loop(const float *in, const byte *roi, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x >= w) return;
    int p = y * w + x;
    if (roi[p] == 0) {
        out[p] = 0.0f;
        return;
    }
    if (x < 3 || x >= w - 3) {
        out[p] = in[p];
        return;
    }
    float s = 0.0f;
    for (int i = -3; i <= 3; i++) s += in[p + i];
    out[p] = s * 0.125f;
}

// Connected components: follow the parents up to the root.
__global__ void k_while_root(const int *parent, int *root, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int p = i;
    while (parent[p] != p) p = parent[p];
    root[i] = p;
}

// Every pixel class takes its own path, two and three levels deep.
__global__ void k_nested_ifs(const byte *cls, const float *a, const float *b, float *out, int w,
                             int h)
{
    int x = blockIdx.x * 7 + threadIdx.x, y = blockIdx.y * 9 + threadIdx.y;
    if (x >= w || y >= h) return;
    int p = y * w + x;
    float v = 1.0f;
    if (cls[p] & 1) {
        v = a[p];
        if (cls[p] & 2) {
            v += b[p];
            if (x > 0 && (cls[p] & 4)) v += b[p - 1];
        } else {
            v -= a[(h - 1 - y) * w + x];
        }
    } else if (cls[p] & 2) {
        if (y + 1 < h) v = b[p + w];
    }
    out[p] = v;
}

// Non-maximum suppression: a switch over the gradient's direction.
__global__ void k_switch_direction(const float *mag, const byte *dir, float *out, int w, int h)
{
    int i = blockIdx.x * 100 + threadIdx.x;
    if (i >= w * h) return;
    int x = i % w, y = i / w;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        out[i] = 0.0f;
        return;
    }
    float p = 0.0f, q = 0.0f;
    switch (dir[i]) {
    case 0: p = mag[i - 1]; q = mag[i + 1]; break;
    case 1: p = mag[i - w - 1]; q = mag[i + w + 1]; break;
    case 2: p = mag[i - w]; q = mag[i + w]; break;
    case 3: p = mag[i - w + 1]; q = mag[i + w - 1]; break;
    case 4: p = mag[i]; break;
    default: break;
    }
    float m = mag[i];
    out[i] = m >= p && m >= q ? m : 0.0f;
}

// Mirrored border by ternaries only.
__global__ void k_ternary_mirror(const float *in, const float *mask, float *out, int w, int h)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= w || y >= h) return;
    float s = 0.0f;
    for (int j = -2; j <= 2; j++) {
        int yy = y + j < 0 ? -(y + j) : y + j >= h ? 2 * h - 2 - (y + j) : y + j;
        for (int i = -2; i <= 2; i++) {
            int xx = x + i < 0 ? -(x + i) : x + i >= w ? 2 * w - 2 - (x + i) : x + i;
            s += in[yy * w + xx] * mask[(2 - j) * 5 + 2 - i];
        }
    }
    out[y * w + x] = s;
}

// Normalised convolution with a validity map: continue in the inner of two loops.
__global__ void k_continue_inner(const float *in, const byte *valid, float *out, int *count, int w,
                                 int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0.0f;
    int n = 0;
    for (int yy = y - 2; yy <= y + 2; yy++) {
        for (int xx = x - 2; xx <= x + 2; xx++) {
            if (xx < 0 || yy < 0 || xx >= w || yy >= h) continue;
            if (!valid[yy * w + xx]) continue;
            s += in[yy * w + xx];
            n++;
        }
    }
    out[y * w + x] = s;
    count[y * w + x] = n;
}

// Local maxima: four loads, each behind the && of the one before.
__global__ void k_short_circuit(const float *in, byte *peak, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int p = y * w + x;
    float v = in[p];
    bool top = (x == 0 || in[p - 1] < v) && (x == w - 1 || in[p + 1] < v) &&
               (y == 0 || in[p - w] < v) && (y == h - 1 || in[p + w] < v);
    peak[p] = top ? 1 : 0;
}

// Grow a cross until it holds enough light.
__global__ void k_do_while_grow(const byte *img, int *radius, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int r = 0, light = img[y * w + x];
    do {
        r++;
        if (x >= r) light += img[y * w + x - r];
        if (x + r < w) light += img[y * w + x + r];
        if (y >= r) light += img[(y - r) * w + x];
        if (y + r < h) light += img[(y + r) * w + x];
    } while (light < 1500 && r < 12);
    radius[y * w + x] = r;
}

// A device function that is really called, with loads and an early return of its own.
__device__ __noinline__ float fetch_or(const float *img, int x, int y, int w, int h, float other)
{
    if (x < 0 || y < 0 || x >= w || y >= h) return other;
    return img[y * w + x];
}

__global__ void k_noinline_fetch(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 33 + threadIdx.x, y = blockIdx.y * 3 + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 4.0f * fetch_or(in, x, y, w, h, 0.0f);
    s -= fetch_or(in, x - 1, y, w, h, 0.5f);
    s -= fetch_or(in, x + 1, y, w, h, 0.5f);
    s -= fetch_or(in, x, y - 1, w, h, 0.25f);
    s -= fetch_or(in, x, y + 1, w, h, 0.25f);
    out[y * w + x] = s;
}

// ==== loops and templates ====================================================================

// Interior unrolled by the template, border pixels copied.
template <int R>
__global__ void k_template_interior(const float *__restrict__ in, float *__restrict__ out, int w,
                                    int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = in[y * w + x];
    if (x >= R && x < w - R && y >= R && y < h - R) {
        s = 0.0f;
#pragma unroll
        for (int j = -R; j <= R; j++)
#pragma unroll
            for (int i = -R; i <= R; i++)
                if (abs(i) + abs(j) <= R) s += in[(y + j) * w + x + i];  // a diamond
    }
    out[y * w + x] = s;
}

// 1-D signal, length of the mask known at run time only, unrolled by four.
__global__ void k_unroll4_signal(const float *in, const float *mask, float *out, int n, int len)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - len + 1;
         i += gridDim.x * blockDim.x) {
        float s = 0.0f;
#pragma unroll 4
        for (int k = 0; k < len; k++) s += in[i + k] * mask[k];
        out[i] = s;
    }
}

// Look-up table in global memory, grid-stride loop, 7 blocks of 100.
__global__ void k_lut_grid_stride(const byte *img, const float *lut, float *out, int n)
{
    int step = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        out[i] = lut[img[i]];
        i += step;
    }
}

// Separable column pass: a thread walks down its column with five pixels in registers.
__global__ void k_column_window(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    float a = in[x], b = a, c = a, d = in[w + x], e = in[2 * w + x];
    for (int y = 0; y < h; y++) {
        out[y * w + x] = 0.0625f * (a + e) + 0.25f * (b + d) + 0.375f * c;
        a = b;
        b = c;
        c = d;
        d = e;
        if (y + 3 < h) e = in[(y + 3) * w + x];
    }
}

// Separable row pass: every thread makes four neighbouring pixels from one window.
__global__ void k_row_window4(const float *in, float *out, int w, int h)
{
    int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= h || x >= w) return;
    float v[6];
    for (int i = 0; i < 6; i++) {
        int xx = x + i - 1;
        v[i] = xx >= 0 && xx < w ? in[y * w + xx] : 0.0f;
    }
    for (int i = 0; i < 4; i++)
        if (x + i < w) out[y * w + x + i] = 0.25f * v[i] + 0.5f * v[i + 1] + 0.25f * v[i + 2];
}

// Box blur with running sums, one thread per row: as uncoalesced as it gets.
__global__ void k_box_running(const byte *img, int *out, int w, int h, int r)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h) return;
    const byte *row = img + y * w;
    int s = 0;
    for (int x = 0; x < r && x < w; x++) s += row[x];
    for (int x = 0; x < w; x++) {
        if (x + r < w) s += row[x + r];
        if (x - r - 1 >= 0) s -= row[x - r - 1];
        out[y * w + x] = s;
    }
}

// ==== shared memory ==========================================================================

// Tile with apron in a block of 9x7, clamped, loaded by two strided loops.
#define AP_R 4
__global__ void k_apron_9x7(const float *in, float *out, int w, int h)
{
    __shared__ float tile[7 + 2 * AP_R][9 + 2 * AP_R];
    for (int j = threadIdx.y; j < 7 + 2 * AP_R; j += 7) {
        int yy = min(max((int)blockIdx.y * 7 + j - AP_R, 0), h - 1);
        for (int i = threadIdx.x; i < 9 + 2 * AP_R; i += 9) {
            int xx = min(max((int)blockIdx.x * 9 + i - AP_R, 0), w - 1);
            tile[j][i] = in[yy * w + xx];
        }
    }
    __syncthreads();
    int x = blockIdx.x * 9 + threadIdx.x, y = blockIdx.y * 7 + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0.0f;
    for (int k = -AP_R; k <= AP_R; k++) s += tile[threadIdx.y + AP_R + k][threadIdx.x + AP_R + k];
    out[y * w + x] = s;
}

// Image tile and mask behind each other in one dynamic buffer, block 13x11.
__global__ void k_two_in_one_buffer(const float *in, const float *mask, float *out, int w, int h,
                                    int r)
{
    extern __shared__ float s_buffer[];
    int tw = blockDim.x + 2 * r, th = blockDim.y + 2 * r, side = 2 * r + 1;
    float *s_mask = s_buffer;
    float *s_tile = s_buffer + side * side;
    int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int k = tid; k < side * side; k += threads) s_mask[k] = mask[k];
    for (int k = tid; k < tw * th; k += threads) {
        int x = (int)(blockIdx.x * blockDim.x) + k % tw - r;
        int y = (int)(blockIdx.y * blockDim.y) + k / tw - r;
        s_tile[k] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : 0.0f;
    }
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        float s = 0.0f;
        for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
                s += s_tile[(threadIdx.y + j) * tw + threadIdx.x + i] * s_mask[j * side + i];
        out[y * w + x] = s;
    }
}

// One block per row; the next tile is loaded while this one is worked on.
#define DB_T 96
#define DB_R 4
__device__ void load_row_tile(float *tile, const float *row, int x0, int w)
{
    for (int i = threadIdx.x; i < DB_T + 2 * DB_R; i += DB_T) {
        int x = x0 + i - DB_R;
        tile[i] = x >= 0 && x < w ? row[x] : 0.0f;
    }
}

__global__ void k_double_buffer(const float *in, const float *mask, float *out, int w)
{
    __shared__ float buffer[2][DB_T + 2 * DB_R];
    const float *row = in + blockIdx.x * w;
    int tiles = (w + DB_T - 1) / DB_T;
    load_row_tile(buffer[0], row, 0, w);
    __syncthreads();
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) load_row_tile(buffer[(t + 1) % 2], row, (t + 1) * DB_T, w);
        const float *tile = buffer[t % 2];
        float s = 0.0f;
        for (int k = 0; k <= 2 * DB_R; k++) s += tile[threadIdx.x + k] * mask[k];
        int x = t * DB_T + threadIdx.x;
        if (x < w) out[blockIdx.x * w + x] = s;
        __syncthreads();
    }
}

// Transpose, 32x32 tile without padding: 32-way conflicts on the read.
__global__ void k_transpose_plain(const float *in, float *out, int w, int h)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < w && y + k < h) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < h && y + k < w) out[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
}

// The same of doubles, tile of 24 padded to 25, block 24x6.
__global__ void k_transpose_padded(const double *in, double *out, int w, int h)
{
    __shared__ double tile[24][25];
    int x = blockIdx.x * 24 + threadIdx.x, y0 = blockIdx.y * 24;
    for (int k = threadIdx.y; k < 24; k += blockDim.y)
        if (x < w && y0 + k < h) tile[k][threadIdx.x] = in[(y0 + k) * w + x];
    __syncthreads();
    x = y0 + threadIdx.x;
    y0 = blockIdx.x * 24;
    for (int k = threadIdx.y; k < 24; k += blockDim.y)
        if (x < h && y0 + k < w) out[(y0 + k) * h + x] = tile[threadIdx.x][k];
}

// 1x1 convolution as a matrix product: 32x32 tile, 8x8 threads, 4x4 pixels each in registers.
__global__ void k_register_tile(const float *a, const float *b, float *c, int m, int n, int depth)
{
    __shared__ float4 s_a[8][8], s_b[8][8];  // [k][four rows], [k][four columns]
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 8 + tx;
    int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < depth; k0 += 8) {
        for (int e = tid; e < 8 * 32; e += 64) {
            int k = k0 + e % 8, row = row0 + e / 8;
            ((float *)s_a[e % 8])[e / 8] = row < m && k < depth ? a[row * depth + k] : 0.0f;
            int kb = k0 + e / 32, col = col0 + e % 32;
            ((float *)s_b[e / 32])[e % 32] = col < n && kb < depth ? b[kb * n + col] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float4 p = s_a[k][ty], q = s_b[k][tx];
            float u[4] = {p.x, p.y, p.z, p.w}, v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int i = 0; i < 4; i++) acc[j][i] += u[j] * v[i];
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (row0 + 4 * ty + j < m && col0 + 4 * tx + i < n)
                c[(row0 + 4 * ty + j) * n + col0 + 4 * tx + i] = acc[j][i];
}

// Histogram of 48 bins per block in shared memory; each block stores its own.
__global__ void k_hist_per_block(const byte *img, int *hist, int n)
{
    __shared__ int bins[48];
    if (threadIdx.x < 48) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[img[i] * 48 / 256], 1);
    __syncthreads();
    if (threadIdx.x < 48) hist[blockIdx.x * 48 + threadIdx.x] = bins[threadIdx.x];
}

// Tree reduction, neighbours first: the stride doubles and so do the conflicts.
__global__ void k_reduce_interleaved(const float *in, float *sums, int n)
{
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int k = 2 * d * threadIdx.x;
        if (k + d < 256) s[k] += s[k + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}

// Tree reduction of a maximum, halves first, 200 threads (no power of two).
__global__ void k_reduce_halves(const int *in, int *maxima, int n)
{
    __shared__ int s[200];
    int t = threadIdx.x, best = -1;
    for (int i = blockIdx.x * 200 + t; i < n; i += gridDim.x * 200) best = max(best, in[i]);
    s[t] = best;
    __syncthreads();
    for (int live = 200; live > 1;) {
        int half = (live + 1) / 2;
        if (t + half < live) s[t] = max(s[t], s[t + half]);
        __syncthreads();
        live = half;
    }
    if (t == 0) maxima[blockIdx.x] = s[0];
}

// Prefix sums of the rows (an integral image's first pass), Hillis and Steele, two buffers.
__global__ void k_prefix_rows(const int *in, int *out, int w)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, now = 0;
    s[0][t] = t < w ? in[blockIdx.x * w + t] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        s[1 - now][t] = t >= d ? s[now][t] + s[now][t - d] : s[now][t];
        now = 1 - now;
        __syncthreads();
    }
    if (t < w) out[blockIdx.x * w + t] = s[now][t];
}

// ==== warp intrinsics ========================================================================

// Sums of 16 pixels by xor shuffles; blocks of 48, so that every second warp is half empty.
__global__ void k_shuffle_groups(const float *in, float *sums, int groups)
{
    int i = blockIdx.x * 48 + threadIdx.x;
    unsigned int mask = threadIdx.x < 32 ? 0xffffffffu : 0x0000ffffu;
    float v = i < 16 * groups ? in[i] : 0.0f;
    for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d, 16);
    if (threadIdx.x % 16 == 0 && i < 16 * groups) sums[i / 16] = v;
}

// Threshold to one bit a pixel: the ballot is the word.
__global__ void k_ballot_pack(const byte *img, unsigned int *bits, int w, int words)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y;
    unsigned int word = __ballot_sync(0xffffffffu, x < w && img[y * w + x] > 127);
    if (threadIdx.x % 32 == 0 && x / 32 < words) bits[y * words + x / 32] = word;
}

// Warps without foreground skip the work together.
__global__ void k_any_skip(const byte *front, const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 5 + threadIdx.y;
    bool mine = x < w && y < h && front[y * w + x] == 0;
    if (!__any_sync(0xffffffffu, mine)) return;
    if (mine) {
        float s = in[y * w + x];
        if (x > 0) s += in[y * w + x - 1];
        if (y > 0) s += in[y * w - w + x];
        out[y * w + x] = s;
    }
}

// Erosion of a bit-packed image: three words and shifts.
__global__ void k_bits_erode(const unsigned int *bits, unsigned int *out, int words, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (i >= words) return;
    unsigned int eroded = 0xffffffffu;
    for (int j = max(y - 1, 0); j <= min(y + 1, h - 1); j++) {
        unsigned int v = bits[j * words + i];
        unsigned int left = i > 0 ? bits[j * words + i - 1] >> 31 : 0u;
        unsigned int right = i + 1 < words ? bits[j * words + i + 1] << 31 : 0u;
        eroded &= v & (v << 1 | left) & (v >> 1 | right);
    }
    out[y * words + i] = eroded;
}

// ==== constant memory ========================================================================

struct filter {
    int side;
    float weight[25];
};
__constant__ filter c_filter;     // k_const_uniform
__constant__ float c_curve[256];  // k_const_divergent

__global__ void k_const_uniform(const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * 48 + threadIdx.x, y = blockIdx.y;
    int r = c_filter.side / 2;
    if (x >= w) return;
    float s = 0.0f;
    for (int j = max(-r, -y); j <= min(r, h - 1 - y); j++)
        for (int i = max(-r, -x); i <= min(r, w - 1 - x); i++)
            s += in[(y + j) * w + x + i] * c_filter.weight[(j + r) * c_filter.side + i + r];
    out[y * w + x] = s;
}

__global__ void k_const_divergent(const byte *img, float *out, int n)
{
    int i = blockIdx.x * 65 + threadIdx.x;
    if (i < n) out[i] = c_curve[img[i]];
}

// ==== data types and layouts =================================================================

// Complex spectrum times complex mask, float2 in global and shared memory.
__global__ void k_float2_spectrum(const float2 *f, const float2 *g, float2 *out, int w)
{
    extern __shared__ float2 s_line[];
    int y = blockIdx.x;
    for (int x = threadIdx.x; x < w; x += blockDim.x) s_line[x] = f[y * w + x];
    __syncthreads();
    for (int x = threadIdx.x; x < w; x += blockDim.x) {
        float2 p = s_line[w - 1 - x], q = g[x];
        out[y * w + x] = make_float2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
    }
}

// RGBA pixels as uchar4, 3x3 blur from a shared tile of 18x8.
__global__ void k_uchar4_blur(const uchar4 *in, uchar4 *out, int w, int h)
{
    __shared__ uchar4 tile[8][18];
    int x = blockIdx.x * 16 + threadIdx.x - 1, y = blockIdx.y * 6 + threadIdx.y - 1;
    tile[threadIdx.y][threadIdx.x] =
        in[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
    __syncthreads();
    if (threadIdx.x == 0 || threadIdx.x == 17 || threadIdx.y == 0 || threadIdx.y == 7) return;
    if (x >= w || y >= h) return;
    int r = 0, g = 0, b = 0;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            uchar4 p = tile[threadIdx.y + j][threadIdx.x + i];
            r += p.x;
            g += p.y;
            b += p.z;
        }
    }
    out[y * w + x] = make_uchar4(r / 9, g / 9, b / 9, 255);
}

// float4 pixels, four rows a thread, and a float4 in shared memory that the whole block reads.
__global__ void k_float4_bias(const float4 *in, const float4 *bias, float4 *out, int w, int h)
{
    __shared__ float4 s_bias[3];
    if (threadIdx.x < 3) s_bias[threadIdx.x] = bias[threadIdx.x];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    for (int y = 4 * blockIdx.y; y < min(4 * (int)blockIdx.y + 4, h); y++) {
        float4 p = in[y * w + x], q = s_bias[x % 3];
        out[y * w + x] = make_float4(p.x + q.x, p.y - q.y, p.z + q.z, p.w * q.w);
    }
}

// double2 samples, mirrored inside the block through shared memory.
__global__ void k_double2_mirror(const double2 *in, double2 *out, int n)
{
    __shared__ double2 s[65];
    int i = blockIdx.x * 65 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : make_double2(0.0, 0.0);
    __syncthreads();
    double2 a = s[threadIdx.x], b = s[64 - threadIdx.x];
    if (i < n) out[i] = make_double2(a.x + b.y, a.y - b.x);
}

// Rows of 203 floats that start one float into the buffer: every sector boundary is off.
__global__ void k_odd_pitch(const float *in, float *out, int pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int p = 1 + y * pitch + x;
    out[p] = in[p - pitch] + in[p + pitch] + in[p - 1] + in[p + 1] - 4.0f * in[p];
}

// Array of structures: float3 in, one float out.
__global__ void k_float3_gray(const float3 *rgb, float *gray, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float3 p = rgb[i];
    gray[i] = 0.25f * p.x + 0.5f * p.y + 0.25f * p.z;
}

// Structure of arrays: the same arithmetic from three planes.
struct planes {
    const float *r, *g, *b;
};
__global__ void k_planes_gray(planes in, float *gray, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    gray[i] = 0.25f * in.r[i] + 0.5f * in.g[i] + 0.25f * in.b[i];
}

// A structure of 12 bytes of which two fields are read and one is written.
struct keypoint {
    short x, y;
    float score;
    int label;
};
__global__ void k_struct12_label(const float *img, keypoint *points, int n, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = points[i].x, y = points[i].y;
    points[i].label = img[y * w + x] > 0.5f ? 1 : 2;
}

// 16-bit image, 1x7 sum.
__global__ void k_ushort_row(const unsigned short *in, unsigned short *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned int s = 0;
    for (int i = max(x - 3, 0); i <= min(x + 3, w - 1); i++) s += in[y * w + i];
    out[y * w + x] = (unsigned short)(s / 7);
}

// Median of 3x3 by compare and swap.
__device__ void order(byte &a, byte &b)
{
    if (a > b) {
        byte t = a;
        a = b;
        b = t;
    }
}

__global__ void k_median3x3(const byte *in, byte *out, int w, int h)
{
    int x = blockIdx.x * 30 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    byte v[9];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int xx = min(max(x + k % 3 - 1, 0), w - 1), yy = min(max(y + k / 3 - 1, 0), h - 1);
        v[k] = in[yy * w + xx];
    }
#pragma unroll
    for (int i = 0; i < 5; i++)  // the five smallest, in order: the last is the median
#pragma unroll
        for (int k = 8; k > i; k--) order(v[k - 1], v[k]);
    out[y * w + x] = v[4];
}

// Bilinear resize by 5/8.
__global__ void k_bilinear(const float *in, float *out, int w, int h, int ow, int oh)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    float fx = 0.625f * x, fy = 0.625f * y;
    int x0 = (int)fx, y0 = (int)fy;
    int x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1);
    float u = fx - x0, v = fy - y0;
    out[y * ow + x] = (1 - v) * ((1 - u) * in[y0 * w + x0] + u * in[y0 * w + x1]) +
                      v * ((1 - u) * in[y1 * w + x0] + u * in[y1 * w + x1]);
}

// ==== host ===================================================================================

#include "host.h"

int main(void)
{
    const int W = 131, H = 83, N = W * H;    // most images
    const int V = 203, U = 59, M = V * U;    // wide ones
    byte *img = to_device(noise<byte>(N, 256, 1)), *wide_img = to_device(noise<byte>(M, 256, 1));
    byte *cls = to_device(noise<byte>(N, 8, 1)), *dir = to_device(noise<byte>(N, 6, 1));
    byte *sparse = to_device(noise<byte>(N, 60, 1));
    float *pic = to_device(noise<float>(N, 64, 1.0f / 64));
    float *pic2 = to_device(noise<float>(N, 64, 1.0f / 64));
    float *wide = to_device(noise<float>(M + 2, 64, 1.0f / 64));
    float *mask = to_device(noise<float>(49, 16, 1.0f / 32));
    int *ints = to_device(noise<int>(N, 1000, 1));

    std::vector<int> parents(N);
    for (int i = 0; i < N; i++) parents[i] = i == 0 || next_random() % 5 == 0 ? i : i - 1;
    int *parent = to_device(parents);
    int *dx = to_device(std::vector<int>{-1, 0, 1, -1, 1, -1, 0, 1});
    int *dy = to_device(std::vector<int>{-1, -1, -1, 0, 0, 1, 1, 1});

    int *o_break = zeros<int>(N), *o_return = zeros<int>(N), *o_root = zeros<int>(N);
    float *o_guards = zeros<float>(N), *o_nested = zeros<float>(N), *o_switch = zeros<float>(N);
    float *o_mirror = zeros<float>(N), *o_continue = zeros<float>(N), *o_fetch = zeros<float>(N);
    int *o_count = zeros<int>(N), *o_grow = zeros<int>(N);
    byte *o_peak = zeros<byte>(N);

    RUN(k_search_break<<<blocks(W, H, 33, 3), dim3(33, 3)>>>(img, o_break, W, H));
    RUN(k_return_in_loop<<<blocks(W - 2, H - 2, 20, 5), dim3(20, 5)>>>(
        img, dx, dy, o_return, W, H));
    RUN(k_guards_then_loop<<<blocks(W, H, 48, 1), 48>>>(pic, cls, o_guards, W, H));
    RUN(k_while_root<<<(N + 64) / 65, 65>>>(parent, o_root, N));
    RUN(k_nested_ifs<<<blocks(W, H, 7, 9), dim3(7, 9)>>>(cls, pic, pic2, o_nested, W, H));
    RUN(k_switch_direction<<<(N + 99) / 100, 100>>>(pic, dir, o_switch, W, H));
    RUN(k_ternary_mirror<<<blocks(W, H, 16, 5), dim3(16, 5)>>>(pic, mask, o_mirror, W, H));
    RUN(k_continue_inner<<<blocks(W, H, 24, 6), dim3(24, 6)>>>(
        pic, cls, o_continue, o_count, W, H));
    RUN(k_short_circuit<<<blocks(W, H, 33, 4), dim3(33, 4)>>>(pic, o_peak, W, H));
    RUN(k_do_while_grow<<<blocks(W, H, 11, 11), dim3(11, 11)>>>(img, o_grow, W, H));
    RUN(k_noinline_fetch<<<blocks(W, H, 33, 3), dim3(33, 3)>>>(pic, o_fetch, W, H));

    float *o_diamond = zeros<float>(N), *o_signal = zeros<float>(M), *o_lut = zeros<float>(N);
    float *o_column = zeros<float>(M), *o_row4 = zeros<float>(N);
    int *o_box = zeros<int>(N);
    float *lut = to_device(noise<float>(256, 256, 1.0f / 16));

    RUN(k_template_interior<3><<<blocks(W, H, 32, 3), dim3(32, 3)>>>(pic, o_diamond, W, H));
    RUN(k_unroll4_signal<<<5, 160>>>(wide, mask, o_signal, M, 23));
    RUN(k_lut_grid_stride<<<7, 100>>>(img, lut, o_lut, N));
    RUN(k_column_window<<<(V + 99) / 100, 100>>>(wide, o_column, V, U));
    RUN(k_row_window4<<<blocks((W + 3) / 4, H, 12, 5), dim3(12, 5)>>>(pic, o_row4, W, H));
    RUN(k_box_running<<<(H + 31) / 32, 32>>>(img, o_box, W, H, 6));

    float *o_apron = zeros<float>(N), *o_two = zeros<float>(N), *o_double = zeros<float>(M);
    float *o_plain = zeros<float>(M);
    std::vector<double> doubles = noise<double>(N, 512, 0.25);
    double *dpic = to_device(doubles), *o_padded = zeros<double>(N);
    const int OUT = 30, DEEP = 20, PIX = 333;
    float *left = to_device(noise<float>(OUT * DEEP, 16, 0.125f));
    float *right = to_device(noise<float>(DEEP * PIX, 16, 0.125f));
    float *o_tile = zeros<float>(OUT * PIX);
    int *o_hist = zeros<int>(6 * 48), *o_halves = zeros<int>(5), *o_prefix = zeros<int>(100 * 100);
    const int RB = (N + 255) / 256;
    float *o_inter = zeros<float>(RB);

    RUN(k_apron_9x7<<<blocks(W, H, 9, 7), dim3(9, 7)>>>(pic, o_apron, W, H));
    int bytes = ((13 + 6) * (11 + 6) + 7 * 7) * (int)sizeof(float);
    RUN(k_two_in_one_buffer<<<blocks(W, H, 13, 11), dim3(13, 11), bytes>>>(
        pic, mask, o_two, W, H, 3));
    RUN(k_double_buffer<<<U, DB_T>>>(wide, mask, o_double, V));
    RUN(k_transpose_plain<<<blocks(V, U, 32, 32), dim3(32, 8)>>>(wide, o_plain, V, U));
    RUN(k_transpose_padded<<<blocks(W, H, 24, 24), dim3(24, 6)>>>(dpic, o_padded, W, H));
    RUN(k_register_tile<<<blocks(PIX, OUT, 32, 32), dim3(8, 8)>>>(
        left, right, o_tile, OUT, PIX, DEEP));
    RUN(k_hist_per_block<<<6, 100>>>(img, o_hist, N));
    RUN(k_reduce_interleaved<<<RB, 256>>>(pic, o_inter, N));
    RUN(k_reduce_halves<<<5, 200>>>(ints, o_halves, N));
    RUN(k_prefix_rows<<<100, 128>>>(ints, o_prefix, 100));

    const int GROUPS = 611, WORDS = (W + 31) / 32;
    float *o_groups = zeros<float>(GROUPS), *o_any = zeros<float>(N);
    unsigned int *bits = zeros<unsigned int>(WORDS * H), *o_eroded = zeros<unsigned int>(WORDS * H);

    RUN(k_shuffle_groups<<<(16 * GROUPS + 47) / 48, 48>>>(pic, o_groups, GROUPS));
    RUN(k_ballot_pack<<<blocks(W, H, 64, 1), 64>>>(img, bits, W, WORDS));
    RUN(k_any_skip<<<blocks(W, H, 32, 5), dim3(32, 5)>>>(sparse, pic, o_any, W, H));
    RUN(k_bits_erode<<<dim3(1, H), WORDS>>>(bits, o_eroded, WORDS, H));

    filter f = {5, {}};
    std::vector<float> weights = noise<float>(25, 16, 1.0f / 32);
    for (int k = 0; k < 25; k++) f.weight[k] = weights[k];
    std::vector<float> curve = noise<float>(256, 256, 1.0f / 16);
    MUST(cudaMemcpyToSymbol(c_filter, &f, sizeof f));
    MUST(cudaMemcpyToSymbol(c_curve, curve.data(), sizeof c_curve));
    float *o_uniform = zeros<float>(N), *o_curve = zeros<float>(M);

    RUN(k_const_uniform<<<blocks(W, H, 48, 1), 48>>>(pic, o_uniform, W, H));
    RUN(k_const_divergent<<<(M + 64) / 65, 65>>>(wide_img, o_curve, M));

    const int FW = 90, FH = 40;
    float2 *spec = (float2 *)pic, *spec2 = (float2 *)pic2, *o_spec = (float2 *)zeros<float>(N);
    uchar4 *o_rgba = (uchar4 *)zeros<byte>(4 * FW * 26);
    float4 *o_bias = (float4 *)zeros<float>(4 * 61 * 37);
    double2 *o_dmirror = (double2 *)zeros<double>(2 * 1000);
    float *o_pitch = zeros<float>(M + 2);
    float *o_gray3 = zeros<float>(3600), *o_gray = zeros<float>(3600);
    std::vector<keypoint> keys(700);
    for (keypoint &k : keys)
        k = {(short)(next_random() % W), (short)(next_random() % H), 0.5f, 0};
    keypoint *points = to_device(keys);
    std::vector<unsigned short> shorts = noise<unsigned short>(N, 60000, 1);
    unsigned short *spic = to_device(shorts), *o_short = zeros<unsigned short>(N);
    byte *o_median = zeros<byte>(N);
    const int OW = 205, OH = 131;
    float *o_resize = zeros<float>(OW * OH);

    RUN(k_float2_spectrum<<<FH, 48, FW * sizeof(float2)>>>(spec, spec2, o_spec, FW));
    RUN(k_uchar4_blur<<<blocks(FW, 26, 16, 6), dim3(18, 8)>>>((uchar4 *)img, o_rgba, FW, 26));
    RUN(k_float4_bias<<<blocks(61, 37, 33, 4), 33>>>(
        (float4 *)pic, (float4 *)mask, o_bias, 61, 37));
    RUN(k_double2_mirror<<<(1000 + 64) / 65, 65>>>((double2 *)dpic, o_dmirror, 1000));
    RUN(k_odd_pitch<<<blocks(V, U, 32, 4), dim3(32, 4)>>>(wide, o_pitch, V, V, U));
    RUN(k_float3_gray<<<(3600 + 95) / 96, 96>>>((float3 *)pic, o_gray3, 3600));
    planes soa = {pic, pic + 3600, pic + 7200};
    RUN(k_planes_gray<<<(3600 + 95) / 96, 96>>>(soa, o_gray, 3600));
    RUN(k_struct12_label<<<(700 + 127) / 128, 128>>>(pic, points, 700, W));
    RUN(k_ushort_row<<<blocks(W, H, 40, 3), dim3(40, 3)>>>(spic, o_short, W, H));
    RUN(k_median3x3<<<blocks(W, H, 30, 4), dim3(30, 4)>>>(img, o_median, W, H));
    RUN(k_bilinear<<<blocks(OW, OH, 19, 7), dim3(19, 7)>>>(pic, o_resize, W, H, OW, OH));

    MUST(cudaMemcpy(keys.data(), points, 700 * sizeof(keypoint), cudaMemcpyDeviceToHost));
    double labels = 0.0;
    for (const keypoint &k : keys) labels += k.label;

    printf("k_search_break %.17g\n", sum(o_break, N));
    printf("k_return_in_loop %.17g\n", sum(o_return, N));
    printf("k_guards_then_loop %.17g\n", sum(o_guards, N));
    printf("k_while_root %.17g\n", sum(o_root, N));
    printf("k_nested_ifs %.17g\n", sum(o_nested, N));
    printf("k_switch_direction %.17g\n", sum(o_switch, N));
    printf("k_ternary_mirror %.17g\n", sum(o_mirror, N));
    printf("k_continue_inner %.17g\n", sum(o_continue, N) + sum(o_count, N));
    printf("k_short_circuit %.17g\n", sum(o_peak, N));
    printf("k_do_while_grow %.17g\n", sum(o_grow, N));
    printf("k_noinline_fetch %.17g\n", sum(o_fetch, N));
    printf("k_template_interior %.17g\n", sum(o_diamond, N));
    printf("k_unroll4_signal %.17g\n", sum(o_signal, M));
    printf("k_lut_grid_stride %.17g\n", sum(o_lut, N));
    printf("k_column_window %.17g\n", sum(o_column, M));
    printf("k_row_window4 %.17g\n", sum(o_row4, N));
    printf("k_box_running %.17g\n", sum(o_box, N));
    printf("k_apron_9x7 %.17g\n", sum(o_apron, N));
    printf("k_two_in_one_buffer %.17g\n", sum(o_two, N));
    printf("k_double_buffer %.17g\n", sum(o_double, M));
    printf("k_transpose_plain %.17g\n", sum(o_plain, M));
    printf("k_transpose_padded %.17g\n", sum(o_padded, N));
    printf("k_register_tile %.17g\n", sum(o_tile, OUT * PIX));
    printf("k_hist_per_block %.17g\n", sum(o_hist, 6 * 48));
    printf("k_reduce_interleaved %.17g\n", sum(o_inter, RB));
    printf("k_reduce_halves %.17g\n", sum(o_halves, 5));
    printf("k_prefix_rows %.17g\n", sum(o_prefix, 100 * 100));
    printf("k_shuffle_groups %.17g\n", sum(o_groups, GROUPS));
    printf("k_ballot_pack %.17g\n", sum(bits, WORDS * H));
    printf("k_any_skip %.17g\n", sum(o_any, N));
    printf("k_bits_erode %.17g\n", sum(o_eroded, WORDS * H));
    printf("k_const_uniform %.17g\n", sum(o_uniform, N));
    printf("k_const_divergent %.17g\n", sum(o_curve, M));
    printf("k_float2_spectrum %.17g\n", sum((float *)o_spec, 2 * FW * FH));
    printf("k_uchar4_blur %.17g\n", sum((byte *)o_rgba, 4 * FW * 26));
    printf("k_float4_bias %.17g\n", sum((float *)o_bias, 4 * 61 * 37));
    printf("k_double2_mirror %.17g\n", sum((double *)o_dmirror, 2 * 1000));
    printf("k_odd_pitch %.17g\n", sum(o_pitch, M + 2));
    printf("k_float3_gray %.17g\n", sum(o_gray3, 3600));
    printf("k_planes_gray %.17g\n", sum(o_gray, 3600));
    printf("k_struct12_label %.17g\n", labels);
    printf("k_ushort_row %.17g\n", sum(o_short, N));
    printf("k_median3x3 %.17g\n", sum(o_median, N));
    printf("k_bilinear %.17g\n", sum(o_resize, OW * OH));

    for (void *p : buffers) MUST(cudaFree(p));
    return 0;
}
