/* The unit tests of lab 8: `make lab8-test`. Each is short: read it when it fails.
 *
 * Most run eight times: once for each of the CPU's four functions, and for part E's kernel and its
 * three ways to copy there and back. The output starts as 0x5a, which no test expects. */
#include "lab_cuda.h"
#include "test_cuda.h"

#include <omp.h>
#include <string.h>

enum { MOST = 128 * 128, POISON = 0x5a, GUARD = 64 };

static const struct weights bt709 = WEIGHTS_709, bt601 = WEIGHTS_601;

/* Multiples of 32, as part D wants; after `grey` there is room, to find a write past its end. */
static _Alignas(64) uint8_t rgb[3 * MOST + GUARD];
static _Alignas(64) uint8_t grey[MOST + GUARD];

static const char *const names[] = {"grey_openmp", "grey_rows",  "grey_sse",    "grey_avx2",
                                    "grey_device", "grey_plain", "grey_pinned", "grey_streamed"};
enum { OPENMP, ROWS, SSE, AVX2, DEVICE, PLAIN, PINNED, STREAMED, FUNCTIONS };

/* Tests of a part do nothing on a processor that lacks its instructions. */
static int can_run(int which) {
#if defined(__x86_64__)
    return which == SSE    ? __builtin_cpu_supports("ssse3") != 0
           : which == AVX2 ? __builtin_cpu_supports("avx2") != 0
                           : 1;
#else
    return which != SSE && which != AVX2;
#endif
}

/* Calls grey_device() with copies of `from` and of `to` on the device. */
static cudaError_t with_copies(const uint8_t *from, size_t pixels, struct weights w, uint8_t *to) {
    uint8_t *d_rgb = device_array(3 * pixels), *d_grey = device_array(pixels);

    must(cudaMemcpy(d_rgb, from, 3 * pixels, cudaMemcpyHostToDevice), "copy of the image");
    must(cudaMemcpy(d_grey, to, pixels, cudaMemcpyHostToDevice), "copy of the poison");

    const cudaError_t error = grey_device(d_rgb, pixels, w, d_grey, NULL);

    must(cudaDeviceSynchronize(), "the kernel");
    must(cudaMemcpy(to, d_grey, pixels, cudaMemcpyDeviceToHost), "copy of the result");
    must(cudaFree(d_rgb), "cudaFree");
    must(cudaFree(d_grey), "cudaFree");
    return error;
}

static void call(int which, const uint8_t *from, int width, int height, struct weights w,
                 uint8_t *to) {
    const size_t pixels = (size_t)width * (size_t)height;
    cudaError_t error = cudaSuccess;

    switch (which) {
    case OPENMP:
        grey_openmp(from, width, height, w, to);
        break;
    case ROWS:
        grey_rows(from, width, height, w, to);
        break;
    case SSE:
        grey_sse(from, width, height, w, to);
        break;
    case AVX2:
        grey_avx2(from, width, height, w, to);
        break;
    case DEVICE:
        error = with_copies(from, pixels, w, to);
        break;
    case PLAIN:
        error = grey_plain(from, width, height, w, to);
        break;
    case PINNED:
        error = grey_pinned(from, width, height, w, to);
        break;
    default:
        error = grey_streamed(from, width, height, w, 3, to);
    }
    must(error, names[which]);
}

/* lab.h's rule, in double: every product and sum is exact. */
static int rule(const uint8_t *pixel, struct weights w) {
    return (int)((w.r * (double)pixel[0] + w.g * (double)pixel[1] + w.b * (double)pixel[2]) /
                     32768 +
                 0.5);
}

/* Runs function `which` from `from` to `to` and compares every pixel, and the bytes after the
 * image. */
static void expect_rule(int which, const uint8_t *from, int width, int height, struct weights w,
                        uint8_t *to) {
    const int pixels = width * height;

    memset(to, POISON, (size_t)pixels + GUARD / 2);
    call(which, from, width, height, w, to);
    for (int i = 0; i < pixels; i++) {
        ck_assert_msg(to[i] == rule(from + 3 * i, w),
                      "%s, %dx%d: grey(x=%d, y=%d) is %d, expected %d", names[which], width, height,
                      i % width, i / width, to[i], rule(from + 3 * i, w));
    }
    for (int i = 0; i < GUARD / 2; i++) {
        ck_assert_msg(to[pixels + i] == POISON,
                      "%s, %dx%d: wrote to byte %d after the end of the image", names[which], width,
                      height, i);
    }
}

/* Before each test: no pending CUDA error, noise, four threads. */
static void setup(void) {
    unsigned state = 8;
    cudaGetLastError();
    for (size_t i = 0; i < sizeof rgb; i++) {
        state = state * 1664525u + 1013904223u;
        rgb[i] = (uint8_t)(state >> 24);
    }
    omp_set_num_threads(4);
}

/* White stays white and black black, since the weights sum to 32768. */
LOOP_TEST(white_and_black, 0, FUNCTIONS) {
    for (int i = 0; can_run(_i) && i < 3 * 64; i++) {
        rgb[i] = i < 3 * 32 ? 255 : 0;
    }
    if (can_run(_i)) {
        expect_rule(_i, rgb, 32, 2, bt709, grey);
        ck_assert_int_eq(grey[0], 255);
        ck_assert_int_eq(grey[63], 0);
    }
}

/* By hand: red 255 alone is 255 x 6966 / 32768 = 54.21, green 182.38, blue 18.41 (BT.709); with
 * BT.601 76.25, 149.68, 29.07. Swapped red and blue show here. */
LOOP_TEST(the_primary_colours, 0, FUNCTIONS) {
    const uint8_t want709[] = {54, 182, 18}, want601[] = {76, 150, 29};
    if (!can_run(_i)) {
        return;
    }
    memset(rgb, 0, sizeof rgb);
    for (int i = 0; i < 48; i++) {
        rgb[3 * i + i % 3] = 255; /* red, green, blue, red, ... */
    }
    expect_rule(_i, rgb, 48, 1, bt709, grey);
    ck_assert_mem_eq(grey, want709, sizeof want709);
    expect_rule(_i, rgb, 48, 1, bt601, grey);
    ck_assert_mem_eq(grey, want601, sizeof want601);
}

/* With weights of a half, 1 is 0.5 and goes up to 1, and 3 is 1.5 and goes up to 2. */
LOOP_TEST(a_half_is_rounded_up, 0, FUNCTIONS) {
    const struct weights halves = {16384, 16384, 0};
    if (!can_run(_i)) {
        return;
    }
    memset(rgb, 0, sizeof rgb);
    for (int i = 0; i < 40; i++) {
        rgb[3 * i] = (uint8_t)(2 * i + 1);
    }
    expect_rule(_i, rgb, 40, 1, halves, grey);
    ck_assert_int_eq(grey[0], 1);
    ck_assert_int_eq(grey[1], 2);
}

/* All lengths near multiples of the vectors, as one row and as one column. */
LOOP_TEST(every_length_up_to_200, 0, FUNCTIONS) {
    for (int n = 1; can_run(_i) && n <= 200; n += _i < DEVICE ? 1 : 7) {
        expect_rule(_i, rgb, n, 1, bt709, grey);
        expect_rule(_i, rgb, 1, n, bt601, grey);
    }
}

LOOP_TEST(sides_that_are_no_multiple_of_a_vector, 0, FUNCTIONS) {
    const int sizes[][2] = {{1, 1}, {17, 3}, {127, 83}, {61, 53}, {128, 128}};
    for (size_t i = 0; can_run(_i) && i < sizeof sizes / sizeof sizes[0]; i++) {
        expect_rule(_i, rgb, sizes[i][0], sizes[i][1], bt601, grey);
    }
}

/* Weights are a parameter: the largest that a signed 16-bit integer holds, and 0. */
LOOP_TEST(the_largest_weights, 0, FUNCTIONS) {
    const struct weights sets[] = {{32767, 1, 0}, {0, 32767, 1}, {1, 0, 32767}};
    for (int i = 0; can_run(_i) && i < 3; i++) {
        expect_rule(_i, rgb, 67, 5, sets[i], grey);
    }
}

LOOP_TEST(any_number_of_threads, 0, DEVICE) {
    for (int threads = 1; can_run(_i) && threads <= 9; threads += 2) {
        omp_set_num_threads(threads);
        expect_rule(_i, rgb, 101, 7, bt709, grey);
        expect_rule(_i, rgb, 3, 1, bt709, grey);
    }
}

/* Only part D may rely on aligned addresses. */
LOOP_TEST(unaligned_addresses, 0, AVX2) {
    for (int shift = 1; can_run(_i) && shift < 16; shift += 2) {
        expect_rule(_i, rgb + shift, 53, 3, bt709, grey + shift);
    }
}

TEST(any_number_of_chunks) {
    for (int chunks = 1; chunks <= 40; chunks += 3) {
        memset(grey, POISON, sizeof grey);
        must(grey_streamed(rgb, 11, 7, bt709, chunks, grey), "grey_streamed");
        for (int i = 0; i < 77; i++) {
            ck_assert_msg(grey[i] == rule(rgb + 3 * i, bt709),
                          "grey_streamed(), %d chunks: pixel %d is %d, expected %d", chunks, i,
                          grey[i], rule(rgb + 3 * i, bt709));
        }
        ck_assert_int_eq(grey[77], POISON);
    }
}

TEST(all_memory_is_unpinned) {
    must(grey_pinned(rgb, 17, 3, bt709, grey), "grey_pinned");
    must(grey_streamed(rgb, 17, 3, bt709, 2, grey), "grey_streamed");
    ck_assert_int_eq(cudaHostUnregister(rgb), cudaErrorHostMemoryNotRegistered);
    ck_assert_int_eq(cudaHostUnregister(grey), cudaErrorHostMemoryNotRegistered);
}

/* 2^46 pixels fit on no GPU: cudaMalloc() fails, and the function must report it. */
TEST(too_little_device_memory_is_reported) {
    ck_assert_int_eq(grey_plain(rgb, 1 << 23, 1 << 23, bt709, grey), cudaErrorMemoryAllocation);
}

SUITE_BETWEEN("lab8", setup, NULL)
