// Managed memory, memory in the order of a stream, and copies of three dimensions.
#include "../test_sim.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* CUDA 13 has removed some */
__global__ void add_one(int *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        d[i]++;
    }
}

TEST(the_host_and_the_device_share_it) {
    int *m;
    ck_success(cudaMallocManaged(&m, 0));
    ck_error(cudaMallocManaged(&m, 4, cudaMemAttachSingle), cudaErrorInvalidValue);
    ck_success(cudaMallocManaged(&m, 100 * sizeof *m));
    for (int i = 0; i < 100; i++) {
        m[i] = i;
    }
    add_one<<<1, 128>>>(m, 100);
    ck_success(cudaDeviceSynchronize());
    ck_assert_int_eq(m[99], 100);

    cudaPointerAttributes a;
    ck_success(cudaPointerGetAttributes(&a, m + 3));
    ck_assert_int_eq(a.type, cudaMemoryTypeManaged);
    ck_assert_int_eq(a.device, 0);
    ck_assert_ptr_eq(a.devicePointer, m + 3);
    ck_assert_ptr_eq(a.hostPointer, m + 3);

    int h[100]; // every direction may name it
    ck_success(cudaMemcpy(h, m, sizeof h, cudaMemcpyDeviceToHost));
    ck_success(cudaMemcpy(m + 1, h, sizeof h - 4, cudaMemcpyHostToHost));
    ck_success(cudaMemset(m, 0, 4));
    ck_assert_int_eq(m[0], 0);
    ck_assert_int_eq(m[1], 1);
    ck_error(cudaFreeHost(m), cudaErrorInvalidValue);
    ck_success(cudaFree(m));
}

TEST(advice) {
    int *m;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    ck_success(cudaMallocManaged(&m, 4096));
    int *d = device_array<int>(4096);
    cudaStream_t stream = new_stream();
    ck_success(cudaMemPrefetchAsync(m, 4096, device, 0, stream));
    ck_success(cudaMemPrefetchAsync(m, 4096, 0, stream)); // as before CUDA 13
    ck_success(cudaMemPrefetchAsync(m, 4096, cudaCpuDeviceId));
    ck_error(cudaMemPrefetchAsync(m, 4097, device, 0, stream), cudaErrorInvalidValue);
    ck_error(cudaMemPrefetchAsync(d, 4096, device, 0, stream), cudaErrorInvalidValue);
    ck_error(cudaMemPrefetchAsync(m, 4096, 1, stream), cudaErrorInvalidDevice);

    ck_success(cudaMemAdvise(m, 4096, cudaMemAdviseSetReadMostly, 0));
    ck_success(cudaMemAdvise(m, 4096, cudaMemAdviseSetPreferredLocation, host));
    ck_success(cudaMemAdvise(m, 4096, cudaMemAdviseSetAccessedBy, device));
    ck_error(cudaMemAdvise(d, 4096, cudaMemAdviseSetReadMostly, 0), cudaErrorInvalidValue);

    ck_success(cudaStreamAttachMemAsync(stream, m));
    ck_error(cudaStreamAttachMemAsync(0, m), cudaErrorInvalidValue);
    ck_success(cudaFree(m));
}

static void lose_it() {
    int *m;
    cudaMallocManaged(&m, 64);
}

TEST(managed_memory_leaks_are_found) {
    ck_finds(lose_it, "leak", "case:memory space:managed bytes:64");
}

TEST(memory_in_the_order_of_a_stream) {
    const int n = 1000;
    int *d, h[n] = {};
    uint64_t used, high;
    cudaStream_t stream;
    cudaMemPool_t pool;
    ck_success(cudaStreamCreate(&stream));
    ck_success(cudaDeviceGetDefaultMemPool(&pool, 0));
    ck_success(cudaMallocAsync(&d, sizeof h, stream));
    ck_success(cudaMemGetInfo(&used, &high));
    ck_success(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    ck_assert_uint_eq(used, sizeof h);
    ck_success(cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, stream));
    add_one<<<8, 128, 0, stream>>>(d, n);
    ck_success(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, stream));
    ck_success(cudaFreeAsync(d, stream));
    ck_error(cudaFreeAsync(d, stream), cudaErrorInvalidValue);
    ck_success(cudaStreamSynchronize(stream));
    ck_assert_int_eq(h[999], 1);
    ck_success(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    ck_success(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
    ck_assert_uint_eq(used, 0);
    ck_assert_uint_eq(high, sizeof h);
    ck_error(cudaFreeAsync(d, stream), cudaErrorInvalidValue); // a second time
    ck_error(cudaFreeAsync(h, stream), cudaErrorInvalidValue);
    ck_success(cudaFreeAsync(NULL, stream));
    ck_success(cudaMalloc(&d, 4));
    ck_success(cudaFreeAsync(d, stream)); // as an H200 does
    ck_success(cudaStreamSynchronize(stream));
    ck_success(cudaMallocAsync(&d, 4, 0));
    ck_success(cudaFree(d)); // which waits
    ck_success(cudaStreamDestroy(stream));
    ck_error(cudaMallocAsync(&d, 4, stream), cudaErrorInvalidResourceHandle);
}

TEST(pools) {
    int *d, *e;
    uint64_t value = 1 << 20;
    cudaMemPool_t pool, current;
    cudaMemPoolProps properties = {};
    ck_error(cudaMemPoolCreate(&pool, &properties), cudaErrorInvalidValue);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    properties.maxSize = 4096;
    ck_success(cudaMemPoolCreate(&pool, &properties));
    ck_success(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    value = 0;
    ck_success(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    ck_assert_uint_eq(value, 1 << 20);
    ck_success(cudaMallocFromPoolAsync(&d, 4000, pool, 0));
    ck_error(cudaMallocFromPoolAsync(&e, 4000, pool, 0), cudaErrorMemoryAllocation);
    ck_success(cudaDeviceSetMemPool(0, pool));
    ck_success(cudaDeviceGetMemPool(&current, 0));
    ck_assert_ptr_eq(current, pool);
    ck_success(cudaMallocAsync(&e, 96, 0));
    ck_success(cudaMemPoolDestroy(pool)); // its memory stays
    ck_error(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
    ck_success(cudaMemset(d, 0, 4000));
    ck_success(cudaFree(d));
    ck_success(cudaFreeAsync(e, 0));
    ck_success(cudaDeviceSynchronize());
    ck_success(cudaDeviceGetMemPool(&current, 0));
    ck_success(cudaDeviceGetDefaultMemPool(&pool, 0));
    ck_assert_ptr_eq(current, pool);
    ck_error(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
}

TEST(three_dimensions) {
    const size_t w = 5, height = 3, depth = 2;
    float in[depth][height][w], out[depth][height][w] = {};
    for (size_t i = 0; i < w * height * depth; i++) {
        (&in[0][0][0])[i] = (float)i;
    }
    cudaPitchedPtr d;
    ck_success(cudaMalloc3D(&d, make_cudaExtent(w * sizeof(float), height, depth)));
    ck_assert_uint_eq(d.pitch, 512);
    ck_assert_uint_eq(d.xsize, w * sizeof(float));
    ck_assert_uint_eq(d.ysize, height);
    ck_success(cudaMemset3D(d, 0, make_cudaExtent(w * sizeof(float), height, depth)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(in, w * sizeof(float), w, height);
    p.dstPtr = d;
    p.dstPos = make_cudaPos(sizeof(float), 1, 0); // all but the first column and row
    p.srcPos = make_cudaPos(sizeof(float), 1, 0);
    p.extent = make_cudaExtent((w - 1) * sizeof(float), height - 1, depth);
    p.kind = cudaMemcpyHostToDevice;
    ck_success(cudaMemcpy3D(&p));
    cudaMemcpy3DParms back = {};
    back.srcPtr = d;
    back.dstPtr = p.srcPtr;
    back.dstPtr.ptr = out;
    back.extent = make_cudaExtent(w * sizeof(float), height, depth);
    back.kind = cudaMemcpyDeviceToHost;
    ck_success(cudaMemcpy3DAsync(&back, 0));
    ck_success(cudaDeviceSynchronize());
    for (size_t z = 0; z < depth; z++) {
        for (size_t y = 0; y < height; y++) {
            for (size_t x = 0; x < w; x++) {
                ck_assert_float_eq(out[z][y][x], x > 0 && y > 0 ? in[z][y][x] : 0);
            }
        }
    }
    back.extent.width = 513;
    ck_error(cudaMemcpy3D(&back), cudaErrorInvalidValue);
    back.extent.width = 0;
    ck_success(cudaMemcpy3D(&back));
    back.extent.width = 4;
    back.srcPtr.ptr = NULL; // neither an array nor a pointer
    ck_error(cudaMemcpy3D(&back), cudaErrorInvalidValue);
    ck_success(cudaMemset2DAsync(d.ptr, d.pitch, 1, 4, 2, 0));
    int four;
    ck_success(cudaMemcpyPeer(&four, 0, d.ptr, 0, 4));
    ck_assert_int_eq(four, 0x01010101);
    ck_error(cudaMemcpyPeer(&four, 0, d.ptr, 1, 4), cudaErrorInvalidDevice);
    ck_success(cudaFree(d.ptr));
}

SUITE("sim: managed memory")
