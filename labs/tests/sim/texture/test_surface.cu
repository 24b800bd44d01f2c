// Texture references, copies of arrays, and wrong uses of surfaces.
// labs/studies/truth/surface_truth.cu compares what surfaces do with what they do on a GPU.
#include "../test_sim.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cudaSurfaceObject_t surface_of(cudaArray_t array) {
    cudaResourceDesc r = cudaResourceDesc();
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t s;
    ck_success(cudaCreateSurfaceObject(&s, &r));
    return s;
}

static cudaArray_t array_of(size_t width, size_t height) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    ck_success(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    return array;
}

__global__ void in_elements(cudaSurfaceObject_t s) {
    surf2Dwrite(1.0f, s, (int)threadIdx.x * 8, 0);
}

static void outside() {
    cudaArray_t array = array_of(4, 1);
    in_elements<<<1, 4>>>(surface_of(array));
    ck_error(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST(a_trap) {
    ck_finds(outside, "out-of-bounds", "case:surface");
}

texture<float, 1> t_line;
texture<uchar4, 2, cudaReadModeNormalizedFloat> t_plane;
surface<void, 2> s_plane;

__global__ void by_reference(float *out) {
    int i = threadIdx.x;
    out[i] = tex1Dfetch(t_line, i) + tex2D(t_plane, i + 0.5f, 0.5f).y;
    surf2Dwrite(out[i], s_plane, i * (int)sizeof(float), 0);
}

TEST(references) {
    const float h_line[4] = {1, 2, 3, 4};
    const uchar4 h_plane[4] = {{0, 255, 0, 0}, {0, 0, 0, 0}, {0, 255, 0, 0}, {0, 0, 0, 0}};
    float h_out[4];
    size_t offset = 99;
    cudaArray_t array, result = array_of(4, 1);
    float *d_line = device_copy(h_line), *d_out = device_array<float>(sizeof h_out);
    ck_success(cudaMallocArray(&array, &t_plane.channelDesc, 4, 1));
    ck_success(cudaMemcpyToArray(array, 0, 0, h_plane, sizeof h_plane, cudaMemcpyHostToDevice));
    t_plane.filterMode = cudaFilterModePoint;
    ck_success(cudaBindTexture(&offset, t_line, d_line, sizeof h_line));
    ck_assert_uint_eq(offset, 0);
    ck_success(cudaBindTextureToArray(t_plane, array));
    ck_success(cudaBindSurfaceToArray(s_plane, result));
    by_reference<<<1, 4>>>(d_out);
    ck_success(cudaBindTexture(NULL, t_line, d_out)); // the launch before keeps what it had
    ck_success(cudaMemcpy2DFromArray(h_out, 16, result, 0, 0, 16, 1, cudaMemcpyDeviceToHost));
    ck_assert_float_eq(h_out[0], 2);
    ck_assert_float_eq(h_out[3], 4);
    ck_success(cudaUnbindTexture(t_line));
    ck_success(cudaUnbindTexture(t_plane));
    ck_success(cudaFreeArray(array));
    ck_success(cudaFreeArray(result));
}

TEST(copies) {
    float h[24], back[24];
    for (int i = 0; i < 24; i++) {
        h[i] = (float)i;
    }
    cudaArray_t a = array_of(4, 3), b = array_of(6, 4);
    ck_success(cudaMemcpy2DToArray(a, 4, 1, h, 12, 12, 2, cudaMemcpyHostToDevice));
    ck_success(cudaMemcpy2DArrayToArray(b, 8, 2, a, 4, 1, 12, 2));
    ck_success(cudaMemcpy2DFromArray(back, 16, b, 8, 2, 12, 2, cudaMemcpyDeviceToHost));
    ck_assert_float_eq(back[2], 2);
    ck_assert_float_eq(back[6], 5);
    ck_success(cudaMemcpyToArray(a, 8, 0, h, 40, cudaMemcpyHostToDevice));
    ck_success(cudaMemcpy2DFromArray(back, 16, a, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
    ck_assert_mem_eq(back + 2, h, 40);
    cudaStream_t stream = new_stream();
    ck_success(cudaMemcpy2DToArrayAsync(b, 0, 0, h, 24, 24, 4, cudaMemcpyHostToDevice, stream));
    ck_success(cudaStreamSynchronize(stream));
    ck_success(cudaMemcpy2DFromArray(back, 24, b, 0, 0, 24, 4, cudaMemcpyDeviceToHost));
    ck_assert_mem_eq(back, h, sizeof h);
    ck_success(cudaFreeArray(a));
    ck_success(cudaFreeArray(b));
}

static void too_much() {
    float h[8] = {0};
    cudaArray_t a = array_of(4, 2);
    ck_error(cudaMemcpy2DToArray(a, 0, 1, h, 16, 16, 2, cudaMemcpyHostToDevice),
             cudaErrorInvalidValue);
    cudaFreeArray(a);
    ck_error(cudaMemcpy2DToArray(a, 0, 0, h, 16, 16, 2, cudaMemcpyHostToDevice),
             cudaErrorInvalidResourceHandle);
}

TEST(wrong_copies) {
    struct outcome outcome = run_program(too_much, NULL);
    ck_found(outcome, "out-of-bounds", "case:array-copy side:destination");
    ck_found(outcome, "use-after-free", "case:array-copy");
}

SUITE("surfaces")
