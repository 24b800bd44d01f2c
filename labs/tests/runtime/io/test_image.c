/* Check suite of labs/runtime/io/image.c: pixels, limits, and files that are not what they say.
 * grader/tests/datasets/test_datasets.py compares image_read() with Pillow on the photograph. */
#include "io/image.h"
#include "test_suite.h"

#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[40];
static char path[64];
static char error[256];

/* In memory, where there is such a folder: a file that replaces another one waits for a disk. */
static void set_up(void) {
    snprintf(folder, sizeof folder, "%s/convlabs-image-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.png", folder);
}

static void tear_down(void) {
    unlink(path);
    rmdir(folder);
}

#define PNG "89504e470d0a1a0a"
#define END "0000000049454e44ae426082"

/* 2x1 pixels, (255,0,0) and (10,200,30), made by Pillow. */
static const char rgb[] = PNG "0000000d4948445200000002000000010802000000"
                              "7b40e8dd0000000f49444154789c63f8cfc0c075420e0007cd01f096b6fe26" END;
static const char rgba[] = PNG "0000000d4948445200000002000000010806000000f4227f8a"
                               "0000001149444154789c63f8cfc0c0c07542ae01000b3d0270c00e733f" END;
static const char palette[] = PNG "0000000d4948445200000002000000010103000000ceecedc9"
                                  "00000006504c54450ac81eff0000d3c72df2"
                                  "0000000a49444154789c636800000082008177cd72b6" END;
/* 2x1 pixels of 16 bits, 0x1234 and 0xffff. */
static const char grey16[] = PNG "0000000d494844520000000200000001100000000081d9fc15"
                                 "0000000d49444154789c631032f9ff1f0003e602452e429675" END;

/* Hexadecimal digits into bytes. Returns their number. */
static size_t unhex(const char *hex, unsigned char *bytes) {
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return n;
}

static float *pixels;
static int width, height;

static int read_bytes(const void *bytes, size_t n) {
    ck_assert_msg(file_write(path, bytes, n, NULL, 0, error, sizeof error) == 0, "%s", error);
    return image_read(path, &pixels, &width, &height, error, sizeof error);
}

static void refused(const void *bytes, size_t n, const char *why) {
    ck_assert_msg(read_bytes(bytes, n) == -1, "accepted, not: %s", why);
    ck_assert_msg(strstr(error, why) != NULL, "%s, not: %s", error, why);
    ck_assert_ptr_null(pixels);
    ck_assert_int_eq(width, 0);
}

static float luminance(int r, int g, int b) {
    return (float)((2126 * r + 7152 * g + 722 * b) / 2550000.0);
}

LOOP_TEST(colours_become_luminance, 0, 3) {
    static const char *const pictures[] = {rgb, rgba, palette};
    unsigned char file[128];
    size_t n = unhex(pictures[_i], file);
    ck_assert_msg(read_bytes(file, n) == 0, "%s", error);
    ck_assert_int_eq(width, 2);
    ck_assert_int_eq(height, 1);
    ck_assert(pixels[0] == luminance(255, 0, 0));
    ck_assert(pixels[1] == luminance(10, 200, 30));
    ck_assert_double_eq_tol((double)pixels[0], 0.2126, 1e-7);
    free(pixels);
}

TEST(grey_of_16_bits_keeps_the_upper_8) {
    unsigned char file[128];
    ck_assert_msg(read_bytes(file, unhex(grey16, file)) == 0, "%s", error);
    ck_assert(pixels[0] == luminance(0x12, 0x12, 0x12));
    ck_assert(pixels[1] == 1.0f);
    free(pixels);
}

TEST(pnm_with_comments) {
    static const char grey[] = "P5 # a comment\n#another\n 3\t1\n255\n\x00\x80\xff";
    ck_assert_msg(read_bytes(grey, sizeof grey - 1) == 0, "%s", error);
    ck_assert_int_eq(width, 3);
    ck_assert_int_eq(height, 1);
    ck_assert(pixels[0] == 0.0f && pixels[1] == 128.0f / 255.0f && pixels[2] == 1.0f);
    free(pixels);
    static const char colour[] = "P6\n1 2\n255\n\x00\x00\xff\xff\xff\xff";
    ck_assert_msg(read_bytes(colour, sizeof colour - 1) == 0, "%s", error);
    ck_assert_int_eq(height, 2);
    ck_assert(pixels[0] == luminance(0, 0, 255) && pixels[1] == 1.0f);
    free(pixels);
}

TEST(pnm_that_is_wrong) {
    static const struct {
        const char *file, *why;
    } wrong[] = {
        {"P5", "header"},
        {"P5\n", "header"},
        {"P5 2 2", "header"},
        {"P5 2 2 255", "header"},
        {"P5 # 2 2 255 1234", "header"},
        {"P5 -2 2 255 1234", "header"},
        {"P5 0 2 255 ", "no pixels"},
        {"P5 2 0 255 ", "no pixels"},
        {"P5 2 2 255 123", "cut off"},
        {"P5 2 2 255 12345", "after the end"},
        {"P6 2 2 255 1234", "cut off"},
        {"P5 2 2 15 1234", "8 bits"},
        {"P5 2 2 65535 12345678", "8 bits"},
        {"P5 32769 1 255 1", "larger than"},
        {"P5 32768 32768 255 1", "larger than"},
        {"P5 99999999999999999999 1 255 1", "larger than"},
        {"P2 1 1 255 7", "not a PNG picture"},
        {"P7 1 1 255 7", "not a PNG picture"},
        {"GIF89a", "not a PNG picture"},
        {"", "not a PNG picture"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refused(wrong[i].file, strlen(wrong[i].file), wrong[i].why);
}

TEST(png_that_is_wrong) {
    unsigned char file[160];
    size_t n = unhex(rgb, file);
    for (size_t k = 8; k < n; k++)
        refused(file, k, "it is cut off");
    for (size_t k = 0; k < 8; k++)
        refused(file, k, "not a PNG picture");
    refused(file, n + 1, "after the end");
    file[16] = 0x7f; /* the first byte of the width */
    refused(file, n, "larger than");
    file[16] = 0;
    memset(file + 16, 0, 4);
    refused(file, n, "no pixels");
    file[19] = 2;
    file[8] = 0xff; /* of the length of IHDR */
    refused(file, n, "cut off");
    file[8] = 0;
    file[12] = 'J';
    refused(file, n, "IHDR");
}

TEST(a_picture_of_2_to_the_28_pixels_and_a_row_is_refused) {
    unsigned char file[128];
    size_t n = unhex(rgb, file);
    static const unsigned char size[8] = {0, 0, 0x80, 0, 0, 0, 0x20, 1}; /* 32768 x 8193 */
    memcpy(file + 16, size, sizeof size);
    refused(file, n, "larger than 32768 on a side or 2^28 pixels");
}

/* Whatever one byte becomes, reading ends in 2x1-like pixels or in a reason. */
LOOP_TEST(every_byte_changed, 0, 4) {
    static const char *const pictures[] = {rgb, rgba, palette, grey16};
    unsigned char file[128];
    size_t n = unhex(pictures[_i], file);
    int not_read = 0;
    for (size_t i = 0; i < n; i++)
        for (int v = 0; v < 256; v += 5) {
            unsigned char was = file[i];
            file[i] = (unsigned char)v;
            /* Not the upper bytes of the sides: pictures of 2^28 pixels take a while. */
            if (!((i >= 16 && i < 19) || (i >= 20 && i < 23)) && read_bytes(file, n) == 0) {
                for (int k = 0; k < width * height; k++)
                    ck_assert(pixels[k] >= 0.0f && pixels[k] <= 1.0f);
                free(pixels);
            } else {
                not_read++;
            }
            file[i] = was;
        }
    ck_assert_int_gt(not_read, 1000);
}

TEST(written_pictures_are_scaled_to_their_largest) {
    float f[6] = {-2.0f, 1.0f, 0.0f, NAN, INFINITY, 0.004f};
    ck_assert_msg(image_write(path, f, 3, 2, error, sizeof error) == 0, "%s", error);
    ck_assert_msg(image_read(path, &pixels, &width, &height, error, sizeof error) == 0, "%s",
                  error);
    ck_assert_int_eq(width, 3);
    ck_assert_int_eq(height, 2);
    static const float want[6] = {255, 128, 0, 0, 255, 1};
    for (int i = 0; i < 6; i++)
        ck_assert_float_eq(pixels[i], want[i] / 255.0f);
    free(pixels);
}

TEST(a_picture_of_nothing_is_black) {
    float f[4] = {0.0f, NAN, -0.0f, NAN};
    ck_assert_int_eq(image_write(path, f, 2, 2, error, sizeof error), 0);
    ck_assert_int_eq(image_read(path, &pixels, &width, &height, error, sizeof error), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(pixels[i], 0.0f);
    free(pixels);
}

TEST(unwritable_pictures_are_reported) {
    float f = 1.0f;
    ck_assert_int_eq(image_write(path, &f, 0, 1, error, sizeof error), -1);
    ck_assert_int_eq(image_write(path, &f, 1, -1, error, sizeof error), -1);
    ck_assert_int_eq(image_write(path, &f, 32769, 1, error, sizeof error), -1);
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert_int_eq(image_write("/nonexistent/a.png", &f, 1, 1, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "No such file"));
    ck_assert_int_eq(symlink("/nonexistent", path), 0);
    ck_assert_int_eq(image_write(path, &f, 1, 1, error, sizeof error), -1);
    ck_assert_ptr_nonnull(strstr(error, "is a link"));
}

SUITE_BETWEEN("image", set_up, tear_down)
