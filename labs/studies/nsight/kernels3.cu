// kernels3.cu - 32 more student-style kernels, each launched exactly once.
// Third ground truth for memory counters: where lanes of a warp diverge and meet again, warp
// intrinsics, cooperative groups, textures and surfaces beside global loads, half and bfloat16,
// cache hints, copies and kernels in several streams.  kernels.cu and kernels2.cu came before.
// Build: nvcc -std=c++17 -O3 -arch=native -lineinfo kernels3.cu -o kernels3
// Prints one line per kernel after all have run: name, then the sum of its outputs.  Pixels are
// small multiples of powers of two, and textures are read at multiples of a quarter of a texel, so
// that every sum is exact.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

namespace cg = cooperative_groups;

typedef unsigned char byte;

// ==== lanes that diverge and meet again ======================================================

// Early returns before two nested loops: the lanes that stay must stay together.
__global__ void k_returns_then_loops(const byte *img, const byte *roi, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    if (roi[y * w + x] < 40) return;
    if (x < 2 || y < 2) {
        out[y * w + x] = -1;
        return;
    }
    int s = 0;
    for (int j = -2; j <= 2; j++) {
        if (y + j >= h) continue;
        int count = x + 2 < w ? 5 : w - x + 2;
        for (int i = 0; i < count; i++) s += img[(y + j) * w + x - 2 + i];
    }
    out[y * w + x] = s;
}

// Nested loops: the inner one has a length of its own in every lane and is left by break.
__global__ void k_nested_break(const byte *img, const byte *limit, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int rounds = limit[y * w + x] % 5 + 1, s = 0;
    for (int j = 0; j < 4; j++) {
        if (y + j >= h) break;
        for (int i = 0; i < rounds; i++) {
            if (x + i >= w) break;
            int v = img[(y + j) * w + x + i];
            if (v > 220) break;
            s += v;
        }
    }
    out[y * w + x] = s;
}

__device__ float clamped(const float *img, int x, int y, int w, int h)
{
    x = x < 0 ? 0 : x >= w ? w - 1 : x;
    y = y < 0 ? 0 : y >= h ? h - 1 : y;
    return img[y * w + x];
}

// Both arms of a branch call the same inlined function, with different arguments.
__global__ void k_arms_share_fetch(const float *in, const byte *dir, float *out, int w, int h)
{
    int x = blockIdx.x * 24 + threadIdx.x, y = blockIdx.y * 5 + threadIdx.y;
    if (x >= w || y >= h) return;
    float s;
    if (dir[y * w + x] & 1) {
        s = clamped(in, x - 1, y, w, h) + clamped(in, x + 1, y, w, h);
        s += 2.0f * clamped(in, x, y, w, h);
    } else {
        s = clamped(in, x, y - 1, w, h) - clamped(in, x, y + 1, w, h);
        s -= 2.0f * clamped(in, x, y, w, h);
    }
    out[y * w + x] = s;
}

// A loop with two exits, each of which reads something else before the paths meet.
__global__ void k_two_exits(const byte *img, const int *dark, const int *bright, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = 0, v;
    for (;;) {
        v = img[i + k];
        if (v < 30) {
            v = dark[k];
            break;
        }
        if (v > 200) {
            v = bright[k] + bright[k + 1];
            break;
        }
        if (++k == 24 || i + k >= n) break;
    }
    out[i] = v + k;
}

// A small machine: a switch in a loop, with cases that fall through.
__global__ void k_switch_in_loop(const byte *code, const int *data, int *out, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i, value = 0;
    for (int k = 0; k < steps; k++) {
        switch (code[at] & 7) {
        case 0: value += data[at]; /* fall through */
        case 1: value += data[(at + 1) % n]; break;
        case 2: value -= data[(at + 2) % n]; break;
        case 3: continue;
        case 4: at = (at + 3) % n; break;
        default: value ^= k;
        }
        at = (at + 7) % n;
    }
    out[i] = value;
}

// goto: try again with half the step until the pixel there is darker.
__global__ void k_goto_retry(const byte *img, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int step = 64, v = img[i];
again:
    if (i + step < n && img[i + step] >= v) {
        step >>= 1;
        if (step > 0) goto again;
        out[i] = -v;
        return;
    }
    out[i] = step;
}

__device__ int first_above(const byte *img, int from, int to, int limit)
{
    for (int i = from; i < to; i++)
        if (img[i] > limit) return i;
    return to;
}

// An inlined function that returns from inside its loop, called in both arms and after them.
__global__ void k_search_both_arms(const byte *img, int *out, int w, int h)
{
    int x = blockIdx.x * 40 + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    const byte *row = img + y * w;
    int right = x + 16 < w ? x + 16 : w, d;
    if (row[x] < 100)
        d = first_above(row, x, right, 180);
    else
        d = first_above(row, x, right, 240) - first_above(row, x, right, 210);
    out[y * w + x] = d + first_above(row, right - 4 > 0 ? right - 4 : 0, right, 128);
}

// do ... while with continue and break.
__global__ void k_do_continue(const byte *img, const byte *skip, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = i, rounds = 0, s = 0;
    do {
        rounds++;
        at += 1 + (i & 1);
        if (at >= n) break;
        if (skip[at] & 1) continue;
        s += img[at];
    } while (s < 700 && rounds < 20);
    out[i] = s * 32 + rounds;
}

// The lower triangle: lane k of a row makes k rounds, and the inner loop follows the outer one.
__global__ void k_triangle(const float *a, const float *b, float *out, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= n || row >= n) return;
    float s = 0.0f;
    for (int k = 0; k <= col && k <= row; k++) s += a[row * n + k] * b[k * n + col];
    out[row * n + col] = s;
}

// #pragma unroll on a loop that lanes leave at different rounds.
__global__ void k_unrolled_break(const byte *img, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int s = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        if (y + k >= h) break;
        int v = img[(y + k) * w + x];
        s += v;
        if (v > 200) break;
    }
    out[y * w + x] = s;
}

// Lower bound in a sorted table: every lane halves its own interval.
__global__ void k_lower_bound(const int *table, const int *keys, int *out, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int key = keys[i], lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (table[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    out[i] = lo;
}

// Loads chosen by ?: and behind && and ||, in a loop.
__global__ void k_ternary_chain(const byte *a, const byte *b, const byte *sel, int *out, int w,
                                int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    int s = 0;
    for (int k = 0; k < 3; k++) {
        int p = y * w + (x + k) % w;
        int c = sel[p];
        s += c < 80 ? a[p] : c < 160 ? b[p] : b[w * h - 1 - p];
        if ((c & 1) && a[w * h - 1 - p] > 100 && (c < 200 || b[p] > 50)) s += 1000;
    }
    out[y * w + x] = s;
}

// Recursion in the shape of a loop: a template that calls itself, three levels of quadrants.
template <int LEVEL>
__device__ int quadrants(const byte *img, int x, int y, int size, int w)
{
    int v = img[y * w + x];
    if constexpr (LEVEL > 0) {
        if (v > 128) return v + quadrants<LEVEL - 1>(img, x, y, size / 2, w);
        return v - quadrants<LEVEL - 1>(img, x + size, y + size, size / 2, w);
    }
    return v;
}

__global__ void k_quadtree(const byte *img, int *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    bool inside = x + 16 < w && y + 16 < h;
    out[y * w + x] = inside ? quadrants<3>(img, x, y, 8, w) : 0;
}

// ==== warp intrinsics ========================================================================

// Lanes with the same label add up their values; the first of them stores.
__global__ void k_match_labels(const byte *label, const int *value, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int mine = i < n ? label[i] & 3 : 4, v = i < n ? value[i] : 0, s = 0;
    unsigned int peers = __match_any_sync(0xffffffffu, mine);
    for (int k = 0; k < 32; k++) {
        int other = __shfl_sync(0xffffffffu, v, k);
        if (peers >> k & 1) s += other;
    }
    if (__ffs((int)peers) - 1 == lane && mine < 4) out[i / 32 * 4 + mine] = s;
}

// One value a warp, by the reduction instruction of compute capability 8.0.
__global__ void k_reduce_sync(const int *in, int *sums, int *most, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    int s = __reduce_add_sync(0xffffffffu, v), m = __reduce_max_sync(0xffffffffu, v);
    if (threadIdx.x % 32 == 0) {
        sums[i / 32] = s;
        most[i / 32] = m;
    }
}

// Prefix sums of a warp by shuffles, then of the block through shared memory.
__global__ void k_scan_shuffle(const int *in, int *out, int n)
{
    __shared__ int s_total[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += left;
    }
    if (lane == 31) s_total[warp] = v;
    __syncthreads();
    for (int k = 0; k < warp; k++) v += s_total[k];
    if (i < n) out[i] = v;
}

// Bright pixels move to the front of their warp's part of the output.
__global__ void k_ballot_compact(const byte *img, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool bright = i < n && img[i] > 128;
    unsigned int votes = __ballot_sync(0xffffffffu, bright);
    if (bright) out[i - lane + __popc(votes & ((1u << lane) - 1))] = i;
    if (__all_sync(0xffffffffu, !bright) && lane == 0) out[i] = -1;
}

// ==== cooperative groups =====================================================================

// Half warps add up 16 values each.
__global__ void k_tile16_sum(const float *in, float *out, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int i = blockIdx.x * blockDim.x + block.thread_rank();
    float v = i < n ? in[i] : 0.0f;
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0) out[i / 16] = v;
}

// The bright lanes of a warp form a group; its first lane stores for all.
__global__ void k_coalesced_count(const byte *img, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = img[i];
    if (v > 150) {
        cg::coalesced_group group = cg::coalesced_threads();
        int s = cg::reduce(group, v, cg::plus<int>());
        if (group.thread_rank() == 0) out[i / 32] = s + (int)group.size();
    }
}

// The largest value of each warp by cg::reduce, kept in shared memory until one warp is left.
__global__ void k_group_reduce(const int *in, int *out, int n)
{
    __shared__ int s_most[8];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = cg::reduce(warp, i < n ? in[i] : -1, cg::greater<int>());
    if (warp.thread_rank() == 0) s_most[warp.meta_group_rank()] = v;
    block.sync();
    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < warp.meta_group_size() ? s_most[warp.thread_rank()] : -1;
        v = cg::reduce(warp, v, cg::greater<int>());
        if (warp.thread_rank() == 0) out[blockIdx.x] = v;
    }
}

// A row in shared memory, smoothed twice, with the group's barrier in between.
__global__ void k_group_smooth(const float *in, float *out, int w)
{
    extern __shared__ float s_row[];
    cg::thread_block block = cg::this_thread_block();
    const int n = block.size();
    for (int x = block.thread_rank(); x < w; x += n) s_row[x] = in[blockIdx.x * w + x];
    block.sync();
    for (int x = block.thread_rank(); x < w; x += n) {
        float left = x > 0 ? s_row[x - 1] : 0.0f, right = x < w - 1 ? s_row[x + 1] : 0.0f;
        s_row[w + x] = 0.25f * left + 0.5f * s_row[x] + 0.25f * right;
    }
    block.sync();
    for (int x = block.thread_rank(); x < w; x += n) {
        float left = x > 0 ? s_row[w + x - 1] : 0.0f, right = x < w - 1 ? s_row[w + x + 1] : 0.0f;
        out[blockIdx.x * w + x] = 0.25f * left + 0.5f * s_row[w + x] + 0.25f * right;
    }
}

// A cooperative launch: blocks store their sums, all meet, and every block reads all sums.
__global__ void k_grid_normalise(const int *in, int *sums, int *out, int n)
{
    __shared__ int s_sum;
    cg::grid_group grid = cg::this_grid();
    if (threadIdx.x == 0) s_sum = 0;
    __syncthreads();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) atomicAdd(&s_sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = s_sum;
    grid.sync();
    int total = 0;
    for (int b = 0; b < gridDim.x; b++) total += sums[b];
    for (int i = grid.thread_rank(); i < n; i += grid.size()) out[i] = 2 * in[i] + total % 7;
}

// ==== textures and surfaces ==================================================================

// Half the size, by the texture's linear filter, minus a correction from global memory.
__global__ void k_tex_half(cudaTextureObject_t tex, const float *fix, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    out[y * w + x] = tex2D<float>(tex, 2 * x + 1.0f, 2 * y + 1.0f) - fix[x];
}

// A 3x3 sum; the border is the texture's business, the weights are in global memory.
__global__ void k_tex_clamp(cudaTextureObject_t tex, const float *weight, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0.0f;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            s += weight[3 * j + i] * tex2D<float>(tex, x + i - 0.5f, y + j - 0.5f);
    out[y * w + x] = s;
}

// A look-up table as a texture of linear memory.
__global__ void k_tex_fetch(cudaTextureObject_t table, const byte *img, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = img[i] & 1 ? tex1Dfetch<float>(table, img[i]) : 0.0f;
}

// A surface read, changed by a global value and written back.
__global__ void k_surf_add(cudaSurfaceObject_t surf, const float *in, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float v = surf2Dread<float>(surf, x * (int)sizeof(float), y);
    surf2Dwrite(v + in[y * w + x], surf, x * (int)sizeof(float), y);
    out[y * w + x] = v;
}

// ==== half, bfloat16, cache hints ============================================================

// y += a x, two halves at a time.
__global__ void k_half2_axpy(const __half2 *x, __half2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = __hfma2(__float2half2_rn(0.5f), x[i], y[i]);
}

// Sums of rows: bfloat16 in, float in registers, a shared tree.
__global__ void k_bfloat_rows(const __nv_bfloat16 *in, float *out, int w)
{
    __shared__ float s_part[64];
    float s = 0.0f;
    for (int x = threadIdx.x; x < w; x += 64) s += __bfloat162float(in[blockIdx.x * w + x]);
    s_part[threadIdx.x] = s;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (threadIdx.x < d) s_part[threadIdx.x] += s_part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s_part[0];
}

// Loads and stores with cache hints count like others.
__global__ void k_cache_hints(const float *a, const float *b, const float4 *c, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = __ldcs(&c[i]);
    float s = __ldcg(&a[i]) + __ldca(&b[n - 1 - i]) + __ldg(&a[i / 2]) + v.x + v.w;
    __stcs(&out[i], s);
    __stcg(&out[n + i], -0.5f * s);
}

// ==== copies and kernels in several streams ==================================================

__global__ void k_stream_scale(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i];
}

__global__ void k_stream_reverse(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[n - 1 - i];
}

__global__ void k_stream_join(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 3 < n) out[i] = a[i] + b[i + 3];
}

// ==== host ===================================================================================

#include "host.h"

static cudaArray_t array_of(const std::vector<float> &v, int w, int h, unsigned int flags)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    MUST(cudaMallocArray(&array, &format, w, h, flags));
    MUST(cudaMemcpy2DToArray(array, 0, 0, v.data(), w * sizeof(float), w * sizeof(float), h,
                             cudaMemcpyHostToDevice));
    return array;
}

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

int main(void)
{
    const int W = 127, H = 83, N = W * H, T = 60;
    std::vector<byte> pixels = noise<byte>(N, 256, 1), marks = noise<byte>(N, 256, 1);
    byte *img = to_device(pixels), *other = to_device(marks);
    float *pic = to_device(noise<float>(N, 256, 0.25f));
    float *left = to_device(noise<float>(T * T, 16, 0.125f));
    float *right = to_device(noise<float>(T * T, 16, 0.125f));
    int *ints = to_device(noise<int>(N, 1000, 1)), *small = to_device(noise<int>(64, 50, 1));
    std::vector<int> sorted(777), wanted = noise<int>(1500, 4000, 1);
    for (int i = 0; i < 777; i++) sorted[i] = 5 * i;
    int *table = to_device(sorted), *keys = to_device(wanted);

    int *o_returns = zeros<int>(N);
    RUN(k_returns_then_loops<<<blocks(W, H, 20, 6), dim3(20, 6)>>>(img, other, o_returns, W, H));
    int *o_nested = zeros<int>(N);
    RUN(k_nested_break<<<blocks(W, H, 33, 3), dim3(33, 3)>>>(img, other, o_nested, W, H));
    float *o_arms = zeros<float>(N);
    RUN(k_arms_share_fetch<<<blocks(W, H, 24, 5), dim3(24, 5)>>>(pic, other, o_arms, W, H));
    int *o_exits = zeros<int>(N);
    RUN(k_two_exits<<<(N + 95) / 96, 96>>>(img, small, small + 30, o_exits, N));
    int *o_switch = zeros<int>(2000);
    RUN(k_switch_in_loop<<<16, 128>>>(other, ints, o_switch, 2000, 9));
    int *o_goto = zeros<int>(N);
    RUN(k_goto_retry<<<(N + 127) / 128, 128>>>(img, o_goto, N));
    int *o_search = zeros<int>(N);
    RUN(k_search_both_arms<<<blocks(W, H, 40, 1), 40>>>(img, o_search, W, H));
    int *o_continue = zeros<int>(N);
    RUN(k_do_continue<<<(N + 63) / 64, 64>>>(img, other, o_continue, N));
    float *o_triangle = zeros<float>(T * T);
    RUN(k_triangle<<<blocks(T, T, 64, 1), 64>>>(left, right, o_triangle, T));
    int *o_unrolled = zeros<int>(N);
    RUN(k_unrolled_break<<<blocks(W, H, 16, 8), dim3(16, 8)>>>(img, o_unrolled, W, H));
    int *o_bound = zeros<int>(1500);
    RUN(k_lower_bound<<<12, 128>>>(table, keys, o_bound, 777, 1500));
    int *o_chain = zeros<int>(N);
    RUN(k_ternary_chain<<<blocks(W, H, 48, 1), 48>>>(img, other, other, o_chain, W, H));
    int *o_quad = zeros<int>(N);
    RUN(k_quadtree<<<blocks(W, H, 32, 4), dim3(32, 4)>>>(img, o_quad, W, H));
    const int WARPS = (N + 31) / 32;
    int *o_match = zeros<int>(4 * (WARPS + 4));
    RUN(k_match_labels<<<(N + 95) / 96, 96>>>(other, ints, o_match, N));
    int *o_sums = zeros<int>(WARPS + 4), *o_most = zeros<int>(WARPS + 4);
    RUN(k_reduce_sync<<<(N + 127) / 128, 128>>>(ints, o_sums, o_most, N));
    int *o_scan = zeros<int>(N);
    RUN(k_scan_shuffle<<<(N + 255) / 256, 256>>>(ints, o_scan, N));
    int *o_compact = zeros<int>(N + 64);
    RUN(k_ballot_compact<<<(N + 63) / 64, 64>>>(img, o_compact, N));
    float *o_tile16 = zeros<float>(N / 16 + 8);
    RUN(k_tile16_sum<<<(N + 111) / 112, 112>>>(pic, o_tile16, N));
    int *o_coalesced = zeros<int>(WARPS + 1);
    RUN(k_coalesced_count<<<(N + 127) / 128, 128>>>(img, o_coalesced, N));
    const int RB = (N + 191) / 192;
    int *o_group = zeros<int>(RB);
    RUN(k_group_reduce<<<RB, 192>>>(ints, o_group, N));
    float *o_smooth = zeros<float>(N);
    RUN(k_group_smooth<<<H, 96, 2 * W * sizeof(float)>>>(pic, o_smooth, W));
    int *sums = zeros<int>(10), *o_grid = zeros<int>(N), n = N;
    void *arguments[] = {&ints, &sums, &o_grid, &n};
    MUST(cudaLaunchCooperativeKernel(k_grid_normalise, dim3(10), dim3(160), arguments, 0, 0));
    DONE();
    const int HW = W / 2, HH = H / 2;
    std::vector<float> texels = noise<float>(N, 256, 0.25f);
    cudaArray_t array = array_of(texels, W, H, cudaArrayDefault);
    cudaArray_t changed = array_of(texels, W, H, cudaArraySurfaceLoadStore);
    cudaTextureObject_t smooth = texture_of(array, cudaFilterModeLinear);
    cudaTextureObject_t nearest = texture_of(array, cudaFilterModePoint);
    float *o_half = zeros<float>(HW * HH);
    RUN(k_tex_half<<<blocks(HW, HH, 16, 8), dim3(16, 8)>>>(smooth, pic, o_half, HW, HH));
    float *o_clamp = zeros<float>(N);
    RUN(k_tex_clamp<<<blocks(W, H, 24, 6), dim3(24, 6)>>>(nearest, left, o_clamp, W, H));
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = pic;
    linear.res.linear.desc = cudaCreateChannelDesc<float>();
    linear.res.linear.sizeInBytes = 256 * sizeof(float);
    cudaTextureDesc plain = {};
    plain.readMode = cudaReadModeElementType;
    cudaTextureObject_t lut;
    MUST(cudaCreateTextureObject(&lut, &linear, &plain, NULL));
    float *o_fetch = zeros<float>(N);
    RUN(k_tex_fetch<<<(N + 127) / 128, 128>>>(lut, img, o_fetch, N));
    cudaResourceDesc writable = {};
    writable.resType = cudaResourceTypeArray;
    writable.res.array.array = changed;
    cudaSurfaceObject_t surface;
    MUST(cudaCreateSurfaceObject(&surface, &writable));
    float *o_surf = zeros<float>(N);
    RUN(k_surf_add<<<blocks(W, H, 32, 4), dim3(32, 4)>>>(surface, pic, o_surf, W, H));
    std::vector<__half2> x2(3000), y2(3000);
    for (__half2 &v : x2) v = __floats2half2_rn(next_random() % 64, next_random() % 64);
    for (__half2 &v : y2) v = __floats2half2_rn(next_random() % 64, next_random() % 64);
    __half2 *d_x2 = to_device(x2), *d_y2 = to_device(y2);
    RUN(k_half2_axpy<<<(3000 + 99) / 100, 100>>>(d_x2, d_y2, 3000));
    std::vector<__nv_bfloat16> brain(50 * 333);
    for (__nv_bfloat16 &v : brain) v = __float2bfloat16((float)(next_random() % 128));
    __nv_bfloat16 *d_brain = to_device(brain);
    float *o_brain = zeros<float>(50);
    RUN(k_bfloat_rows<<<50, 64>>>(d_brain, o_brain, 333));
    float *o_hints = zeros<float>(2 * 2000);
    RUN(k_cache_hints<<<(2000 + 127) / 128, 128>>>(pic, pic + 3000, (float4 *)pic, o_hints, 2000));
    const int S = 5000;
    float *pinned = NULL, *d_first = zeros<float>(S), *d_second = zeros<float>(S);
    float *o_scale = zeros<float>(S), *o_reverse = zeros<float>(S), *o_join = zeros<float>(S);
    MUST(cudaMallocHost((void **)&pinned, 2 * S * sizeof(float)));
    for (int i = 0; i < 2 * S; i++) pinned[i] = (float)(next_random() % 512);
    cudaStream_t one, two;
    cudaEvent_t ready;
    MUST(cudaDeviceSynchronize()); /* zeros() is the default stream's */
    MUST(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    MUST(cudaMemcpyAsync(d_first, pinned, S * sizeof(float), cudaMemcpyHostToDevice, one));
    k_stream_scale<<<(S + 127) / 128, 128, 0, one>>>(d_first, o_scale, S);
    MUST(cudaMemcpyAsync(d_second, pinned + S, S * sizeof(float), cudaMemcpyHostToDevice, two));
    k_stream_reverse<<<(S + 127) / 128, 128, 0, two>>>(d_second, o_reverse, S);
    MUST(cudaEventRecord(ready, two));
    MUST(cudaStreamWaitEvent(one, ready, 0));
    k_stream_join<<<(S + 127) / 128, 128, 0, one>>>(o_scale, o_reverse, o_join, S);
    MUST(cudaMemcpyAsync(pinned, o_join, S * sizeof(float), cudaMemcpyDeviceToHost, one));
    MUST(cudaStreamSynchronize(one));
    double joined = 0.0;
    for (int i = 0; i < S; i++) joined += pinned[i];
    DONE();

    std::vector<float> surface_after(N);
    MUST(cudaMemcpy2DFromArray(surface_after.data(), W * sizeof(float), changed, 0, 0,
                               W * sizeof(float), H, cudaMemcpyDeviceToHost));
    double after = 0.0, halves = 0.0;
    for (float v : surface_after) after += v;
    MUST(cudaMemcpy(y2.data(), d_y2, y2.size() * sizeof y2[0], cudaMemcpyDeviceToHost));
    for (__half2 v : y2) halves += __low2float(v) + __high2float(v);

    printf("k_returns_then_loops %.17g\n", sum(o_returns, N));
    printf("k_nested_break %.17g\n", sum(o_nested, N));
    printf("k_arms_share_fetch %.17g\n", sum(o_arms, N));
    printf("k_two_exits %.17g\n", sum(o_exits, N));
    printf("k_switch_in_loop %.17g\n", sum(o_switch, 2000));
    printf("k_goto_retry %.17g\n", sum(o_goto, N));
    printf("k_search_both_arms %.17g\n", sum(o_search, N));
    printf("k_do_continue %.17g\n", sum(o_continue, N));
    printf("k_triangle %.17g\n", sum(o_triangle, T * T));
    printf("k_unrolled_break %.17g\n", sum(o_unrolled, N));
    printf("k_lower_bound %.17g\n", sum(o_bound, 1500));
    printf("k_ternary_chain %.17g\n", sum(o_chain, N));
    printf("k_quadtree %.17g\n", sum(o_quad, N));
    printf("k_match_labels %.17g\n", sum(o_match, 4 * (WARPS + 4)));
    printf("k_reduce_sync %.17g\n", sum(o_sums, WARPS + 4) + sum(o_most, WARPS + 4));
    printf("k_scan_shuffle %.17g\n", sum(o_scan, N));
    printf("k_ballot_compact %.17g\n", sum(o_compact, N + 64));
    printf("k_tile16_sum %.17g\n", sum(o_tile16, N / 16 + 8));
    printf("k_coalesced_count %.17g\n", sum(o_coalesced, WARPS + 1));
    printf("k_group_reduce %.17g\n", sum(o_group, RB));
    printf("k_group_smooth %.17g\n", sum(o_smooth, N));
    printf("k_grid_normalise %.17g\n", sum(o_grid, N));
    printf("k_tex_half %.17g\n", sum(o_half, HW * HH));
    printf("k_tex_clamp %.17g\n", sum(o_clamp, N));
    printf("k_tex_fetch %.17g\n", sum(o_fetch, N));
    printf("k_surf_add %.17g\n", sum(o_surf, N) + after);
    printf("k_half2_axpy %.17g\n", halves);
    printf("k_bfloat_rows %.17g\n", sum(o_brain, 50));
    printf("k_cache_hints %.17g\n", sum(o_hints, 2 * 2000));
    printf("k_stream_scale %.17g\n", sum(o_scale, S));
    printf("k_stream_reverse %.17g\n", sum(o_reverse, S));
    printf("k_stream_join %.17g\n", joined);

    MUST(cudaDestroyTextureObject(smooth));
    MUST(cudaDestroyTextureObject(nearest));
    MUST(cudaDestroyTextureObject(lut));
    MUST(cudaDestroySurfaceObject(surface));
    MUST(cudaFreeArray(array));
    MUST(cudaFreeArray(changed));
    MUST(cudaEventDestroy(ready));
    MUST(cudaStreamDestroy(one));
    MUST(cudaStreamDestroy(two));
    MUST(cudaFreeHost(pinned));
    for (void *p : buffers) MUST(cudaFree(p));
    return 0;
}
