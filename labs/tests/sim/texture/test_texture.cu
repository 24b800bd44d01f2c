// What a wrong use of a texture object reports. labs/studies/truth/texture_truth.cu compares what
// each fetch function returns with what a GPU returns.
#include "../test_sim.h"

__global__ void fetch(float *out, cudaTextureObject_t t) {
    *out = tex1D<float>(t, 0);
}

static const float h_texels[4] = {1, 2, 3, 4};

static cudaArray_t new_array() {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    ck_success(cudaMallocArray(&array, &format, 4, 0));
    ck_success(cudaMemcpy2DToArray(array, 0, 0, h_texels, 16, 16, 1, cudaMemcpyHostToDevice));
    return array;
}

static cudaTextureObject_t texture_of(cudaArray_t array) {
    cudaTextureObject_t t;
    cudaResourceDesc r = cudaResourceDesc();
    cudaTextureDesc description = cudaTextureDesc();
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    ck_success(cudaCreateTextureObject(&t, &r, &description, NULL));
    return t;
}

static void use_after_destroy() {
    cudaTextureObject_t t = texture_of(new_array());
    float *d_out = device_array<float>(4);
    cudaDestroyTextureObject(t);
    fetch<<<1, 1>>>(d_out, t);
    cudaDeviceSynchronize();
}

static void leak() {
    texture_of(new_array());
}

static void twice() {
    cudaArray_t array = new_array();
    cudaTextureObject_t t = texture_of(array);
    cudaDestroyTextureObject(t);
    cudaFreeArray(array);
    ck_error(cudaDestroyTextureObject(t), cudaErrorInvalidValue);
    ck_error(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

TEST(wrong_uses) {
    ck_finds(use_after_destroy, "use-after-free", "case:texture text:texture");
    struct outcome outcome = run_program(leak, NULL);
    ck_found(outcome, "leak", "case:texture");
    ck_found(outcome, "leak", "case:memory space:device bytes:16");
    outcome = run_program(twice, NULL);
    ck_found(outcome, "use-after-free", "case:destroy");
    ck_found(outcome, "use-after-free", "case:free-array");
}

SUITE("textures")
