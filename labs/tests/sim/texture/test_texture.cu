// Texture objects: every kind of resource, every fetch function, and what a wrong use is told.
// labs/studies/truth/texture_truth.cu compares the values with those of a GPU.
#include "../test_sim.h"

template <class T, class F> __global__ void fill(T *out, F fetch) {
    out[threadIdx.x] = fetch((int)threadIdx.x);
}

// What `fetch(i)` returns in a kernel, for i from 0 to 31.
template <class T, class F> static void fetched(T *h_out, F fetch) {
    T *d_out;
    ck_success(cudaMalloc(&d_out, 32 * sizeof(T)));
    fill<<<1, 32>>>(d_out, fetch);
    ck_success(cudaMemcpy(h_out, d_out, 32 * sizeof(T), cudaMemcpyDeviceToHost));
    ck_success(cudaFree(d_out));
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource,
                                      const cudaTextureDesc &description) {
    cudaTextureObject_t t;
    ck_success(cudaCreateTextureObject(&t, &resource, &description, NULL));
    return t;
}

static cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc r = cudaResourceDesc();
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

template <class T>
static cudaArray_t array_of(const T *texels, size_t width, size_t height, size_t depth = 0,
                            unsigned flags = 0) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    ck_success(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags));
    cudaMemcpy3DParms copy = cudaMemcpy3DParms();
    copy.srcPtr = make_cudaPitchedPtr((void *)texels, width * sizeof(T), width, height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    ck_success(cudaMemcpy3D(&copy));
    return array;
}

TEST(linear_memory) {
    short4 h[40], got[32];
    for (int i = 0; i < 40; i++) {
        h[i] = make_short4(i, -i, 100 + i, -32768);
    }
    short4 *d = device_copy(h);
    cudaResourceDesc r = cudaResourceDesc();
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d;
    r.res.linear.desc = cudaCreateChannelDesc<short4>();
    r.res.linear.sizeInBytes = 20 * sizeof *d;
    cudaTextureObject_t t = texture_of(r, cudaTextureDesc());
    fetched(got, [=](int i) { return tex1Dfetch<short4>(t, i - 2); });
    ck_assert_int_eq(got[0].w, 0); // before the first element
    ck_assert_int_eq(got[2].w, -32768);
    ck_assert_int_eq(got[21].y, -19);
    ck_assert_int_eq(got[22].z, 0); // past the last one, although the memory goes on
    float4 as_float[32];
    cudaTextureDesc description = cudaTextureDesc();
    description.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t u = texture_of(r, description);
    fetched(as_float, [=](int i) {
        float4 v;
        tex1Dfetch(&v, u, i);
        return v;
    });
    ck_assert_float_eq(as_float[3].x, 3 / 32767.0f);
    ck_assert_float_eq(as_float[3].w, -1);
    ck_success(cudaDestroyTextureObject(t));
    ck_success(cudaDestroyTextureObject(u));
}

TEST(filters_and_borders) {
    const float h[8] = {0, 1, 2, 3, 10, 20, 30, 40};
    float got[32];
    cudaArray_t array = array_of(h, 4, 2);
    cudaTextureDesc d = cudaTextureDesc();
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t clamp = texture_of(resource_of(array), d);
    fetched(got, [=](int i) { return tex2D<float>(clamp, i * 0.25f, 0.5f); });
    ck_assert_float_eq(got[0], 0);
    ck_assert_float_eq(got[2], 0); // the middle of the first element
    ck_assert_float_eq(got[3], 0.25f);
    ck_assert_float_eq(got[16], 3);
    fetched(got, [=](int) { return tex2D<float>(clamp, 1.0f, 1.0f); });
    ck_assert_float_eq(got[0], (0 + 1 + 10 + 20) / 4.0f);
    fetched(got, [=](int i) { return tex2D<float>(clamp, 0.5f + i / 512.0f, 0.5f); });
    ck_assert_float_eq(got[1], 1 / 256.0f); // a weight has 8 bits, and halves are rounded up
    ck_assert_float_eq(got[2], 1 / 256.0f);
    d.addressMode[0] = cudaAddressModeBorder;
    d.filterMode = cudaFilterModePoint;
    d.borderColor[0] = -5;
    cudaTextureObject_t border = texture_of(resource_of(array), d);
    fetched(got, [=](int i) { return tex2D<float>(border, i - 1.0f, 0.0f); });
    ck_assert_float_eq(got[0], -5);
    ck_assert_float_eq(got[4], 3);
    ck_assert_float_eq(got[5], -5);
    d.normalizedCoords = 1;
    d.addressMode[0] = cudaAddressModeWrap;
    d.addressMode[1] = cudaAddressModeMirror;
    cudaTextureObject_t wrap = texture_of(resource_of(array), d);
    fetched(got, [=](int i) { return tex2D<float>(wrap, i / 4.0f - 1, 1.25f); });
    ck_assert_float_eq(got[0], 10); // mirrored into the second row
    ck_assert_float_eq(got[7], 40);
    ck_success(cudaDestroyTextureObject(clamp));
    ck_success(cudaDestroyTextureObject(border));
    ck_success(cudaDestroyTextureObject(wrap));
    ck_success(cudaFreeArray(array));
}

TEST(shapes) {
    int h[96], got[32];
    for (int i = 0; i < 96; i++) {
        h[i] = i;
    }
    cudaTextureDesc d = cudaTextureDesc();
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    cudaArray_t volume = array_of(h, 4, 4, 6), layers = array_of(h, 4, 4, 6, cudaArrayLayered),
                lines = array_of(h, 16, 0, 6, cudaArrayLayered),
                cube = array_of(h, 4, 4, 6, cudaArrayCubemap);
    cudaTextureObject_t v = texture_of(resource_of(volume), d), l = texture_of(resource_of(layers), d),
                        n = texture_of(resource_of(lines), d);
    d.normalizedCoords = 1;
    cudaTextureObject_t c = texture_of(resource_of(cube), d);
    fetched(got, [=](int i) { return tex3D<int>(v, 1, 2, (float)i); });
    ck_assert_int_eq(got[3], 3 * 16 + 9);
    ck_assert_int_eq(got[31], 5 * 16 + 9);
    fetched(got, [=](int i) { return tex2DLayered<int>(l, 1, 2, i - 1); });
    ck_assert_int_eq(got[0], 5 * 16 + 9); // a negative layer is the last one
    ck_assert_int_eq(got[1], 9);
    fetched(got, [=](int i) { return tex1DLayered<int>(n, 15.5f, i); });
    ck_assert_int_eq(got[2], 47);
    fetched(got, [=](int i) { return texCubemap<int>(c, 0.1f, i == 0 ? 1.0f : -1.0f, 0.1f); });
    ck_assert_int_eq(got[0] / 16, 2);
    ck_assert_int_eq(got[1] / 16, 3);
    for (cudaTextureObject_t t : {v, l, n, c}) {
        ck_success(cudaDestroyTextureObject(t));
    }
    for (cudaArray_t a : {volume, layers, lines, cube}) {
        ck_success(cudaFreeArray(a));
    }
}

static void use_after_destroy() {
    const float h[4] = {1, 2, 3, 4};
    cudaArray_t array = array_of(h, 4, 0);
    cudaTextureObject_t t = texture_of(resource_of(array), cudaTextureDesc());
    float *d_out = device_array<float>(4);
    cudaDestroyTextureObject(t);
    fill<<<1, 1>>>(d_out, [=](int) { return tex1D<float>(t, 0); });
    cudaDeviceSynchronize();
}

static void leak() {
    const float h[4] = {1, 2, 3, 4};
    texture_of(resource_of(array_of(h, 4, 0)), cudaTextureDesc());
}

static void twice() {
    const float h[4] = {1, 2, 3, 4};
    cudaArray_t array = array_of(h, 4, 0);
    cudaTextureObject_t t = texture_of(resource_of(array), cudaTextureDesc());
    cudaDestroyTextureObject(t);
    cudaFreeArray(array);
    ck_error(cudaDestroyTextureObject(t), cudaErrorInvalidValue);
    ck_error(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

TEST(wrong_uses) {
    ck_finds(use_after_destroy, "use-after-free", "uses a texture object that was destroyed");
    struct outcome outcome = run_program(leak, NULL);
    ck_found(outcome, "leak", "texture object created here was never destroyed");
    ck_found(outcome, "leak", "16 bytes of device memory");
    outcome = run_program(twice, NULL);
    ck_found(outcome, "use-after-free", "already destroyed");
    ck_found(outcome, "use-after-free", "array that was already freed");
}

SUITE("textures")
