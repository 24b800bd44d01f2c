// surface_truth.cu - what surfaces do at their boundaries, and what the API of arrays, textures and surfaces
// answers: ground truth for the simulator. texture_truth.cu has what textures return.
// Build: nvcc -O2 -arch=sm_90 surface_truth.cu -o surface_truth    Run: ./surface_truth > surface_truth.out
// It has no input and prints the same on every run, one question a line.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) check(call, #call, __LINE__)

static void check(cudaError_t error, const char *call, int line)
{
    if (error != cudaSuccess) {
        printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
        exit(1);
    }
}

// Prints what a call answers.
#define ASK(call) answer(#call, call)

static void answer(const char *call, cudaError_t error)
{
    printf("%s: %s\n", call, cudaGetErrorName(error));
    cudaGetLastError();
}

// ==== boundaries =============================================================================

static const cudaSurfaceBoundaryMode modes[] = {cudaBoundaryModeZero, cudaBoundaryModeClamp};

// Thread i reads and writes at (x[i], y[i], z[i]); x is in bytes.
struct Places {
    int x[24], y[24], z[24], n;
};

template <class T, int MODE> __global__ void read_1d(cudaSurfaceObject_t s, Places p, T *out)
{
    int i = threadIdx.x;
    out[i] = surf1Dread<T>(s, p.x[i], (cudaSurfaceBoundaryMode)MODE);
}
template <class T, int MODE> __global__ void read_2d(cudaSurfaceObject_t s, Places p, T *out)
{
    int i = threadIdx.x;
    out[i] = surf2Dread<T>(s, p.x[i], p.y[i], (cudaSurfaceBoundaryMode)MODE);
}
template <class T, int MODE> __global__ void read_3d(cudaSurfaceObject_t s, Places p, T *out)
{
    int i = threadIdx.x;
    out[i] = surf3Dread<T>(s, p.x[i], p.y[i], p.z[i], (cudaSurfaceBoundaryMode)MODE);
}
template <class T, int MODE> __global__ void read_layers(cudaSurfaceObject_t s, Places p, T *out)
{
    int i = threadIdx.x;
    out[i] = surf2DLayeredread<T>(s, p.x[i], p.y[i], p.z[i], (cudaSurfaceBoundaryMode)MODE);
}
template <class T, int MODE> __global__ void read_cube(cudaSurfaceObject_t s, Places p, T *out)
{
    int i = threadIdx.x;
    out[i] = surfCubemapread<T>(s, p.x[i], p.y[i], p.z[i], (cudaSurfaceBoundaryMode)MODE);
}
template <class T, int MODE> __global__ void write_2d(cudaSurfaceObject_t s, Places p, int i)
{
    T value;
    memset(&value, 0xc0 + i, sizeof value);
    surf2Dwrite(value, s, p.x[i], p.y[i], (cudaSurfaceBoundaryMode)MODE);
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t s = 0;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

template <class T> static cudaArray_t array_of(int width, int height, int depth, unsigned flags)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags | cudaArraySurfaceLoadStore));
    int rows = height ? height : 1, planes = depth ? depth : 1;
    std::vector<unsigned char> bytes(width * sizeof(T) * rows * planes);
    for (size_t i = 0; i < bytes.size(); i++) {
        bytes[i] = (unsigned char)(i * 37 + 11);
    }
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(bytes.data(), width * sizeof(T), width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, rows, planes);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static void print(const char *name, const char *type, int mode, const unsigned char *bytes, size_t size, int n)
{
    printf("%s %s %s:", name, type, mode == cudaBoundaryModeZero ? "zero" : "clamp");
    for (int i = 0; i < n; i++) {
        printf(" ");
        for (size_t b = 0; b < size; b++) {
            printf("%02x", bytes[i * size + b]);
        }
    }
    printf("\n");
}

template <class T, class K>
static void read_all(const char *name, const char *type, int mode, K kernel, cudaSurfaceObject_t s, const Places &p)
{
    T *d_out;
    std::vector<T> out(p.n);
    CHECK(cudaMalloc(&d_out, p.n * sizeof(T)));
    kernel<<<1, p.n>>>(s, p, d_out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, p.n * sizeof(T), cudaMemcpyDeviceToHost));
    print(name, type, mode, (const unsigned char *)out.data(), sizeof(T), p.n);
    CHECK(cudaFree(d_out));
}

template <class T> static void boundaries(const char *type)
{
    // Around 4 x 4 x 4 (or 4 layers, 6 faces) texels.
    const int place[][3] = {{0, 0, 0}, {1, 2, 3}, {3, 3, 3}, {4, 0, 0}, {5, 1, 1}, {100, 2, 0}, {-1, 0, 0}, {-3, 1, 2},
                            {0, 4, 0}, {1, 9, 1}, {0, -1, 0}, {2, -7, 3}, {0, 0, 4}, {1, 1, 6}, {2, 2, -1}, {4, 4, 4},
                            {-1, -1, -1}, {1 << 20, 0, 0}, {0, 1 << 20, 0}, {0, 0, 1 << 20}};
    Places p;
    memset(&p, 0, sizeof p);
    p.n = sizeof place / sizeof *place;
    for (int i = 0; i < p.n; i++) {
        p.x[i] = place[i][0] * (int)sizeof(T);
        p.y[i] = place[i][1];
        p.z[i] = place[i][2];
    }
    cudaArray_t line = array_of<T>(4, 0, 0, 0), plane = array_of<T>(4, 4, 0, 0), volume = array_of<T>(4, 4, 4, 0),
                layers = array_of<T>(4, 4, 4, cudaArrayLayered), cube = array_of<T>(4, 4, 6, cudaArrayCubemap);
    cudaSurfaceObject_t s1 = surface_of(line), s2 = surface_of(plane), s3 = surface_of(volume), s4 = surface_of(layers),
                        s5 = surface_of(cube);
    read_all<T>("surf1Dread", type, 0, read_1d<T, 0>, s1, p);
    read_all<T>("surf1Dread", type, 1, read_1d<T, 1>, s1, p);
    read_all<T>("surf2Dread", type, 0, read_2d<T, 0>, s2, p);
    read_all<T>("surf2Dread", type, 1, read_2d<T, 1>, s2, p);
    read_all<T>("surf3Dread", type, 0, read_3d<T, 0>, s3, p);
    read_all<T>("surf3Dread", type, 1, read_3d<T, 1>, s3, p);
    read_all<T>("surf2DLayeredread", type, 0, read_layers<T, 0>, s4, p);
    read_all<T>("surf2DLayeredread", type, 1, read_layers<T, 1>, s4, p);
    read_all<T>("surfCubemapread", type, 0, read_cube<T, 0>, s5, p);
    read_all<T>("surfCubemapread", type, 1, read_cube<T, 1>, s5, p);
    for (int mode : modes) { // one write after the other
        cudaArray_t target = array_of<T>(4, 4, 0, 0);
        cudaSurfaceObject_t s = surface_of(target);
        for (int i = 0; i < p.n; i++) {
            if (mode == cudaBoundaryModeZero) {
                write_2d<T, 0><<<1, 1>>>(s, p, i);
            } else {
                write_2d<T, 1><<<1, 1>>>(s, p, i);
            }
            CHECK(cudaGetLastError());
        }
        std::vector<T> out(16);
        CHECK(cudaMemcpy2DFromArray(out.data(), 4 * sizeof(T), target, 0, 0, 4 * sizeof(T), 4, cudaMemcpyDeviceToHost));
        print("surf2Dwrite", type, mode, (const unsigned char *)out.data(), sizeof(T), 16);
        CHECK(cudaDestroySurfaceObject(s));
        CHECK(cudaFreeArray(target));
    }
    for (cudaSurfaceObject_t s : {s1, s2, s3, s4, s5}) {
        CHECK(cudaDestroySurfaceObject(s));
    }
    for (cudaArray_t a : {line, plane, volume, layers, cube}) {
        CHECK(cudaFreeArray(a));
    }
}

// A read that is wider or narrower than the texels, and one whose bytes begin within a texel's row end.
static void other_widths()
{
    cudaArray_t array = array_of<uchar4>(4, 4, 0, 0);
    cudaSurfaceObject_t s = surface_of(array);
    Places p;
    memset(&p, 0, sizeof p);
    const int x[] = {0, 1, 2, 3, 4, 8, 12, 13, 14, 15, 16, 20, -1, -4};
    p.n = sizeof x / sizeof *x;
    memcpy(p.x, x, sizeof x);
    for (int i = 0; i < p.n; i++) {
        p.y[i] = 1;
    }
    read_all<unsigned char>("other width", "uchar of uchar4", 0, read_2d<unsigned char, 0>, s, p);
    read_all<unsigned char>("other width", "uchar of uchar4", 1, read_2d<unsigned char, 1>, s, p);
    Places even = p;
    even.n = 0;
    for (int i = 0; i < p.n; i++) {
        if (p.x[i] % 8 == 0) {
            even.x[even.n] = p.x[i];
            even.y[even.n++] = 1;
        }
    }
    even.x[even.n++] = 24;
    read_all<uint2>("other width", "uint2 of uchar4", 0, read_2d<uint2, 0>, s, even);
    read_all<uint2>("other width", "uint2 of uchar4", 1, read_2d<uint2, 1>, s, even);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(array));
}

// ==== what the API answers ===================================================================

static void info(const char *name, cudaArray_t array)
{
    cudaChannelFormatDesc f;
    cudaExtent e;
    unsigned flags = 99;
    CHECK(cudaArrayGetInfo(&f, &e, &flags, array));
    printf("cudaArrayGetInfo %s: %d %d %d %d kind %d, %zu x %zu x %zu, flags %u\n", name, f.x, f.y, f.z, f.w, (int)f.f,
           e.width, e.height, e.depth, flags);
}

static void arrays()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned),
                          mixed = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned),
                          gap = cudaCreateChannelDesc(8, 0, 8, 0, cudaChannelFormatKindUnsigned),
                          wide = cudaCreateChannelDesc(64, 0, 0, 0, cudaChannelFormatKindUnsigned),
                          bytef = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat),
                          none = cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
    cudaArray_t a = NULL, b = NULL;
    ASK(cudaMallocArray(&a, &three, 4, 4));
    ASK(cudaMallocArray(&a, &mixed, 4, 4));
    ASK(cudaMallocArray(&a, &gap, 4, 4));
    ASK(cudaMallocArray(&a, &wide, 4, 4));
    ASK(cudaMallocArray(&a, &bytef, 4, 4));
    ASK(cudaMallocArray(&a, &none, 4, 4));
    ASK(cudaMallocArray(NULL, &f, 4, 4));
    ASK(cudaMallocArray(&a, NULL, 4, 4));
    ASK(cudaMallocArray(&a, &f, 0, 0));
    ASK(cudaMallocArray(&a, &f, 0, 4));
    ASK(cudaMallocArray(&a, &f, 131073, 0));
    ASK(cudaMallocArray(&a, &f, 131073, 4));
    ASK(cudaMallocArray(&a, &f, 4, 65537));
    ASK(cudaMallocArray(&a, &f, 4, 4, cudaArrayLayered));
    ASK(cudaMallocArray(&a, &f, 4, 4, cudaArrayCubemap));
    ASK(cudaMallocArray(&a, &f, 4, 0, cudaArrayTextureGather));
    ASK(cudaMallocArray(&a, &f, 4, 4, 0x100));
    ASK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 0, 4), 0));
    ASK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
    ASK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 3, 6), cudaArrayCubemap));
    ASK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 7), cudaArrayCubemap | cudaArrayLayered));
    ASK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 0), cudaArrayLayered));
    ASK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 2049), cudaArrayLayered));
    ASK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 4), cudaArrayTextureGather));
    ASK(cudaMalloc3DArray(&a, &f, make_cudaExtent(16385, 4, 4), 0));
    CHECK(cudaMallocArray(&a, &f, 6, 0));
    info("1D", a);
    ASK(cudaMemcpy2DToArray(a, 0, 0, "123456789012345678901234", 24, 24, 1, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 0, 0, "123456789012345678901234", 24, 12, 2, cudaMemcpyHostToDevice));
    ASK(cudaFreeArray(a));
    ASK(cudaFreeArray(NULL));
    CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 0, 3), cudaArrayLayered));
    info("layers 1D", a);
    CHECK(cudaFreeArray(a));
    CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 4, 6), cudaArrayCubemap | cudaArraySurfaceLoadStore));
    info("cubemap", a);
    CHECK(cudaFreeArray(a));

    // Copies.
    char h[512];
    memset(h, 0, sizeof h);
    char *d;
    CHECK(cudaMalloc(&d, 512));
    CHECK(cudaMallocArray(&a, &f, 4, 4));
    CHECK(cudaMallocArray(&b, &f, 8, 2));
    ASK(cudaMemcpy2DToArray(a, 0, 0, h, 16, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 4, 0, h, 16, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 0, 1, h, 16, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 0, 0, h, 8, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 0, 0, h, 16, 6, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 2, 0, h, 16, 8, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 0, 0, h, 16, 16, 0, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 16, 0, h, 16, 0, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(a, 0, 0, h, 16, 16, 4, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy2DToArray(a, 0, 0, d, 16, 16, 4, cudaMemcpyDeviceToDevice));
    ASK(cudaMemcpy2DToArray(a, 0, 0, d, 16, 16, 4, cudaMemcpyDefault));
    ASK(cudaMemcpy2DToArray(a, 0, 0, NULL, 16, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DToArray(NULL, 0, 0, h, 16, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DFromArray(h, 16, a, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy2DFromArray(h, 16, a, 0, 0, 20, 4, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy2DFromArray(h, 12, a, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy2DArrayToArray(b, 16, 0, a, 0, 2, 16, 2));
    ASK(cudaMemcpy2DArrayToArray(b, 20, 0, a, 0, 2, 16, 2));
    ASK(cudaMemcpyToArray(a, 8, 1, h, 24, cudaMemcpyHostToDevice));
    ASK(cudaMemcpyToArray(a, 0, 0, h, 64, cudaMemcpyHostToDevice));
    ASK(cudaMemcpyToArray(a, 0, 0, h, 68, cudaMemcpyHostToDevice));
    ASK(cudaMemcpyToArray(a, 0, 0, h, 18, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    ASK(cudaMemcpy3D(&p));
    p.srcPtr = make_cudaPitchedPtr(h, 16, 4, 4);
    p.dstArray = a;
    p.kind = cudaMemcpyHostToDevice;
    ASK(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 1);
    ASK(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 0);
    ASK(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 2);
    ASK(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(5, 4, 1);
    ASK(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 1);
    p.dstPos.x = 1;
    ASK(cudaMemcpy3D(&p));
    p.dstPos.x = 0;
    p.dstPtr = make_cudaPitchedPtr(d, 16, 4, 4);
    ASK(cudaMemcpy3D(&p));
    p.dstArray = NULL;
    p.extent = make_cudaExtent(16, 4, 1);
    ASK(cudaMemcpy3D(&p));
    p.srcArray = a;
    p.srcPtr = make_cudaPitchedPtr(NULL, 0, 0, 0);
    p.kind = cudaMemcpyDeviceToDevice;
    p.extent = make_cudaExtent(4, 4, 1);
    ASK(cudaMemcpy3D(&p));
    p.dstArray = b;
    p.dstPtr = make_cudaPitchedPtr(NULL, 0, 0, 0);
    p.extent = make_cudaExtent(4, 2, 1);
    ASK(cudaMemcpy3D(&p));
    p.kind = cudaMemcpyHostToDevice;
    ASK(cudaMemcpy3D(&p));
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
    CHECK(cudaFree(d));
}

static cudaTextureObject_t last_texture;

static cudaError_t make(const cudaResourceDesc &r, const cudaTextureDesc &d)
{
    cudaTextureObject_t t = 0;
    cudaError_t error = cudaCreateTextureObject(&t, &r, &d, NULL);
    if (error == cudaSuccess) {
        CHECK(cudaDestroyTextureObject(t));
        last_texture = t;
    }
    return error;
}

static void objects()
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), i = cudaCreateChannelDesc<int>(), c = cudaCreateChannelDesc<uchar4>();
    cudaArray_t floats, ints, bytes;
    CHECK(cudaMallocArray(&floats, &f, 64, 8));
    CHECK(cudaMallocArray(&ints, &i, 64, 8));
    CHECK(cudaMallocArray(&bytes, &c, 64, 8));
    char *d;
    CHECK(cudaMalloc(&d, 1 << 16));
    cudaTextureDesc t;
    memset(&t, 0, sizeof t);
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    printf("-- textures of arrays\n");
    r.resType = cudaResourceTypeArray;
    ASK(make(r, t));
    r.res.array.array = floats;
    ASK(make(r, t));
    ASK(cudaCreateTextureObject(NULL, &r, &t, NULL));
    ASK(cudaCreateTextureObject(&last_texture, NULL, &t, NULL));
    ASK(cudaCreateTextureObject(&last_texture, &r, NULL, NULL));
    t.readMode = cudaReadModeNormalizedFloat;
    ASK(make(r, t));
    r.res.array.array = ints;
    ASK(make(r, t));
    t.filterMode = cudaFilterModeLinear;
    ASK(make(r, t));
    t.readMode = cudaReadModeElementType;
    ASK(make(r, t));
    r.res.array.array = bytes;
    ASK(make(r, t));
    t.readMode = cudaReadModeNormalizedFloat;
    ASK(make(r, t));
    t.sRGB = 1;
    ASK(make(r, t));
    r.res.array.array = floats;
    t.readMode = cudaReadModeElementType;
    ASK(make(r, t));
    t.sRGB = 0;
    t.addressMode[0] = (cudaTextureAddressMode)7;
    ASK(make(r, t));
    t.addressMode[0] = cudaAddressModeWrap;
    t.maxAnisotropy = 99;
    ASK(make(r, t));
    t.maxAnisotropy = 0;
    CHECK(cudaCreateTextureObject(&last_texture, &r, &t, NULL));
    ASK(cudaDestroyTextureObject(last_texture));
    ASK(cudaDestroyTextureObject(0));

    printf("-- textures of linear memory\n");
    memset(&t, 0, sizeof t);
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    ASK(make(r, t));
    r.res.linear.devPtr = d;
    r.res.linear.desc = f;
    ASK(make(r, t));
    r.res.linear.sizeInBytes = 1024;
    ASK(make(r, t));
    r.res.linear.devPtr = d + 16;
    ASK(make(r, t));
    r.res.linear.devPtr = d + 512;
    ASK(make(r, t));
    r.res.linear.sizeInBytes = 1 << 17;
    ASK(make(r, t));
    r.res.linear.sizeInBytes = 1022;
    ASK(make(r, t));
    t.filterMode = cudaFilterModeLinear;
    ASK(make(r, t));
    t.filterMode = cudaFilterModePoint;
    t.normalizedCoords = 1;
    ASK(make(r, t));
    t.normalizedCoords = 0;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = d;
    r.res.pitch2D.desc = f;
    r.res.pitch2D.width = 16;
    r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = 64;
    ASK(make(r, t));
    r.res.pitch2D.pitchInBytes = 80;
    ASK(make(r, t));
    r.res.pitch2D.pitchInBytes = 32;
    ASK(make(r, t));
    r.res.pitch2D.pitchInBytes = 96;
    ASK(make(r, t));
    r.res.pitch2D.devPtr = d + 32;
    ASK(make(r, t));
    r.res.pitch2D.devPtr = d;
    r.res.pitch2D.height = 0;
    ASK(make(r, t));
    r.res.pitch2D.height = 4096;
    ASK(make(r, t));

    printf("-- surfaces\n");
    memset(&r, 0, sizeof r);
    cudaSurfaceObject_t s;
    r.resType = cudaResourceTypeArray;
    ASK(cudaCreateSurfaceObject(&s, &r));
    r.res.array.array = floats;
    ASK(cudaCreateSurfaceObject(&s, &r));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d;
    r.res.linear.desc = f;
    r.res.linear.sizeInBytes = 1024;
    ASK(cudaCreateSurfaceObject(&s, &r));
    ASK(cudaDestroySurfaceObject(0));
    cudaChannelFormatDesc got;
    ASK(cudaGetChannelDesc(&got, floats));
    ASK(cudaGetChannelDesc(&got, NULL));
    CHECK(cudaFreeArray(floats));
    CHECK(cudaFreeArray(ints));
    CHECK(cudaFreeArray(bytes));
    CHECK(cudaFree(d));
}

// An access outside, which by default ends the program's use of the device: ask it last.
__global__ void trapped(cudaSurfaceObject_t s, int x)
{
    surf2Dwrite(1.0f, s, x, 0);
}

static void trap()
{
    cudaSurfaceObject_t s = surface_of(array_of<float>(4, 4, 0, 0));
    trapped<<<1, 1>>>(s, 12);
    ASK(cudaDeviceSynchronize());
    trapped<<<1, 1>>>(s, 16);
    ASK(cudaDeviceSynchronize());
}

// The channel descriptors of types.
#define DESCRIBE(T) describe(#T, cudaCreateChannelDesc<T>())

static void describe(const char *type, cudaChannelFormatDesc f)
{
    printf("cudaCreateChannelDesc<%s>: %d %d %d %d kind %d\n", type, f.x, f.y, f.z, f.w, (int)f.f);
}

int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    boundaries<unsigned char>("uchar");
    boundaries<short>("short");
    boundaries<float>("float");
    boundaries<uchar4>("uchar4");
    boundaries<float2>("float2");
    boundaries<float4>("float4");
    other_widths();
    DESCRIBE(char);
    DESCRIBE(signed char);
    DESCRIBE(uchar2);
    DESCRIBE(short4);
    DESCRIBE(unsigned short);
    DESCRIBE(int2);
    DESCRIBE(uint4);
    DESCRIBE(long);
    DESCRIBE(float);
    DESCRIBE(float4);
    DESCRIBE(double);
    DESCRIBE(uchar3);
    DESCRIBE(float3);
    describe("half", cudaCreateChannelDescHalf());
    describe("half2", cudaCreateChannelDescHalf2());
    describe("half4", cudaCreateChannelDescHalf4());
    arrays();
    objects();
    trap();
    return 0;
}
