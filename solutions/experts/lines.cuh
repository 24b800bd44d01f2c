/* What the experts of labs 5 and 6 share: the row pass of a separable filter. To be included after
 * lab.h. */
#pragma once

#include "groups.cuh"

__constant__ float c_column[LINE_MAX_LENGTH];
__constant__ float c_row[LINE_MAX_LENGTH];

/* ALIGNED: the rows of the image begin at multiples of 16 bytes. Then a group is loaded whole, from
 * the nearest position in the image, and with_border() repairs it when it is used: this function
 * must not wait for the load. */
template <bool ALIGNED>
inline __device__ float4 load_ahead(const float *d_image, int width, int height, int x, int y,
                                    enum border border) {
    if (!ALIGNED) {
        return four_pixels<false>(d_image, width, height, x, y, border);
    }
    if (border == BORDER_ZERO && (y < 0 || y >= height)) {
        return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    const float *const d_row = d_image + (size_t)clamp(y, 0, height - 1) * width;
    return *(const float4 *)(d_row + clamp(x, 0, width - GROUP));
}

inline __device__ float4 with_border(float4 four, int x, int width, enum border border) {
    if (x >= 0 && x < width) {
        return four;
    }
    const float value = border == BORDER_ZERO ? 0.0f : x < 0 ? four.x : four.w;
    return make_float4(value, value, value, value);
}

/* The row pass of a group. line[0] is the first pixel of the apron's first group. */
template <int RADIUS> inline __device__ void row_sums(const float *line, float *sum) {
    constexpr int first = GROUP * apron_groups(RADIUS) - RADIUS;
#pragma unroll
    for (int i = 0; i < GROUP; i++) {
        sum[i] = 0.0f;
    }
#pragma unroll
    for (int a = 0; a <= 2 * RADIUS; a++) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            sum[i] += line[first + i + a] * c_row[a];
        }
    }
}
