/* The unit tests of lab 7: `make lab7-test`. Each is short: read it when it fails.
 *
 * Most run four or six times: in double and in float, for the parts that they fit. Values are small
 * whole numbers, so that every sum is exact in either type. The output starts as NaN, so that a
 * value that was never written cannot pass. */
#include "lab.h"
#include "shown.h"
#include "test_cuda.h"

#include <string.h>

enum { MOST = 40000, PART_A = 0, PART_B, PART_C };
enum { A_DOUBLE = 0, A_FLOAT, B_DOUBLE, B_FLOAT, C_DOUBLE, C_FLOAT, ALL };

static double image[MOST], weights[MOST], out[MOST], expected[MOST];
static void *d_image, *d_weights, *d_out;

/* Before each test: no weights, an image whose values tell where they are from. */
static void setup(void) {
    cudaGetLastError();
    for (int i = 0; i < MOST; i++) {
        image[i] = i % 251 - 100;
        weights[i] = 0;
    }
    d_image = device_array(sizeof image);
    d_weights = device_array(sizeof weights);
    d_out = device_array(sizeof out);
}

static void teardown(void) {
    must(cudaFree(d_image), "cudaFree");
    must(cudaFree(d_weights), "cudaFree");
    must(cudaFree(d_out), "cudaFree");
}

/* Copies `count` numbers to the device, as doubles or as floats. */
static void send(void *d_to, const double *from, int count, int floats) {
    static float narrow[MOST];
    for (int i = 0; i < count; i++) {
        narrow[i] = (float)from[i];
    }
    const void *h_from = floats ? (const void *)narrow : (const void *)from;
    const size_t size = floats ? sizeof(float) : sizeof(double);
    must(cudaMemcpy(d_to, h_from, (size_t)count * size, cudaMemcpyHostToDevice), "a copy there");
}

static void fetch(double *to, const void *d_from, int count, int floats) {
    static float narrow[MOST];
    void *h_to = floats ? (void *)narrow : (void *)to;
    const size_t size = floats ? sizeof(float) : sizeof(double);
    must(cudaMemcpy(h_to, d_from, (size_t)count * size, cudaMemcpyDeviceToHost), "a copy back");
    for (int i = 0; floats && i < count; i++) {
        to[i] = narrow[i];
    }
}

static const char *const names[] = {"depthwise_double", "depthwise_float",    "pointwise_double",
                                    "pointwise_float",  "convolution_double", "convolution_float"};

static cudaError_t call(int which, int c, int h, int w, int n) {
    switch (which) {
    case A_DOUBLE:
        return depthwise_double(d_image, c, h, w, d_weights, d_out);
    case A_FLOAT:
        return depthwise_float(d_image, c, h, w, d_weights, d_out);
    case B_DOUBLE:
        return pointwise_double(d_image, c, h, w, d_weights, n, d_out);
    case B_FLOAT:
        return pointwise_float(d_image, c, h, w, d_weights, n, d_out);
    case C_DOUBLE:
        return convolution_double(d_image, c, h, w, d_weights, n, d_out);
    default:
        return convolution_float(d_image, c, h, w, d_weights, n, d_out);
    }
}

/* Runs the function on `image` and `weights` and compares all of `out` with `expected`. */
static void expect(int which, int c, int h, int w, int n) {
    const int part = which / 2, floats = which % 2;
    const int planes = part == PART_A ? c : n;
    const int taps = part == PART_A ? SIZE * SIZE : n * c * (part == PART_B ? 1 : SIZE * SIZE);
    const int values = planes * h * w;
    ck_assert_int_le(c * h * w, MOST);
    ck_assert_int_le(taps, MOST);
    ck_assert_int_le(values, MOST);
    send(d_image, image, c * h * w, floats);
    send(d_weights, weights, taps, floats);
    must(cudaMemset(d_out, 0xff, sizeof out), "cudaMemset");

    must(call(which, c, h, w, n), names[which]);

    must(cudaDeviceSynchronize(), "the kernel");
    fetch(out, d_out, values, floats);
    for (int i = 0; i < values; i++) {
        ck_assert_msg(out[i] == expected[i], "%s: out(%d, y=%d, x=%d) is %g, expected %g",
                      names[which], i / (h * w), i / w % h, i % w, shown(out[i]), expected[i]);
    }
}

/* One mask that is 1 in the middle of one channel: n's in channel (n * step) mod c. */
static void pick(int part, int c, int n, int step) {
    const int size = part == PART_B ? 1 : SIZE;
    for (int i = 0; i < n; i++) {
        weights[(i * c + i * step % c) * size * size + size * size / 2] = 1;
    }
}

/* 131 x 11 is no multiple of any tile. */
LOOP_TEST(a_single_one_copies_the_channels, A_DOUBLE, ALL) {
    const int part = _i / 2, c = 3, h = 11, w = 131, n = part == PART_A ? 1 : 3;
    pick(part, part == PART_A ? 1 : c, n, 1);
    memcpy(expected, image, sizeof expected);
    expect(_i, c, h, w, n);
}

/* Seven masks of which no two neighbours pick the same channel, so that a mask's offset shows. */
LOOP_TEST(each_mask_has_its_own_weights, B_DOUBLE, ALL) {
    const int c = 5, h = 4, w = 6, n = 7;
    pick(_i / 2, c, n, 2);
    for (int i = 0; i < n * h * w; i++) {
        expected[i] = image[i / (h * w) * 2 % c * h * w + i % (h * w)];
    }
    expect(_i, c, h, w, n);
}

/* Weights 1, 2, 3, ... of one mask: every channel counts, each with its own weight. */
LOOP_TEST(all_channels_are_summed, B_DOUBLE, ALL) {
    const int part = _i / 2, c = 37, h = 2, w = 3, taps = part == PART_B ? 1 : SIZE * SIZE;
    for (int i = 0; i < h * w; i++) {
        expected[i] = 0;
        for (int j = 0; j < c; j++) {
            weights[j * taps + taps / 2] = j + 1;
            expected[i] += image[j * h * w + i] * (j + 1);
        }
    }
    expect(_i, c, h, w, 1);
}

/* The functions that have masks of 3x3: those of A and C. */
static const int masks_of_3x3[] = {A_DOUBLE, A_FLOAT, C_DOUBLE, C_FLOAT};

/* By hand: an image 1..9 and a mask 1..9. The middle is 1*1 + 2*2 + ... + 9*9 = 285. */
LOOP_TEST(three_by_three_by_hand, 0, 4) {
    const double by_hand[] = {94, 154, 106, 186, 285, 186, 106, 154, 94};
    for (int i = 0; i < 9; i++) {
        image[i] = weights[i] = i + 1;
        expected[i] = by_hand[i];
    }
    expect(masks_of_3x3[_i], 1, 3, 3, 1);
}

/* g(0, 0), the upper left coefficient, multiplies the pixel above on the left; outside the image
 * that is 0.
 */
LOOP_TEST(the_mask_is_not_flipped, 0, 4) {
    const int h = 35, w = 67; /* several tiles: their aprons count */
    weights[0] = 1;
    for (int i = 0; i < h * w; i++) {
        expected[i] = i / w > 0 && i % w > 0 ? image[i - w - 1] : 0;
    }
    expect(masks_of_3x3[_i], 1, h, w, 1);
}

LOOP_TEST(channels_do_not_mix, A_DOUBLE, B_DOUBLE) {
    const int c = 4, h = 2, w = 2;
    for (int i = 0; i < SIZE * SIZE; i++) {
        weights[i] = 1; /* each value becomes the sum of its channel's four */
    }
    for (int i = 0; i < c * h * w; i++) {
        const double *channel = image + i / 4 * 4;
        expected[i] = channel[0] + channel[1] + channel[2] + channel[3];
    }
    expect(_i, c, h, w, 1);
}

/* The sum over channels, rows and columns as lab.h writes it. */
static double by_definition(int part, int c, int h, int w, int n, int y, int x) {
    const int radius = part == PART_B ? 0 : 1, size = 2 * radius + 1;
    double sum = 0;
    for (int i = 0; i < c * size * size; i++) {
        const int channel = i / (size * size);
        const int v = y + i / size % size - radius, u = x + i % size - radius;
        if (v >= 0 && v < h && u >= 0 && u < w) {
            sum += image[(channel * h + v) * w + u] * weights[n * c * size * size + i];
        }
    }
    return sum;
}

LOOP_TEST(equals_plain_loops, B_DOUBLE, ALL) {
    const int part = _i / 2, c = 13, h = 19, w = 37, n = 17;
    for (int i = 0; i < n * c * SIZE * SIZE; i++) {
        weights[i] = i * 7 % 19 - 9;
    }
    for (int i = 0; i < n * h * w; i++) {
        expected[i] = by_definition(part, c, h, w, i / (h * w), i / w % h, i % w);
    }
    expect(_i, c, h, w, n);
}

LOOP_TEST(one_pixel_one_channel_one_mask, A_DOUBLE, ALL) {
    image[0] = 3;
    weights[_i / 2 == PART_B ? 0 : 4] = 5; /* the middle */
    expected[0] = 15;
    expect(_i, 1, 1, 1, 1);
}

SUITE_BETWEEN("lab7", setup, teardown)
