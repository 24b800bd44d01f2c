// What the device says of itself, its limits, and the names that older books use.
#include "../test_sim.h"

#include <cuComplex.h>
#include <cuda_profiler_api.h>
#include <device_functions.h>
#include <host_defines.h>
#include <math_functions.h>
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* CUDA 13 has removed some */
#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) ||                                \
    !defined(__CUDA_RUNTIME_API_H__) || !defined(__VECTOR_TYPES_H__)
#error "programs test these"
#endif

__global__ void nothing() {
}

TEST(properties_and_attributes_agree) {
    cudaDeviceProp p;
    ck_success(cudaGetDeviceProperties(&p, 0));
    const struct {
        cudaDeviceAttr attribute;
        long long value;
    } same[] = {
        {cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {cudaDevAttrTotalConstantMemory, (long long)p.totalConstMem},
        {cudaDevAttrTexturePitchAlignment, (long long)p.texturePitchAlignment},
        {cudaDevAttrMaxTexture2DWidth, p.maxTexture2D[0]},
        {cudaDevAttrMaxTexture2DLinearPitch, p.maxTexture2DLinear[2]},
        {cudaDevAttrMaxSurfaceCubemapLayeredLayers, p.maxSurfaceCubemapLayered[1]},
        {cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
        {cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
        {cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
        {cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
        {cudaDevAttrReservedSharedMemoryPerBlock, (long long)p.reservedSharedMemPerBlock},
        {cudaDevAttrClusterLaunch, p.clusterLaunch},
        {cudaDevAttrNumaId, p.deviceNumaId},
        {cudaDevAttrClockRate, p.clockRate}, // not in CUDA 13
        {cudaDevAttrMemoryClockRate, p.memoryClockRate},
        {cudaDevAttrGpuOverlap, p.deviceOverlap},
        {cudaDevAttrKernelExecTimeout, p.kernelExecTimeoutEnabled},
        {cudaDevAttrComputeMode, p.computeMode},
        {cudaDevAttrMaxTexture1DLinearWidth, p.maxTexture1DLinear},
    };
    for (const auto &pair : same) {
        int value;
        ck_success(cudaDeviceGetAttribute(&value, pair.attribute, 0));
        ck_assert_int_eq(value, pair.value);
    }
    ck_assert_int_eq(cudaComputeModeProhibited, 2);
}

TEST(limits) {
    size_t value;
    ck_success(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    ck_assert_uint_eq(value, 1024); // these are an H200's
    ck_success(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    ck_assert_uint_eq(value, 8388608);
    ck_success(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 26));
    ck_success(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    ck_assert_uint_eq(value, 1 << 26);
    ck_error(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 1), cudaErrorUnsupportedLimit);
    ck_error(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129), cudaErrorInvalidValue);
    ck_success(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    cudaSharedMemConfig banks;
    ck_success(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    ck_success(cudaDeviceGetSharedMemConfig(&banks));
    ck_assert_int_eq(banks, cudaSharedMemBankSizeFourByte);
    ck_success(cudaFuncSetSharedMemConfig(nothing, cudaSharedMemBankSizeFourByte));
    ck_success(cudaProfilerStart());
    ck_success(cudaProfilerStop());
    ck_success(cudaThreadSynchronize());
}

TEST(one_device) {
    int device = -1, can = -1, value;
    ck_success(cudaDeviceCanAccessPeer(&can, 0, 0));
    ck_assert_int_eq(can, 0);
    ck_error(cudaDeviceCanAccessPeer(&can, 0, 1), cudaErrorInvalidDevice);
    ck_error(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice); // these are an H200's
    ck_error(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    ck_error(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0),
             cudaErrorInvalidDevice);
    cudaDeviceProp wanted = {};
    ck_success(cudaChooseDevice(&device, &wanted));
    ck_assert_int_eq(device, 0);
    ck_success(cudaSetDeviceFlags(cudaDeviceBlockingSync));
    ck_error(cudaSetDeviceFlags(0x100), cudaErrorInvalidValue);
}

TEST(streams_have_priorities) {
    int least, greatest, priority;
    unsigned flags;
    cudaStream_t s, t;
    ck_success(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    ck_assert_int_eq(least, 0);
    ck_assert_int_eq(greatest, -5);
    ck_success(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -99));
    ck_success(cudaStreamCreate(&t));
    ck_success(cudaStreamGetPriority(s, &priority));
    ck_assert_int_eq(priority, -5);
    ck_success(cudaStreamGetFlags(s, &flags));
    ck_assert_uint_eq(flags, cudaStreamNonBlocking);
    ck_success(cudaStreamGetFlags(t, &flags));
    ck_assert_uint_eq(flags, cudaStreamDefault);
    ck_success(cudaStreamGetFlags(0, &flags));
    ck_assert_uint_eq(flags, cudaStreamDefault);
    cudaStreamAttrValue value = {};
    value.priority = -2;
    ck_success(cudaStreamSetAttribute(t, cudaStreamAttributePriority, &value));
    ck_success(cudaStreamGetPriority(t, &priority));
    ck_assert_int_eq(priority, -2);
    ck_success(cudaStreamDestroy(s));
    ck_success(cudaStreamDestroy(t));
    ck_error(cudaStreamGetPriority(s, &priority), cudaErrorInvalidResourceHandle);
}

struct calls {
    int order[2], count;
    cudaError_t status;
};

static void first_call(void *data) {
    struct calls *c = (struct calls *)data;
    c->order[c->count++] = 1;
}

static void second_call(cudaStream_t, cudaError_t status, void *data) {
    struct calls *c = (struct calls *)data;
    c->order[c->count++] = 2;
    c->status = status;
}

TEST(functions_of_the_host_run_in_order) {
    struct calls calls = {{0, 0}, 0, cudaErrorUnknown};
    cudaStream_t s = new_stream();
    ck_success(cudaLaunchHostFunc(s, first_call, &calls));
    ck_success(cudaStreamAddCallback(s, second_call, &calls, 0));
    ck_error(cudaStreamAddCallback(s, second_call, &calls, 1), cudaErrorInvalidValue);
    ck_success(cudaStreamSynchronize(s));
    ck_assert_int_eq(calls.count, 2);
    ck_assert_int_eq(calls.order[0], 1);
    ck_assert_int_eq(calls.order[1], 2);
    ck_assert_int_eq(calls.status, cudaSuccess);
}

TEST(the_best_block_for_its_shared_memory) {
    int grid, block;
    ck_success(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        &grid, &block, nothing, [](int threads) { return threads * 4; }, 512));
    ck_assert_int_eq(block, 512);
    ck_assert_int_eq(grid, 4 * 132);
}

TEST(complex_numbers) {
    cuFloatComplex z = cuCdivf(make_cuComplex(-5, 10), make_cuFloatComplex(3, 4));
    ck_assert_float_eq_tol(cuCrealf(z), 1, 1e-6);
    ck_assert_float_eq_tol(cuCimagf(z), 2, 1e-6);
    ck_assert_float_eq_tol(cuCabsf(make_cuComplex(3e30f, -4e30f)), 5e30f, 1e24);
    ck_assert_double_eq(cuCabs(make_cuDoubleComplex(0, 0)), 0);
    ck_assert(isinf(cuCabs(make_cuDoubleComplex(-INFINITY, 1))));
    cuDoubleComplex w = cuCmul(cuConj(make_cuDoubleComplex(1, 2)), cuComplexFloatToDouble(z));
    ck_assert_double_eq_tol(w.x, 5, 1e-5);
}

SUITE("sim: limits")
