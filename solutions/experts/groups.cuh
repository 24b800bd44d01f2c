/* What the experts of labs 2 to 6 share: pixels in groups of four. To be included after lab.h. */
#pragma once

/* How many groups of `size` cover `count` things; the last group may be partly filled. */
inline unsigned ceil_div(int count, int size) {
    return (unsigned)((count + size - 1) / size);
}

inline __device__ int clamp(int value, int low, int high) {
    return min(max(value, low), high);
}

/* Returns f(x, y), with the border. */
inline __device__ float pixel(const float *d_image, int width, int height, int x, int y,
                              enum border border) {
    const int column = clamp(x, 0, width - 1), row = clamp(y, 0, height - 1);
    const bool outside = column != x || row != y;
    return outside && border == BORDER_ZERO ? 0.0f : d_image[(size_t)row * width + column];
}

/* A thread computes groups of four neighbouring pixels: it loads and stores them as one float4. */
enum { GROUP = 4 };

/* How many groups hold the apron of a row on one side. */
inline constexpr __host__ __device__ int apron_groups(int radius) {
    return (radius + GROUP - 1) / GROUP;
}

/* Returns pixels x .. x+3 of row y, with the border. INSIDE: all four are in the image, and their
 * address is a multiple of 16 bytes. */
template <bool INSIDE>
inline __device__ float4 four_pixels(const float *d_image, int width, int height, int x, int y,
                                     enum border border) {
    if (INSIDE) {
        return *(const float4 *)(d_image + (size_t)y * width + x);
    }
    return make_float4(pixel(d_image, width, height, x, y, border),
                       pixel(d_image, width, height, x + 1, y, border),
                       pixel(d_image, width, height, x + 2, y, border),
                       pixel(d_image, width, height, x + 3, y, border));
}

/* Writes those of the pixels x .. x+3 of row y that are in the image. No thread reads them again,
 * so they may leave the cache first. */
template <bool INSIDE>
inline __device__ void store_four(float *d_out, int width, int height, int x, int y,
                                  const float *value) {
    float *const d_first = d_out + (size_t)y * width + x;
    if (INSIDE) {
        __stcs((float4 *)d_first, make_float4(value[0], value[1], value[2], value[3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
        if (x + i < width && y < height) {
            d_first[i] = value[i];
        }
    }
}

inline __device__ void put(float *to, float4 four) {
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

enum { LANES = 32, WIDE = GROUP * LANES }; /* a warp has 128 columns */
