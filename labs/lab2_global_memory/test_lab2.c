/* The unit tests of lab 2: `make lab2-test`. Those in labs/runtime/test_correlate.h run as well.
 *
 * Most run four times, once for each part's function, all with host pointers in and out. */
#define FUNCTIONS 4

#include "lab.h"
#include "mask.h"
#include "test_correlate.h"
#include "test_cuda.h"

typedef cudaError_t on_device(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out);

/* Calls a function of part A or D with copies of `image` and `mask` on the device. */
static cudaError_t with_copies(on_device *function, int width, int height, int radius,
                               enum border border) {
    const size_t image_bytes = (size_t)(width * height) * sizeof(float);
    const size_t mask_bytes = (size_t)((2 * radius + 1) * (2 * radius + 1)) * sizeof(float);
    float *d_image = device_array(image_bytes), *d_mask = device_array(mask_bytes);
    float *d_out = device_array(image_bytes);

    must(cudaMemcpy(d_image, image, image_bytes, cudaMemcpyHostToDevice), "copy of the image");
    must(cudaMemcpy(d_mask, mask, mask_bytes, cudaMemcpyHostToDevice), "copy of the mask");
    must(cudaMemset(d_out, 0xff, image_bytes), "cudaMemset");

    const cudaError_t error = function(d_image, width, height, d_mask, radius, border, d_out);

    must(cudaDeviceSynchronize(), "the kernel");
    must(cudaMemcpy(out, d_out, image_bytes, cudaMemcpyDeviceToHost), "copy of the result");
    must(cudaFree(d_image), "cudaFree");
    must(cudaFree(d_mask), "cudaFree");
    must(cudaFree(d_out), "cudaFree");
    return error;
}

static const char *const names[] = {"correlate_device", "correlate_host", "correlate_staged",
                                    "correlate_identical"};
enum { DEVICE, HOST, STAGED, IDENTICAL };

static cudaError_t call(int which, int width, int height, int radius, enum border border) {
    for (int i = 0; i < MOST; i++) {
        out[i] = NAN;
    }
    switch (which) {
    case DEVICE:
        return with_copies(correlate_device, width, height, radius, border);
    case HOST:
        return correlate_host(image, width, height, mask, radius, border, out);
    case STAGED:
        return correlate_staged(HOST_PINNED, image, width, height, mask, radius, border, out);
    default:
        return with_copies(correlate_identical, width, height, radius, border);
    }
}

static void expect(int which, int width, int height, int radius, enum border border,
                   const float *expected, float slack) {
    must(call(which, width, height, radius, border), names[which]);
    compare(names[which], width, height, expected, slack);
}

/* Before each test, besides: no pending CUDA error. */
static void setup(void) {
    cudaGetLastError();
    reset();
}

/* Eq. 1 as written, each product and each sum rounded to float: `volatile` keeps the compiler
 * from any other rounding. */
static void float_loop(int width, int height, int radius, enum border border) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            volatile float sum = 0.0f;
            for (int b = -radius; b <= radius; b++) {
                for (int a = -radius; a <= radius; a++) {
                    int row = y + b, column = x + a;
                    if (border == BORDER_REPLICATE) {
                        row = row < 0 ? 0 : row >= height ? height - 1 : row;
                        column = column < 0 ? 0 : column >= width ? width - 1 : column;
                    }
                    if (row >= 0 && row < height && column >= 0 && column < width) {
                        volatile float product =
                            image[row * width + column] *
                            mask[(b + radius) * (2 * radius + 1) + (a + radius)];
                        sum = sum + product;
                    }
                }
            }
            loop_sums[y * width + x] = sum;
        }
    }
}

LOOP_TEST(equals_a_plain_loop, 0, FUNCTIONS) {
    const float slack = _i == IDENTICAL ? 0.0f : 0.01f; /* part D: every bit */
    mask_random(6, 1, mask);
    float_loop(61, 53, 6, BORDER_ZERO);
    expect(_i, 61, 53, 6, BORDER_ZERO, loop_sums, slack);
    float_loop(61, 53, 6, BORDER_REPLICATE);
    expect(_i, 61, 53, 6, BORDER_REPLICATE, loop_sums, slack);
    float_loop(53, 1, 6, BORDER_REPLICATE);
    expect(_i, 53, 1, 6, BORDER_REPLICATE, loop_sums, slack);
}

TEST(every_kind_of_staging_buffer_works) {
    mask[4] = 1.0f;
    for (int kind = HOST_PAGEABLE; kind <= HOST_WRITE_COMBINED; kind++) {
        out[0] = NAN;
        must(correlate_staged((enum host_memory)kind, image, 37, 11, mask, 1, BORDER_ZERO, out),
             "correlate_staged");
        ck_assert_msg(out[0] == image[0],
                      "correlate_staged(), kind %d: out(x=0, y=0) is %g, expected %g", kind,
                      shown(out[0]), (double)image[0]);
    }
}

TEST(unknown_kind_of_staging_buffer_is_refused) {
    const int kind = 7;
    ck_assert_int_eq(
        correlate_staged((enum host_memory)kind, image, 3, 2, mask, 1, BORDER_ZERO, out),
        cudaErrorInvalidValue);
}

/* An image of almost 2^48 bytes fits on no GPU: cudaMalloc() fails, and the function must report
 * it. In 32 bits its width times its height is 0. */
TEST(too_little_device_memory_is_reported) {
    const cudaError_t error = correlate_host(image, 1 << 30, 65532, mask, 1, BORDER_ZERO, out);
    ck_assert_msg(error == cudaErrorMemoryAllocation,
                  "correlate_host() of %d x 65532 pixels returned %s, expected "
                  "cudaErrorMemoryAllocation: width * height overflows an int, so begin with "
                  "(size_t)width",
                  1 << 30, cudaGetErrorName(error));
}

SUITE_BETWEEN("lab2", setup, NULL)
