/* Lab 7, expert: the fastest layers that we know for an H200. The functions are those of lab.h;
 * layers.cu is the clear version. notes.md, "The expert", says what each step gains.
 *
 * A              no shared memory: only the traffic counts
 * B, C, double   a matrix product on the tensor cores, which multiply doubles twice as fast as the
 *                other units and round as exactly: tensor_kernel
 * B, C, float    8 to 16 pixels of 8 or 12 masks in the registers of a thread: register_kernel. The
 *                tensor cores have no product of floats that is exact enough for this lab
 *
 * In B and C a block computes with the channels of one stage while the next stage is being copied
 * to shared memory. Where a function has a body in PTX, the GPU's assembly, it has another in CUDA
 * C, for the simulator and for older GPUs.
 */
#include "lab.h"

enum { WARP = 32 };
#define ALL_LANES 0xffffffffu

/* How many groups of `size` cover `count` things; the last group may be partly filled. */
static size_t ceil_div(size_t count, size_t size) {
    return (count + size - 1) / size;
}

/* Whether packs of `size` numbers that begin at multiples of `size` are aligned, in both arrays and
 * in every row of `width` numbers. */
template <typename real>
static bool aligned(const real *d_from, const real *d_to, size_t width, size_t size) {
    return ((size_t)d_from | (size_t)d_to) % 16 == 0 && width % size == 0;
}

/* ---- part A ---- */

/* A thread computes a pack of pixels side by side in each of `depth` rows. */
enum { DEPTHWISE_THREADS = 128 };

template <typename real, int size> struct alignas(size == 1 ? sizeof(real) : 16) Pack {
    real pixel[size];
};

/* Threads are numbered pack by pack, row by row, so a pack's neighbours are those of the
 * neighbouring lanes. Only the first and the last lane of a warp load theirs. */
template <typename real, int size, int depth>
__global__ void __launch_bounds__(DEPTHWISE_THREADS)
    depthwise_kernel(const real *__restrict__ d_image, int channels, int height, int width,
                     const real *__restrict__ d_mask, real *__restrict__ d_out) {
    const int packs = (width + size - 1) / size, strips = (height + depth - 1) / depth;
    const size_t count = (size_t)channels * strips * packs;
    const size_t index = (size_t)blockIdx.x * DEPTHWISE_THREADS + threadIdx.x;
    const size_t number = index < count ? index : count - 1; /* every lane takes part in shuffles */
    const int lane = threadIdx.x % WARP;
    const int x = number % packs * size, top = number / packs % strips * depth;
    const size_t channel = number / packs / strips * height * width; /* its first element */
    const bool has_left = x > 0, has_right = x + size < width;
    const real own_weight = d_mask[min(lane, SIZE * SIZE - 1)]; /* one load for all nine */
    real weight[SIZE * SIZE], sum[depth][size] = {};

#pragma unroll
    for (int i = 0; i < SIZE * SIZE; i++) {
        weight[i] = __shfl_sync(ALL_LANES, own_weight, i);
    }
#pragma unroll
    for (int i = 0; i < depth + SIZE - 1; i++) {
        const int y = top - SIZE / 2 + i;
        const bool inside = y >= 0 && y < height;
        const real *d_row = d_image + channel + (size_t)(inside ? y : 0) * width + x;
        Pack<real, size> middle = {};
        real row[size + 2];
        if (inside) {
            middle = *(const Pack<real, size> *)d_row;
        }
        row[0] = __shfl_up_sync(ALL_LANES, middle.pixel[size - 1], 1);
        row[size + 1] = __shfl_down_sync(ALL_LANES, middle.pixel[0], 1);
        if (lane == 0 || !has_left) {
            row[0] = inside && has_left ? d_row[-1] : (real)0;
        }
        if (lane == WARP - 1 || !has_right) {
            row[size + 1] = inside && has_right ? d_row[size] : (real)0;
        }
#pragma unroll
        for (int k = 0; k < size; k++) {
            row[k + 1] = middle.pixel[k];
        }
#pragma unroll
        for (int tap = 0; tap < SIZE * SIZE; tap++) {
            const int to = i - tap / SIZE; /* the row of the strip that has this tap in row i */
            if (to >= 0 && to < depth) {
#pragma unroll
                for (int k = 0; k < size; k++) {
                    sum[to][k] += row[k + tap % SIZE] * weight[tap];
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < depth; i++) {
        if (index < count && top + i < height) {
            Pack<real, size> result;
#pragma unroll
            for (int k = 0; k < size; k++) {
                result.pixel[k] = sum[i][k];
            }
            *(Pack<real, size> *)(d_out + channel + (size_t)(top + i) * width + x) = result;
        }
    }
}

template <typename real, int size, int depth>
static cudaError_t launch_depthwise(const real *d_image, int channels, int height, int width,
                                    const real *d_mask, real *d_out) {
    const size_t threads = channels * ceil_div(height, depth) * ceil_div(width, size);
    const unsigned blocks = (unsigned)ceil_div(threads, DEPTHWISE_THREADS);

    depthwise_kernel<real, size, depth>
        <<<blocks, DEPTHWISE_THREADS>>>(d_image, channels, height, width, d_mask, d_out);
    return cudaGetLastError();
}

/* A pack has 32 bytes, and so many rows that a thread has six loads under way at once. */
template <typename real>
static cudaError_t depthwise_by_packs(const real *d_image, int channels, int height, int width,
                                      const real *d_mask, real *d_out) {
    const int size = 32 / sizeof(real), depth = sizeof(real) / 2;
    if (aligned(d_image, d_out, width, size)) {
        return launch_depthwise<real, size, depth>(d_image, channels, height, width, d_mask, d_out);
    }
    return launch_depthwise<real, 1, 8>(d_image, channels, height, width, d_mask, d_out);
}

/* ---- parts B and C: what a block computes, and how its data come to shared memory ---- */

/* What is to be computed. In part B the plane counts as one row, which may be very long. */
template <typename real> struct Layer {
    const real *d_image, *d_bank;
    real *d_out;
    int channels, height, masks;
    size_t width;
};

/* A block computes `columns` x `rows` pixels of `masks` masks, `channels` channels in a stage.
 * radius: 0 for part B, SIZE / 2 for part C. copied: how many neighbouring numbers are copied at
 * once. In shared memory the rows of a channel are `pitch` numbers apart, channels `plane`, and
 * weight() says where a weight is, after the pixels of all channels. */
template <typename real_, int radius_, int columns_, int rows_, int masks_, int channels_,
          int threads_, int copied_>
struct Block {
    typedef real_ real;
    static constexpr int radius = radius_, columns = columns_, rows = rows_, masks = masks_;
    static constexpr int channels = channels_, threads = threads_, copied = copied_;
    static constexpr int size = 2 * radius + 1, taps = size * size;
    static constexpr int wide = columns + 2 * radius, pixels = wide * (rows + 2 * radius);
};

/* A block's group of masks and its tile: neighbouring blocks have the same tile, so that most of
 * them find its pixels in the L2 cache. */
template <typename B> struct Place {
    int first_mask;
    size_t top, left;

    __device__ explicit Place(const Layer<typename B::real> &layer) {
        const unsigned groups = (layer.masks + B::masks - 1) / B::masks;
        const size_t across = (layer.width + B::columns - 1) / B::columns;
        const unsigned tile = blockIdx.x / groups;
        first_mask = blockIdx.x % groups * B::masks;
        top = tile / across * B::rows;
        left = tile % across * B::columns;
    }

    static unsigned blocks(const Layer<typename B::real> &layer) {
        return (unsigned)(ceil_div(layer.masks, B::masks) * ceil_div(layer.width, B::columns) *
                          ceil_div(layer.height, B::rows));
    }
};

/* Copies `count` numbers to shared memory, or zeros where they do not exist. They are there after
 * wait_for_copies() and a barrier. */
template <int count, typename real>
__device__ inline void copy_async(real *s_to, const real *d_from, bool exist) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(s_to)), "l"(d_from),
                   "n"(count * sizeof(real)), "r"(exist ? count * (int)sizeof(real) : 0)
                 : "memory");
#else
    for (int i = 0; i < count; i++) {
        s_to[i] = exist ? d_from[i] : (real)0;
    }
#endif
}

/* Waits for all copies of this thread. */
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/* A thread's share of the copies. It copies the same places of the tile for every channel, and the
 * same weights of every mask, so that the index arithmetic is done once, before the first stage. */
template <typename B> struct Copies {
    typedef typename B::real real;
    static constexpr int packs = B::pixels / B::copied; /* of a channel */
    static constexpr int span = packs < B::threads ? packs : B::threads;
    static constexpr int shares = (packs + span - 1) / span, channel_step = B::threads / span;
    static constexpr int run = B::channels * B::taps / B::copied, mask_step = B::threads / run;
    static_assert(mask_step > 0 && B::channels % channel_step == 0, "the shares cover a stage");

    int channel, mask, number; /* this thread's first channel of a stage, mask, and weight of it */
    int place[shares];         /* in the tile */
    bool inside[shares];
    const real *d_pixel[shares], *d_weight;
    int masks; /* from `mask` on */

    __device__ Copies(const Layer<real> &layer, const Place<B> &block) {
        const int thread = threadIdx.x;
        channel = thread / span;
        mask = thread / run;
        number = thread % run * B::copied;
        masks = layer.masks - block.first_mask - mask;
        d_weight =
            layer.d_bank + (size_t)(block.first_mask + mask) * layer.channels * B::taps + number;
#pragma unroll
        for (int i = 0; i < shares; i++) {
            place[i] = (thread % span + i * span) * B::copied;
            const long long y = (long long)block.top + place[i] / B::wide - B::radius;
            const long long x = (long long)block.left + place[i] % B::wide - B::radius;
            inside[i] = channel < channel_step && place[i] < B::pixels && y >= 0 &&
                        y < layer.height && x >= 0 && x < (long long)layer.width;
            d_pixel[i] = layer.d_image + (inside[i] ? y * layer.width + x : 0);
        }
    }

    /* Begins to copy the channels from `first` on, if there are any. */
    __device__ void begin(const Layer<real> &layer, int first, real *s_stage) const {
        const size_t plane = layer.height * layer.width;
        const size_t bank = (size_t)layer.channels * B::taps; /* weights of a mask */
        if (first >= layer.channels) {
            return;
        }
#pragma unroll
        for (int i = 0; i < shares; i++) {
            if (channel < channel_step && place[i] < B::pixels) {
                const int at = place[i] / B::wide * B::pitch + place[i] % B::wide;
#pragma unroll
                for (int c = channel; c < channel + B::channels; c += channel_step) {
                    copy_async<B::copied>(s_stage + c * B::plane + at,
                                          d_pixel[i] + (first + c) * plane,
                                          inside[i] && first + c < layer.channels);
                }
            }
        }
        const int c = number / B::taps;
        real *s_to = s_stage + B::channels * B::plane + B::weight(c, number % B::taps, mask);
        if (mask < mask_step) {
#pragma unroll
            for (int m = 0; m < B::masks; m += mask_step) {
                if (mask + m < B::masks) {
                    copy_async<B::copied>(s_to + B::weight(0, 0, m),
                                          d_weight + first * B::taps + m * bank,
                                          m < masks && first + c < layer.channels);
                }
            }
        }
    }
};

/* ---- B and C for doubles ---- */

/* A warp computes 32 pixels of 48 masks: PIXELS x MASKS products of a 16 x 4 matrix of pixels and a
 * 4 x 8 matrix of weights, for every tap and four channels at a time. */
enum { DOUBLE_WARPS = 4, PIXELS = 2, MASKS = 6, QUAD = 4 };

/* Shared memory without bank conflicts: four channels and four pixels, what half a warp reads, are
 * in sixteen banks of 8 bytes because `plane` is 4 modulo 8. Weights are stored as a warp reads
 * them: tap by tap, 8 masks x 4 channels. */
template <int radius, int columns, int rows, int channels, int copied>
struct DoubleBlock
    : Block<double, radius, columns, rows, 8 * MASKS, channels, WARP * DOUBLE_WARPS, copied> {
    static constexpr int pitch = columns + 2 * radius, taps = (2 * radius + 1) * (2 * radius + 1);
    static constexpr int plane = (pitch * (rows + 2 * radius) + 3) / 8 * 8 + 4;
    static constexpr int tap_pitch = QUAD * 8 * MASKS + (radius > 0 ? 1 : QUAD);
    static constexpr int stage = channels * plane + channels / QUAD * taps * tap_pitch;

    static __device__ constexpr int weight(int c, int tap, int mask) {
        return (c / QUAD * taps + tap) * tap_pitch + QUAD * mask + c % QUAD;
    }
};

/* Adds the products of four channels at one tap. at: where this lane's pixels are in the tile, rows
 * g and g + 8 of each matrix; lane 4 g + q also has columns 2 q and 2 q + 1 of the sums. For the
 * tensor core it brings column q of the pixels and, of the weights, row q of column g. */
template <typename B>
__device__ inline void multiply_quad(double (&sum)[PIXELS][MASKS][4], const double *s_pixels,
                                     const double *s_weights, const int (&at)[PIXELS][2]) {
    const int lane = threadIdx.x % WARP, quarter = lane % QUAD;
#if __CUDA_ARCH__ >= 900
    double pixel[PIXELS][2], weight[MASKS];
#pragma unroll
    for (int i = 0; i < 2 * PIXELS; i++) {
        pixel[i / 2][i % 2] = s_pixels[quarter * B::plane + at[i / 2][i % 2]];
    }
#pragma unroll
    for (int m = 0; m < MASKS; m++) {
        weight[m] = s_weights[QUAD * 8 * m + lane];
    }
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
#pragma unroll
        for (int m = 0; m < MASKS; m++) {
            asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
                "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                : "+d"(sum[i][m][0]), "+d"(sum[i][m][1]), "+d"(sum[i][m][2]), "+d"(sum[i][m][3])
                : "d"(pixel[i][0]), "d"(pixel[i][1]), "d"(weight[m]));
        }
    }
#else
    for (int k = 0; k < QUAD; k++) {
        double pixel[2 * PIXELS];
        for (int i = 0; i < 2 * PIXELS; i++) {
            pixel[i] = s_pixels[k * B::plane + at[i / 2][i % 2]];
        }
        for (int m = 0; m < 2 * MASKS; m++) {
            const double weight = s_weights[QUAD * (m / 2 * 8 + 2 * quarter + m % 2) + k];
            for (int i = 0; i < 2 * PIXELS; i++) {
                sum[i / 2][m / 2][i % 2 * 2 + m % 2] += pixel[i] * weight;
            }
        }
    }
#endif
}

template <typename B>
__device__ inline void multiply_stage(double (&sum)[PIXELS][MASKS][4], const double *s_stage,
                                      const int (&at)[PIXELS][2]) {
    const double *s_weights = s_stage + B::channels * B::plane;
#pragma unroll
    for (int c = 0; c < B::channels; c += QUAD) {
#pragma unroll
        for (int tap = 0; tap < B::taps; tap++) {
            const int shift = tap / B::size * B::pitch + tap % B::size;
            multiply_quad<B>(sum, s_stage + c * B::plane + shift, s_weights + B::weight(c, tap, 0),
                             at);
        }
    }
}

template <typename B>
__global__ void __launch_bounds__(B::threads, 3) tensor_kernel(const Layer<double> layer) {
    extern __shared__ double s_doubles[];
    const Place<B> block(layer);
    const Copies<B> copies(layer, block);
    const int lane = threadIdx.x % WARP, group = lane / 4, quarter = lane % 4;
    const int first_pixel = threadIdx.x / WARP * PIXELS * 16 + group;
    double *s_now = s_doubles, *s_next = s_doubles + B::stage;
    double sum[PIXELS][MASKS][4] = {};
    int at[PIXELS][2];
#pragma unroll
    for (int i = 0; i < 2 * PIXELS; i++) {
        const int pixel = first_pixel + 8 * i;
        at[i / 2][i % 2] = pixel / B::columns * B::pitch + pixel % B::columns;
    }

    copies.begin(layer, 0, s_now);
    for (int first = 0; first < layer.channels; first += B::channels) {
        wait_for_copies();
        __syncthreads(); /* s_now is complete, and nobody reads s_next any more */
        copies.begin(layer, first + B::channels, s_next);
        multiply_stage<B>(sum, s_now, at);
        double *const s_used = s_now;
        s_now = s_next;
        s_next = s_used;
    }

    const size_t plane = layer.height * layer.width;
    const int first_mask = block.first_mask + 2 * quarter;
#pragma unroll
    for (int i = 0; i < 2 * PIXELS; i++) {
        const int pixel = first_pixel + 8 * i;
        const size_t y = block.top + pixel / B::columns, x = block.left + pixel % B::columns;
        if (y < (size_t)layer.height && x < layer.width) {
            double *d_to = layer.d_out + first_mask * plane + y * layer.width + x;
#pragma unroll
            for (int m = 0; m < MASKS; m++) {
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    if (first_mask + 8 * m + e < layer.masks) {
                        d_to[(8 * m + e) * plane] = sum[i / 2][m][i % 2 * 2 + e];
                    }
                }
            }
        }
    }
}

/* ---- B and C for floats ---- */

/* A thread computes `high` rows of four neighbouring pixels for `deep` masks. `lanes` threads of a
 * warp are side by side; a block has down x groups warps: `groups` groups of masks. In part B a
 * "row" is 4 x lanes pixels further on in the plane. */
template <int radius_, int lanes_, int high_, int deep_, int down, int groups_, int channels>
struct FloatBlock : Block<float, radius_, 4 * lanes_ *(radius_ == 0 ? high_ * down : 1),
                          radius_ == 0 ? 1 : WARP / lanes_ * high_ * down, deep_ * groups_,
                          channels, WARP * down * groups_, 1> {
    static constexpr int radius = radius_, lanes = lanes_, high = high_, deep = deep_;
    static constexpr int groups = groups_, masks = deep * groups;
    static constexpr int taps = (2 * radius + 1) * (2 * radius + 1);
    static constexpr int pitch =
        (4 * lanes + 2 * radius + 3) / 4 * 4; /* so that rows are aligned */
    static constexpr int plane = pitch * (WARP / lanes * high * down + 2 * radius);
    static constexpr int stage = channels * (plane + taps * masks);

    static __device__ constexpr int weight(int c, int tap, int mask) {
        return (c * taps + tap) * masks + mask;
    }
};

/* Reads `count` floats from shared memory, four at a time. */
template <int count> __device__ inline void read(float (&to)[count], const float *s_from) {
#pragma unroll
    for (int i = 0; i < count; i += 4) {
        const float4 four = *(const float4 *)(s_from + i);
        to[i] = four.x, to[i + 1] = four.y, to[i + 2] = four.z, to[i + 3] = four.w;
    }
}

/* Adds the products of one stage. s_pixels and s_weights: of this thread, for the first channel. */
template <typename B>
__device__ inline void multiply_stage(float (&sum)[B::deep][B::high][4], const float *s_pixels,
                                      const float *s_weights) {
#pragma unroll(B::radius > 0 ? 1 : 4)
    for (int c = 0; c < B::channels; c++) {
        float pixel[B::high + 2 * B::radius][B::radius > 0 ? 8 : 4], weight[B::deep];
#pragma unroll
        for (int i = 0; i < B::high + 2 * B::radius; i++) {
            read(pixel[i], s_pixels + c * B::plane + i * B::pitch);
        }
#pragma unroll
        for (int tap = 0; tap < B::taps; tap++) {
            read(weight, s_weights + B::weight(c, tap, 0));
#pragma unroll
            for (int m = 0; m < B::deep; m++) {
#pragma unroll
                for (int i = 0; i < 4 * B::high; i++) {
                    sum[m][i / 4][i % 4] +=
                        pixel[i / 4 + tap / B::size][i % 4 + tap % B::size] * weight[m];
                }
            }
        }
    }
}

template <typename B, int per_processor>
__global__ void __launch_bounds__(B::threads, per_processor)
    register_kernel(const Layer<float> layer) {
    extern __shared__ float4 s_fours[]; /* so that it is aligned for read() */
    const Place<B> block(layer);
    const Copies<B> copies(layer, block);
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int row = (warp / B::groups * (WARP / B::lanes) + lane / B::lanes) * B::high;
    const int column = lane % B::lanes * 4, mask = warp % B::groups * B::deep;
    float *s_now = (float *)s_fours, *s_next = s_now + B::stage;
    float sum[B::deep][B::high][4] = {};

    copies.begin(layer, 0, s_now);
    for (int first = 0; first < layer.channels; first += B::channels) {
        wait_for_copies();
        __syncthreads(); /* s_now is complete, and nobody reads s_next any more */
        copies.begin(layer, first + B::channels, s_next);
        multiply_stage<B>(sum, s_now + row * B::pitch + column,
                          s_now + B::channels * B::plane + mask);
        float *const s_used = s_now;
        s_now = s_next;
        s_next = s_used;
    }

    const size_t plane = layer.height * layer.width;
#pragma unroll
    for (int m = 0; m < B::deep; m++) {
        const int n = block.first_mask + mask + m;
#pragma unroll
        for (int i = 0; i < 4 * B::high; i++) {
            const int line = row + i / 4; /* the row in part C, part of a row in part B */
            const size_t y = block.top + (B::radius > 0 ? line : 0);
            const size_t x = block.left + column + i % 4 + (B::radius > 0 ? 0 : line * B::pitch);
            if (n < layer.masks && y < (size_t)layer.height && x < layer.width) {
                layer.d_out[n * plane + y * layer.width + x] = sum[m][i / 4][i % 4];
            }
        }
    }
}

/* ---- launches ---- */

/* Two stages may be more shared memory than a kernel gets unasked. */
template <typename B>
static cudaError_t launch(void (*kernel)(Layer<typename B::real>),
                          const Layer<typename B::real> &layer) {
    const size_t bytes = 2 * B::stage * sizeof(typename B::real);
    const cudaError_t error = cudaFuncSetAttribute(
        (const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess) {
        return error;
    }
    kernel<<<Place<B>::blocks(layer), B::threads, bytes>>>(layer);
    return cudaGetLastError();
}

static cudaError_t pointwise(const Layer<double> &layer) {
    if (aligned(layer.d_image, layer.d_bank, layer.width, 2) && layer.channels % 2 == 0) {
        typedef DoubleBlock<0, WARP * DOUBLE_WARPS, 1, 16, 2> Pairs;
        return launch<Pairs>(tensor_kernel<Pairs>, layer);
    }
    typedef DoubleBlock<0, WARP * DOUBLE_WARPS, 1, 16, 1> Singles;
    return launch<Singles>(tensor_kernel<Singles>, layer);
}

static cudaError_t pointwise(const Layer<float> &layer) {
    typedef FloatBlock<0, WARP, 2, 12, 2, 3, 12> Line;
    return launch<Line>(register_kernel<Line, 2>, layer);
}

static cudaError_t convolution(const Layer<double> &layer) {
    typedef DoubleBlock<SIZE / 2, WARP, DOUBLE_WARPS, QUAD, 1> Tile;
    return launch<Tile>(tensor_kernel<Tile>, layer);
}

static cudaError_t convolution(const Layer<float> &layer) {
    typedef FloatBlock<SIZE / 2, 8, 4, 8, 2, 4, 4> Tile;
    return launch<Tile>(register_kernel<Tile, 1>, layer);
}

/* ---- the functions of lab.h ---- */

cudaError_t depthwise_double(const double *d_image, int channels, int height, int width,
                             const double *d_mask, double *d_out) {
    return depthwise_by_packs(d_image, channels, height, width, d_mask, d_out);
}
cudaError_t depthwise_float(const float *d_image, int channels, int height, int width,
                            const float *d_mask, float *d_out) {
    return depthwise_by_packs(d_image, channels, height, width, d_mask, d_out);
}
cudaError_t pointwise_double(const double *d_image, int channels, int height, int width,
                             const double *d_bank, int masks, double *d_out) {
    const size_t plane = (size_t)height * width;
    return pointwise(Layer<double>{d_image, d_bank, d_out, channels, 1, masks, plane});
}
cudaError_t pointwise_float(const float *d_image, int channels, int height, int width,
                            const float *d_bank, int masks, float *d_out) {
    const size_t plane = (size_t)height * width;
    return pointwise(Layer<float>{d_image, d_bank, d_out, channels, 1, masks, plane});
}
cudaError_t convolution_double(const double *d_image, int channels, int height, int width,
                               const double *d_bank, int masks, double *d_out) {
    return convolution(
        Layer<double>{d_image, d_bank, d_out, channels, height, masks, (size_t)width});
}
cudaError_t convolution_float(const float *d_image, int channels, int height, int width,
                              const float *d_bank, int masks, float *d_out) {
    return convolution(
        Layer<float>{d_image, d_bank, d_out, channels, height, masks, (size_t)width});
}
