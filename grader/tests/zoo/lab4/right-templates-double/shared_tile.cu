// zoo: right
//
// Sums in double, the radius a template parameter wherever it can be, the border decided while
// loading, row by row; D computes 4 x 2 outputs a thread.
#include "lab.h"

__constant__ float c_coefficients[MASK_MAX_SIZE];

static __device__ const float *line_of(const float *in, int width, int height, bool zero, int y) {
    if (zero && (y < 0 || y >= height)) {
        return nullptr;
    }
    return in + (size_t)(y < 0 ? 0 : y >= height ? height - 1 : y) * width;
}

static __device__ float from(const float *line, int width, bool zero, int x) {
    if (line == nullptr || (zero && (x < 0 || x >= width))) {
        return 0.0f;
    }
    return line[x < 0 ? 0 : x >= width ? width - 1 : x];
}

cudaError_t set_mask(const float *h_mask, int radius) {
    if (radius < 0 || radius > MASK_MAX_RADIUS) {
        return cudaErrorInvalidValue;
    }
    const size_t side = 2 * radius + 1;
    return cudaMemcpyToSymbol(c_coefficients, h_mask, side * side * sizeof(float));
}

/* Threads of the block are W + 2R by H + 2R; W x H is the tile. */
template <int R, int W, int H>
__global__ void with_idle(const float *in, int width, int height, bool zero, float *out) {
    __shared__ float s[H + 2 * R][W + 2 * R];
    const int u = threadIdx.x, v = threadIdx.y;
    const int x = (int)blockIdx.x * W + u - R, y = (int)blockIdx.y * H + v - R;
    s[v][u] = from(line_of(in, width, height, zero, y), width, zero, x);
    __syncthreads();
    const bool works = u >= R && u < W + R && v >= R && v < H + R;
    if (works && x < width && y < height) {
        double sum = 0.0;
        for (int b = -R; b <= R; ++b) {
            for (int a = -R; a <= R; ++a) {
                sum += (double)s[v + b][u + a] * c_coefficients[(b + R) * (2 * R + 1) + a + R];
            }
        }
        out[(size_t)y * width + x] = (float)sum;
    }
}

/* 32 x 8 threads, each with 4 outputs, 8 rows apart. */
template <int R>
__global__ void all_work(const float *in, int width, int height, bool zero, float *out) {
    __shared__ float s[32 + 2 * R][32 + 2 * R];
    for (int v = threadIdx.y; v < 32 + 2 * R; v += 8) {
        const float *line = line_of(in, width, height, zero, (int)blockIdx.y * 32 + v - R);
        s[v][threadIdx.x] = from(line, width, zero, (int)(blockIdx.x * 32 + threadIdx.x) - R);
        if ((int)threadIdx.x < 2 * R) {
            s[v][threadIdx.x + 32] =
                from(line, width, zero, (int)(blockIdx.x * 32 + threadIdx.x) + 32 - R);
        }
    }
    __syncthreads();
    const int x = blockIdx.x * 32 + threadIdx.x;
    for (int v = threadIdx.y; v < 32; v += 8) {
        double sum = 0.0;
        for (int b = 0; b < 2 * R + 1; ++b) {
            for (int a = 0; a < 2 * R + 1; ++a) {
                sum += (double)s[v + b][threadIdx.x + a] * c_coefficients[b * (2 * R + 1) + a];
            }
        }
        const int y = blockIdx.y * 32 + v;
        if (x < width && y < height) {
            out[(size_t)y * width + x] = (float)sum;
        }
    }
}

__global__ void any_radius(const float *in, int width, int height, const float *mask, int radius,
                           bool zero, float *out) {
    extern __shared__ float4 s_raw[];
    const int size = 2 * radius + 1, side = DYNAMIC_TILE + 2 * radius;
    float *s_mask = reinterpret_cast<float *>(s_raw), *s_tile = s_mask + size * size;
    for (int i = threadIdx.x; i < size * size; i += blockDim.x) {
        s_mask[i] = mask[i];
    }
    for (int v = threadIdx.x / 32; v < side; v += blockDim.x / 32) { /* a row for each warp */
        const float *line =
            line_of(in, width, height, zero, (int)blockIdx.y * DYNAMIC_TILE + v - radius);
        for (int u = threadIdx.x % 32; u < side; u += 32) {
            s_tile[v * side + u] =
                from(line, width, zero, (int)blockIdx.x * DYNAMIC_TILE + u - radius);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < DYNAMIC_TILE * DYNAMIC_TILE; i += blockDim.x) {
        const int u = i % DYNAMIC_TILE, v = i / DYNAMIC_TILE;
        const int x = blockIdx.x * DYNAMIC_TILE + u, y = blockIdx.y * DYNAMIC_TILE + v;
        if (x >= width || y >= height) {
            continue;
        }
        double sum = 0.0;
        for (int k = 0; k < size * size; ++k) {
            sum += (double)s_mask[k] * s_tile[(v + k / size) * side + u + k % size];
        }
        out[(size_t)y * width + x] = (float)sum;
    }
}

template <int R>
__global__ void four_by_two(const float *in, int width, int height, bool zero, float *out) {
    constexpr int N = 2 * R + 1, FOURS = (4 + 2 * R + 3) / 4, STRIDE = 32 + FOURS; /* float4s */
    __shared__ float4 s[16 + 2 * R][STRIDE];
    const int x0 = (int)blockIdx.x * 128 - R, y0 = (int)blockIdx.y * 16 - R;
    for (int v = threadIdx.y; v < 16 + 2 * R; v += 8) {
        const float *line = line_of(in, width, height, zero, y0 + v);
        float *row = reinterpret_cast<float *>(s[v]);
        for (int u = threadIdx.x; u < 4 * STRIDE; u += 32) {
            row[u] = from(line, width, zero, x0 + u);
        }
    }
    __syncthreads();
    double sum[2][4] = {};
    for (int v = 0; v < 2 + 2 * R; ++v) {
        float f[4 * FOURS];
        for (int k = 0; k < FOURS; ++k) {
            const float4 four = s[2 * threadIdx.y + v][threadIdx.x + k];
            f[4 * k] = four.x, f[4 * k + 1] = four.y, f[4 * k + 2] = four.z, f[4 * k + 3] = four.w;
        }
        for (int a = 0; a < N; ++a) {
            for (int i = 0; i < 4; ++i) {
                if (v < N) {
                    sum[0][i] += (double)f[i + a] * c_coefficients[v * N + a];
                }
                if (v > 0) {
                    sum[1][i] += (double)f[i + a] * c_coefficients[(v - 1) * N + a];
                }
            }
        }
    }
    for (int j = 0; j < 2; ++j) {
        const int y = blockIdx.y * 16 + 2 * threadIdx.y + j;
        for (int i = 0; i < 4; ++i) {
            const int x = blockIdx.x * 128 + 4 * threadIdx.x + i;
            if (y < height && x < width) {
                out[(size_t)y * width + x] = (float)sum[j][i];
            }
        }
    }
}

static unsigned up(int n, int d) {
    return n / d + (n % d != 0);
}

template <char PART, int R>
static cudaError_t launch(const float *in, int width, int height, int radius, bool zero,
                          float *out) {
    if (radius == R) {
        if (PART == 'A') {
            constexpr int W = R <= 3 ? 26 : 16, H = R <= 3 ? 8 : 16;
            with_idle<R, W, H><<<dim3(up(width, W), up(height, H)), dim3(W + 2 * R, H + 2 * R)>>>(
                in, width, height, zero, out);
        } else if (PART == 'B') {
            all_work<R><<<dim3(up(width, 32), up(height, 32)), dim3(32, 8)>>>(in, width, height,
                                                                              zero, out);
        } else {
            four_by_two<R><<<dim3(up(width, 128), up(height, 16)), dim3(32, 8)>>>(in, width, height,
                                                                                  zero, out);
        }
        return cudaGetLastError();
    }
    if constexpr (R < MASK_MAX_RADIUS) {
        return launch<PART, R + 1>(in, width, height, radius, zero, out);
    } else {
        return cudaErrorInvalidValue;
    }
}

cudaError_t correlate_idle(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    return launch<'A', 0>(d_image, width, height, radius, border == BORDER_ZERO, d_out);
}

cudaError_t correlate_tile(const float *d_image, int width, int height, int radius,
                           enum border border, float *d_out) {
    return launch<'B', 0>(d_image, width, height, radius, border == BORDER_ZERO, d_out);
}

cudaError_t correlate_register(const float *d_image, int width, int height, int radius,
                               enum border border, float *d_out) {
    return launch<'D', 0>(d_image, width, height, radius, border == BORDER_ZERO, d_out);
}

cudaError_t correlate_dynamic(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out) {
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, 0);
    const long long side = DYNAMIC_TILE + 2LL * radius, size = 2LL * radius + 1;
    const long long bytes = 4 * (side * side + size * size);
    if (error == cudaSuccess &&
        (radius < 0 || bytes > (long long)properties.sharedMemPerBlockOptin)) {
        error = cudaErrorInvalidValue;
    }
    if (error == cudaSuccess && bytes > 48 * 1024) {
        error = cudaFuncSetAttribute(any_radius, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)bytes);
    }
    if (error == cudaSuccess) {
        any_radius<<<dim3(up(width, DYNAMIC_TILE), up(height, DYNAMIC_TILE)), 512, bytes>>>(
            d_image, width, height, d_mask, radius, border == BORDER_ZERO, d_out);
        error = cudaGetLastError();
    }
    return error;
}
