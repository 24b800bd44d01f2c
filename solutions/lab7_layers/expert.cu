/* Lab 7, expert: the fastest layers that we know for an H200. The functions are those of lab.h;
 * layers.cu is the clear version. notes.md, "The expert", says what each step gains.
 *
 * A              no shared memory: only the traffic counts
 * B, C, double   a matrix product on the tensor cores, which multiply doubles twice as fast as the
 *                other units and round as exactly: tensor_kernel, and ring_kernel for B where
 *                boxes of pixels and weights can be copied
 * B, C, float    8 to 16 pixels of 8 or 12 masks in the registers of a thread: register_kernel. The
 *                tensor cores have no product of floats that is exact enough for this lab
 * C, few masks   one output per thread: few_masks_kernel
 *
 * In B and C a block computes with the channels of one stage while the next stage is being copied
 * to shared memory. Where a function has a body in PTX, the GPU's assembly, it has another in CUDA
 * C, for the simulator and for older GPUs.
 */
#include "lab.h"

#include <cuda.h>

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

/* Adds the product of a 16 x 4 matrix, two numbers of a lane, and a 4 x 8 matrix. */
#define MULTIPLY_MATRICES                                                                          \
    "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "                                            \
    "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"

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
            asm(MULTIPLY_MATRICES
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

/* ---- B for doubles on a GPU that copies boxes ---- */

/* A multiprocessor has one block, which computes unit after unit: 192 pixels of 96 masks or 128
 * pixels of 144 masks. A warp computes 32 pixels of 48 masks of it. A stage has STAGE channels of a
 * unit. The stages, counted through all units of a block, fill the slots of a ring one after the
 * other. No barrier stops the whole block: a warp waits until a slot is full before it reads it,
 * and the last warp that has read it begins to fill it again. */
enum { RING_WARPS = 12, SLOTS = 5, STAGE = 20, QUADS = STAGE / QUAD };
enum { WARP_PIXELS = 32, WARP_MASKS = 48, TILE = RING_WARPS * WARP_PIXELS };
enum { HIGH = WARP_MASKS / 16, WIDE = WARP_PIXELS / 8 }; /* matrices of a warp */

/* A slot has the pixels of a stage, then its weights, STAGE of a mask. A line is 16 pixels of a
 * channel. The lines of all channels follow one another, and then those of the next 16 pixels. Pair
 * p of a line is in place p ^ (number of the line) % 8: the copy does that (SWIZZLE_128B), and so a
 * warp reads without bank conflicts. Lines are counted from a multiple of 8 lines. */
enum { LINE = 16, PAIRS = LINE / 2, SLOT = (TILE / 2 + 2 * WARP_MASKS) * STAGE };
static_assert(SLOT % (8 * LINE) == 0 && STAGE % 8 == 4, "see Places");

/* Shared memory, in doubles: the slots, two barriers for each, how far each warp is. */
enum { FULL = SLOTS * SLOT, EMPTY = FULL + SLOTS, DONE = EMPTY + SLOTS, RING = DONE + RING_WARPS };
struct alignas(8 * LINE * sizeof(double)) Slot {
    double number[SLOT];
};

/* An address in shared memory, of 32 bits; without PTX, bytes from s_base on. pointer() is for that
 * alone. */
struct Shared {
    double *s_base;
    unsigned at;

    /* volatile: nvcc would find out anew, in every stage, where shared memory begins. */
    __device__ explicit Shared(double *s_first) : s_base(s_first), at(0) {
#if __CUDA_ARCH__ >= 900
        asm volatile("mov.u32 %0, %1;"
                     : "=r"(at)
                     : "r"((unsigned)__cvta_generic_to_shared(s_first)));
#endif
    }

    __device__ Shared operator+(int numbers) const {
        Shared sum = *this;
        sum.at += numbers * (int)sizeof(double);
        return sum;
    }

    __device__ Shared operator^(int numbers) const {
        Shared other = *this;
        other.at ^= numbers * (int)sizeof(double);
        return other;
    }

    __device__ double *pointer() const {
        return s_base + at / sizeof(double);
    }
};

/* What the copies of boxes must know of the image and of the bank, for units with two and with
 * three groups of WARP_MASKS masks. The simulator knows no such maps. */
#ifdef CU_TENSOR_MAP_NUM_QWORDS
struct Maps {
    CUtensorMap image[2], bank[2];
};
#define IN_PARAMETERS __grid_constant__ /* the copies read it there */
#else
struct Maps {};
#define IN_PARAMETERS
#endif

/* The n-th unit. A tile of 384 pixels has two units for two groups of masks. If the number of
 * groups is odd, the last three groups have three units instead. At least two groups. */
struct Unit {
    int groups, first_mask; /* groups of masks of the unit */
    unsigned left;

    __device__ Unit(const Layer<double> &layer, unsigned n) {
        const int all = (layer.masks + WARP_MASKS - 1) / WARP_MASKS;
        const int part = n % all, in_pairs = all % 2 == 0 ? all : all - 3;
        groups = part < in_pairs ? 2 : 3;
        const int first = part < in_pairs ? part / 2 * 2 : in_pairs;
        first_mask = first * WARP_MASKS;
        left = n / all * TILE + (part - first) * pixels();
    }

    __device__ int pixels() const {
        return TILE / groups;
    }
    __device__ int masks() const {
        return groups * WARP_MASKS;
    }

    static unsigned count(const Layer<double> &layer) {
        return (unsigned)(ceil_div(layer.width, TILE) * ceil_div(layer.masks, WARP_MASKS));
    }
};

/* Barriers between warps. Without PTX, the block waits before it reads a slot and when it has read
 * it. */
__device__ inline void open_barrier(Shared barrier, int arrivals) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared.b64 [%0], %1;\n"
                 "fence.mbarrier_init.release.cluster;" /* known to the copies, too */
                 :
                 : "r"(barrier.at), "r"(arrivals)
                 : "memory");
#endif
}

/* This thread arrives, and `bytes` more are to come with copies. */
__device__ inline void arrive_before_copies(Shared barrier, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :
                 : "r"(barrier.at), "r"(bytes)
                 : "memory");
#endif
}

/* A warp has read a slot. True for one thread of the warp that arrives last; this thread has to
 * fill the slot again. It waits for the barrier, without delay, so that the copy comes after all
 * reads. read: 0, but known only after all that was read. In nvcc's code nothing else makes an
 * arrival wait for the reads before it. */
__device__ inline bool leave_slot(Shared barrier, int read) {
#if __CUDA_ARCH__ >= 900
    int last = 0;
    __syncwarp();
    if (threadIdx.x % WARP == read) {
        asm volatile("{\n"
                     ".reg .b64 state;\n"
                     ".reg .b32 missing;\n"
                     ".reg .pred last;\n"
                     "mbarrier.arrive.shared.b64 state, [%1];\n"
                     "mbarrier.pending_count.b64 missing, state;\n" /* before this arrival */
                     "setp.eq.u32 last, missing, 1;\n"
                     "@last mbarrier.test_wait.shared.b64 last, [%1], state;\n"
                     "selp.b32 %0, 1, 0, last;\n"
                     "}"
                     : "=r"(last)
                     : "r"(barrier.at)
                     : "memory");
    }
    return last != 0;
#else
    __syncthreads();
    return threadIdx.x == 0;
#endif
}

/* Waits until all have arrived for the first, third, ... time (parity 0) or the second, ... (1). */
__device__ inline void wait_until(Shared barrier, unsigned parity) {
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "AGAIN:\n"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN;\n"
                 "}"
                 :
                 : "r"(barrier.at), "r"(parity)
                 : "memory");
#else
    __syncthreads();
#endif
}

/* One thread copies the channels from `first` on of a unit's pixels, and of its weights. What does
 * not exist becomes 0. */
__device__ inline void copy_pixels(Shared to, const Layer<double> &layer, const Maps &maps,
                                   const Unit &unit, int first, Shared full) {
#if __CUDA_ARCH__ >= 900 && defined CU_TENSOR_MAP_NUM_QWORDS
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];"
                 :
                 : "r"(to.at), "l"(&maps.image[unit.groups - 2]), "r"(0), "r"(first),
                   "r"(unit.left / LINE), "r"(full.at)
                 : "memory");
#else
    for (int i = 0; i < unit.pixels() * STAGE; i++) {
        const int line = i / LINE, c = first + line % STAGE;
        const size_t x = unit.left + line / STAGE * LINE + i % LINE;
        const int place = i % LINE / 2 ^ line % PAIRS;
        to.pointer()[line * LINE + place * 2 + i % 2] =
            c < layer.channels && x < layer.width ? layer.d_image[c * layer.width + x] : 0;
    }
#endif
}

__device__ inline void copy_weights(Shared to, const Layer<double> &layer, const Maps &maps,
                                    const Unit &unit, int first, Shared full) {
#if __CUDA_ARCH__ >= 900 && defined CU_TENSOR_MAP_NUM_QWORDS
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(to.at), "l"(&maps.bank[unit.groups - 2]), "r"(first), "r"(unit.first_mask),
                   "r"(full.at)
                 : "memory");
#else
    for (int i = 0; i < unit.masks() * STAGE; i++) {
        const int m = unit.first_mask + i / STAGE, c = first + i % STAGE;
        to.pointer()[i] = c < layer.channels && m < layer.masks
                              ? layer.d_bank[(size_t)m * layer.channels + c]
                              : 0;
    }
#endif
}

/* One thread begins to fill a slot with a stage of unit n or, if it has not so many stages, of a
 * later unit of this block. */
__device__ inline void fill_slot(Shared slot, Shared full, const Layer<double> &layer,
                                 const Maps &maps, unsigned units, unsigned n, int stage) {
    const int stages = (layer.channels + STAGE - 1) / STAGE;
    while (stage >= stages) {
        stage -= stages;
        n += gridDim.x;
    }
    if (n < units) {
        const Unit unit(layer, n);
        arrive_before_copies(full, (unit.pixels() + unit.masks()) * STAGE * (int)sizeof(double));
        copy_pixels(slot, layer, maps, unit, stage * STAGE, full);
        copy_weights(slot + unit.pixels() * STAGE, layer, maps, unit, stage * STAGE, full);
    }
}

/* Three warps compute on a quarter of a multiprocessor: w, w + 4 and w + 8. Its tensor core needs
 * two of them. Left alone, all three come to the end of a stage at the same time, and nobody
 * multiplies. So they begin their stages in a fixed order, each when the one before the last has
 * nearly finished: two multiply while the third waits, reads or stores. This changes no result. */
struct Turn {
    Shared own, awaited; /* stages that a warp has nearly finished */
    int stages;

    __device__ Turn(Shared done, int warp)
        : own(done + warp), awaited(done + (warp < 8 ? warp + 4 : warp - 8)), stages(0) {
    }

    __device__ void wait() const {
#if __CUDA_ARCH__ >= 900
        const int more = threadIdx.x < 8 * WARP ? 0 : 1; /* the third: for the first, this stage */
        int now;
        do {
            asm volatile("ld.volatile.shared.s32 %0, [%1];" : "=r"(now) : "r"(awaited.at));
        } while (now < stages + more);
#endif
    }

    __device__ void pass() {
        stages++;
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x % WARP == 0) {
            asm volatile("st.volatile.shared.s32 [%0], %1;" : : "r"(own.at), "r"(stages));
        }
#endif
    }
};

__device__ inline double read_one(Shared from) {
#if __CUDA_ARCH__ >= 900
    double number;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(number) : "r"(from.at));
    return number;
#else
    return *from.pointer();
#endif
}

/* Column g of the t-th matrix of pixels, of 8 columns, is pixel g % 2 of this pair of line t / 2.
 * Half a warp reads four columns and four channels: pairs p and p + 4, in all eight places. */
__device__ inline int pair_of(int g, int t) {
    return g / 2 % 2 * 4 + g / 4 + t % 2 * 2;
}

/* Where lane 4 g + q finds its numbers of a slot's first channels, for each of the two matrices of
 * a line and for lines whose number is q or q + 4, modulo 8. */
struct Places {
    Shared pixel[2][2], weight;

    __device__ Places(Shared first_line, Shared first_weight)
        : pixel{{first_line, first_line ^ 8}, {first_line ^ 4, first_line ^ 12}},
          weight(first_weight) {
    }
};

/* What a lane brings for four channels: of the weights rows g and g + 8, column q, of the pixels
 * row q, column g. Of the sums it has columns 2 q and 2 q + 1, which are neighbours, of rows g and
 * g + 8. */
struct Factors {
    double weight[HIGH][2], pixel[WIDE];

    __device__ void read(const Places &at, int quad) {
#pragma unroll
        for (int m = 0; m < 2 * HIGH; m++) {
            weight[m / 2][m % 2] = read_one(at.weight + (m * 8 * STAGE + quad * QUAD));
        }
#pragma unroll
        for (int t = 0; t < WIDE; t++) {
            pixel[t] = read_one(at.pixel[t % 2][(quad + t / 2) % 2] +
                                (quad * QUAD + t / 2 * STAGE) * LINE);
        }
    }

    /* Some bits of all numbers, which are known only after all have been read. */
    __device__ int bits() const {
        int all = -1;
#pragma unroll
        for (int m = 0; m < 2 * HIGH; m++) {
            all &= __double2hiint(weight[m / 2][m % 2]);
        }
#pragma unroll
        for (int t = 0; t < WIDE; t++) {
            all &= __double2hiint(pixel[t]);
        }
        return all;
    }

    __device__ void multiply(double (&sum)[HIGH][WIDE][4]) const {
#if __CUDA_ARCH__ >= 900
#pragma unroll
        for (int m = 0; m < HIGH; m++) {
#pragma unroll
            for (int t = 0; t < WIDE; t++) {
                asm(MULTIPLY_MATRICES
                    : "+d"(sum[m][t][0]), "+d"(sum[m][t][1]), "+d"(sum[m][t][2]), "+d"(sum[m][t][3])
                    : "d"(weight[m][0]), "d"(weight[m][1]), "d"(pixel[t]));
            }
        }
#else
        const int lane = threadIdx.x % WARP;
        for (int k = 0; k < QUAD; k++) {
            const int row = lane / QUAD * QUAD + k, column = lane % QUAD * 2 * QUAD + k;
            double other[2 * HIGH];
            for (int m = 0; m < 2 * HIGH; m++) {
                other[m] = __shfl_sync(ALL_LANES, weight[m / 2][m % 2], row);
            }
            for (int t = 0; t < 2 * WIDE; t++) {
                const double factor = __shfl_sync(ALL_LANES, pixel[t / 2], column + t % 2 * QUAD);
                for (int m = 0; m < 2 * HIGH; m++) {
                    sum[m / 2][t / 2][m % 2 * 2 + t % 2] += other[m] * factor;
                }
            }
        }
#endif
    }
};

/* Stores a warp's sums. */
__device__ inline void store(const double (&sum)[HIGH][WIDE][4], const Layer<double> &layer,
                             int first_mask, unsigned left) {
    const int lane = threadIdx.x % WARP, mask = first_mask + lane / 4;
    double *d_to = layer.d_out + mask * layer.width + left + 2 * pair_of(2 * (lane % 4), 0);
#pragma unroll
    for (int m = 0; m < 2 * HIGH; m++) {
        if (mask + 8 * m < layer.masks) {
#pragma unroll
            for (int t = 0; t < WIDE; t++) {
                if (left + t / 2 * LINE < layer.width) {
                    const double *two = &sum[m / 2][t][m % 2 * 2];
                    __stcs((double2 *)(d_to + t / 2 * LINE + t % 2 * 4),
                           make_double2(two[0], two[1]));
                }
            }
        }
        d_to += 8 * layer.width;
    }
}

/* zero: 0, which nvcc must not know. */
__global__ void __launch_bounds__(RING_WARPS *WARP, 1)
    ring_kernel(const Layer<double> layer, const IN_PARAMETERS Maps maps, unsigned units,
                int zero) {
    extern __shared__ Slot s_slots[];
    const Shared ring(s_slots->number);
    const int warp = __shfl_sync(ALL_LANES, threadIdx.x / WARP, 0); /* nvcc sees: one value */
    const int lane = threadIdx.x % WARP, group = lane / 4, quarter = lane % 4;
    const int stages = (layer.channels + STAGE - 1) / STAGE;
    Turn turn(ring + DONE, warp);
    Shared now = ring, full = ring + FULL;
    unsigned parity = 0;

    if (threadIdx.x == 0) {
        for (int i = 0; i < SLOTS; i++) {
            open_barrier(ring + (FULL + i), 1);
            open_barrier(ring + (EMPTY + i), RING_WARPS);
        }
        for (int i = 0; i < RING_WARPS; i++) {
            ((double *)s_slots)[DONE + i] = 0; /* all bits */
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < SLOTS; i++) {
            fill_slot(ring + i * SLOT, ring + (FULL + i), layer, maps, units, blockIdx.x, i);
        }
    }
    __syncwarp();
    for (unsigned n = blockIdx.x; n < units; n += gridDim.x) {
        const Unit unit(layer, n);
        const int across = RING_WARPS / unit.groups; /* warps side by side */
        const int pixel = warp % across * WARP_PIXELS, mask = warp / across * WARP_MASKS;
        const int pixels =
            (pixel / LINE * STAGE + quarter) * LINE + (pair_of(group, 0) ^ quarter) * 2 + group % 2;
        const int weights = (unit.pixels() + mask + group) * STAGE + quarter;
        double sum[HIGH][WIDE][4] = {};
        Factors even, odd; /* while the products of four channels are summed, the next are read */

        wait_until(full, parity);
        even.read(Places(now + pixels, now + weights), 0);
        for (int stage = 0;;) {
            const Places at(now + pixels, now + weights);
            const Shared used = now, used_full = full;
            turn.wait();
#pragma unroll
            for (int quad = 1; quad < QUADS; quad += 2) {
                odd.read(at, quad);
                even.multiply(sum);
                even.read(at, quad + 1);
                odd.multiply(sum);
            }
            turn.pass();
            now = now + SLOT;
            full = full + 1;
            if (now.at == (ring + SLOTS * SLOT).at) {
                now = ring;
                full = ring + FULL;
                parity ^= 1;
            }
            stage++;
            if (stage < stages) {
                wait_until(full, parity);
                odd.read(Places(now + pixels, now + weights), 0);
            }
            even.multiply(sum);
            if (leave_slot(used_full + SLOTS, even.bits() & zero)) {
                fill_slot(used, used_full, layer, maps, units, n, stage - 1 + SLOTS);
            }
            __syncwarp();
            if (stage == stages) {
                break;
            }
            even = odd;
        }
        store(sum, layer, unit.first_mask + mask, unit.left + pixel);
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

/* ---- C for few masks ---- */

/* For fewer masks the kernels above would compute mostly what nobody needs. */
enum { LEAST_MASKS = 4, FEW_THREADS = 128 };

/* A thread computes one output. */
template <typename real>
__global__ void __launch_bounds__(FEW_THREADS) few_masks_kernel(const Layer<real> layer) {
    const size_t plane = layer.height * layer.width;
    const size_t index = (size_t)blockIdx.x * FEW_THREADS + threadIdx.x;
    const size_t n = index / plane, pixel = index % plane;
    const size_t y = pixel / layer.width, x = pixel % layer.width;
    if (n >= (size_t)layer.masks) {
        return;
    }
    real sum = 0;
    for (int c = 0; c < layer.channels; c++) {
        const real *d_channel = layer.d_image + c * plane;
        const real *d_mask = layer.d_bank + (n * layer.channels + c) * (SIZE * SIZE);
        for (int tap = 0; tap < SIZE * SIZE; tap++) {
            /* Left of the image and above it, these are huge. */
            const size_t row = y + tap / SIZE - SIZE / 2, column = x + tap % SIZE - SIZE / 2;
            if (row < (size_t)layer.height && column < layer.width) {
                sum += d_channel[row * layer.width + column] * d_mask[tap];
            }
        }
    }
    layer.d_out[index] = sum;
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

/* Whole lines, whole pairs of weights, at least two groups of masks. */
static bool fits_ring(const Layer<double> &layer) {
    return aligned(layer.d_image, layer.d_out, layer.width, LINE) &&
           aligned(layer.d_bank, layer.d_bank, layer.channels, 2) && layer.masks > WARP_MASKS;
}

#ifdef CU_TENSOR_MAP_NUM_QWORDS
typedef decltype(&cuTensorMapEncodeTiled) Encode;

/* The function of the driver that makes maps, or null. So nothing must be linked. */
static Encode find_encode() {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                               12000, cudaEnableDefault, &result);
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? (Encode)found : nullptr;
}

/* Maps doubles in `rank` dimensions; those of the first are neighbours. steps: bytes from one to
 * the next in the others. box: how many a copy takes. */
static bool map_boxes(Encode encode, CUtensorMap *map, const double *d_first, int rank,
                      const cuuint64_t *counts, const cuuint64_t *steps, const cuuint32_t *box,
                      CUtensorMapSwizzle swizzle) {
    const cuuint32_t every[] = {1, 1, 1};
    return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, rank, (void *)d_first, counts, steps, box,
                  every, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static bool make_maps(const Layer<double> &layer, Maps *maps) {
    static const Encode encode = find_encode();
    const cuuint64_t channels = layer.channels, masks = layer.masks, row = sizeof(double);
    const cuuint64_t image[] = {LINE, channels, layer.width / LINE}, bank[] = {channels, masks};
    const cuuint64_t image_steps[] = {layer.width * row, LINE * row};
    const cuuint64_t bank_steps[] = {channels * row};
    bool made = encode != nullptr;

    for (unsigned i = 0; i < 2 && made; i++) {
        const unsigned groups = 2 + i;
        const cuuint32_t lines[] = {LINE, STAGE, TILE / groups / LINE};
        const cuuint32_t weights[] = {STAGE, groups * WARP_MASKS};
        made = map_boxes(encode, &maps->image[i], layer.d_image, 3, image, image_steps, lines,
                         CU_TENSOR_MAP_SWIZZLE_128B) &&
               map_boxes(encode, &maps->bank[i], layer.d_bank, 2, bank, bank_steps, weights,
                         CU_TENSOR_MAP_SWIZZLE_NONE);
    }
    return made;
}
#else
static bool make_maps(const Layer<double> &, Maps *) {
    return true;
}
#endif

static cudaError_t launch_ring(const Layer<double> &layer, const Maps &maps, int processors) {
    const unsigned units = Unit::count(layer);
    const size_t bytes = RING * sizeof(double);
    const cudaError_t error =
        cudaFuncSetAttribute(ring_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess) {
        return error;
    }
    ring_kernel<<<min(units, (unsigned)processors), RING_WARPS * WARP, bytes>>>(layer, maps, units,
                                                                                0);
    return cudaGetLastError();
}

static cudaError_t pointwise(const Layer<double> &layer) {
    int device, most, processors;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error != cudaSuccess) {
        return error;
    }
    Maps maps;
    if (fits_ring(layer) && RING * sizeof(double) <= (size_t)most && make_maps(layer, &maps)) {
        return launch_ring(layer, maps, processors);
    }
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

template <typename real> static cudaError_t convolution_of_few(const Layer<real> &layer) {
    const size_t outputs = layer.height * layer.width * layer.masks;
    few_masks_kernel<<<(unsigned)ceil_div(outputs, FEW_THREADS), FEW_THREADS>>>(layer);
    return cudaGetLastError();
}

static cudaError_t convolution(const Layer<double> &layer) {
    if (layer.masks < LEAST_MASKS) {
        return convolution_of_few(layer);
    }
    typedef DoubleBlock<SIZE / 2, WARP, DOUBLE_WARPS, QUAD, 1> Tile;
    return launch<Tile>(tensor_kernel<Tile>, layer);
}

static cudaError_t convolution(const Layer<float> &layer) {
    if (layer.masks < LEAST_MASKS) {
        return convolution_of_few(layer);
    }
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
