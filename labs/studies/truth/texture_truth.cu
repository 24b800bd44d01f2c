// texture_truth.cu - what a texture unit returns, bit by bit: ground truth for the simulator's textures.
// Build: nvcc -O2 -arch=sm_90 texture_truth.cu -o texture_truth    Run: ./texture_truth > texture_truth.out
// It has no input and prints the same on every run. A line is one texture: its name, then the values that it
// returns for a list of coordinates, as the hexadecimal words of their memory; `value*n` stands for n equal
// values. `./grade run texture_truth.cu` prints what the simulator returns; `diff` compares the two.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>
#include <cuda_runtime.h>

typedef cudaTextureObject_t Texture;
typedef std::vector<float4> Coordinates;

#define CHECK(call) check(call, #call, __LINE__)

static void check(cudaError_t error, const char *call, int line)
{
    if (error != cudaSuccess) {
        printf("line %d: %s: %s\n", line, call, cudaGetErrorName(error));
        exit(1);
    }
}

// What the sections make is released at the end, the newest first.
static std::vector<std::function<cudaError_t()>> releases;

static void at_the_end(std::function<cudaError_t()> release) { releases.push_back(release); }

// ==== fetches: one thread a coordinate =======================================================

#define FETCH(name, expression)                                                                  \
    template <class T> struct name {                                                             \
        static __device__ T get(Texture t, float4 c) { (void)c; return expression; }             \
    };
FETCH(Fetch, tex1Dfetch<T>(t, (int)c.x))
FETCH(F1D, tex1D<T>(t, c.x))
FETCH(F2D, tex2D<T>(t, c.x, c.y))
FETCH(F3D, tex3D<T>(t, c.x, c.y, c.z))
FETCH(F1DLayered, tex1DLayered<T>(t, c.x, (int)c.y))
FETCH(F2DLayered, tex2DLayered<T>(t, c.x, c.y, (int)c.z))
FETCH(FCube, texCubemap<T>(t, c.x, c.y, c.z))
FETCH(FCubeLayered, texCubemapLayered<T>(t, c.x, c.y, c.z, (int)c.w))
FETCH(Gather0, tex2Dgather<T>(t, c.x, c.y, 0))
FETCH(Gather1, tex2Dgather<T>(t, c.x, c.y, 1))
FETCH(Gather3, tex2Dgather<T>(t, c.x, c.y, 3))

template <class T, class F> __global__ void fetch(Texture t, const float4 *at, T *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = F::get(t, at[i]);
    }
}

// Prints values of `bytes` bytes each: words of 32 bits, or one narrower number.
static void print(const std::string &name, const void *values, size_t bytes, int n)
{
    printf("%s:", name.c_str());
    std::string last;
    int same = 0;
    for (int i = 0; i <= n; i++) {
        std::string text;
        if (i < n) {
            const unsigned char *at = (const unsigned char *)values + i * bytes;
            char word[16];
            for (size_t done = 0; done < bytes; done += 4) {
                unsigned value = 0;
                size_t width = bytes < 4 ? bytes : 4;
                memcpy(&value, at + done, width);
                snprintf(word, sizeof word, "%s%0*x", done ? "," : "", (int)(2 * width), value);
                text += word;
            }
        }
        if (i > 0 && text == last) {
            same++;
            continue;
        }
        if (i > 0) {
            printf(same > 1 ? " %s*%d" : " %s", last.c_str(), same);
        }
        last = text;
        same = 1;
    }
    printf("\n");
}

template <class T, class F> static void show(const std::string &name, Texture t, const Coordinates &at)
{
    if (t == 0) {
        return;
    }
    int n = (int)at.size();
    float4 *d_at;
    T *d_out;
    std::vector<T> out(n);
    CHECK(cudaMalloc(&d_at, n * sizeof *d_at));
    CHECK(cudaMalloc(&d_out, n * sizeof *d_out));
    CHECK(cudaMemcpy(d_at, at.data(), n * sizeof *d_at, cudaMemcpyHostToDevice));
    fetch<T, F><<<(n + 127) / 128, 128>>>(t, d_at, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(T), cudaMemcpyDeviceToHost));
    print(name, out.data(), sizeof(T), n);
    CHECK(cudaFree(d_at));
    CHECK(cudaFree(d_out));
}

// ==== textures ===============================================================================

static const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                               cudaAddressModeMirror, cudaAddressModeBorder};
static const char *const mode_names[] = {"wrap", "clamp", "mirror", "border"};

static cudaTextureDesc description(int mode, bool linear, bool normalised, bool as_float)
{
    cudaTextureDesc d = cudaTextureDesc();
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = modes[mode];
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    d.normalizedCoords = normalised;
    return d;
}

static std::string named(const char *what, int mode, bool linear, bool normalised)
{
    return std::string(what) + " " + mode_names[mode] + (linear ? " linear" : " point") +
           (normalised ? " normalised" : " texels");
}

// 0 if it is refused; the line that says so is part of the truth.
static Texture create(const cudaResourceDesc &r, const cudaTextureDesc &d)
{
    Texture t = 0;
    cudaError_t error = cudaCreateTextureObject(&t, &r, &d, NULL);
    if (error != cudaSuccess) {
        printf("cudaCreateTextureObject: %s\n", cudaGetErrorName(error));
        cudaGetLastError();
        return 0;
    }
    at_the_end([t] { return cudaDestroyTextureObject(t); });
    return t;
}

static Texture of_array(cudaArray_t array, const cudaTextureDesc &d)
{
    cudaResourceDesc r = cudaResourceDesc();
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return create(r, d);
}

// An array of depth x height x width elements; a height or depth of 0 means one dimension less.
template <class T>
static cudaArray_t array_of(const std::vector<T> &values, int width, int height, int depth,
                            unsigned flags = 0, cudaChannelFormatDesc format = cudaCreateChannelDesc<T>())
{
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags));
    at_the_end([array] { return cudaFreeArray(array); });
    cudaMemcpy3DParms copy = cudaMemcpy3DParms();
    int rows = height ? height : 1, planes = depth ? depth : 1;
    copy.srcPtr = make_cudaPitchedPtr((void *)values.data(), width * sizeof(T), width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, rows, planes);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

// ==== numbers ================================================================================

static unsigned state = 1;
static unsigned random_bits()
{
    state = state * 1664525u + 1013904223u;
    return state >> 8; // 24 bits
}
static float random_unit() { return random_bits() / 16777216.0f; }

static Coordinates random_coordinates(int n, float width, float height, float depth)
{
    Coordinates at(n);
    for (float4 &c : at) {
        c.x = random_unit() * width;
        c.y = random_unit() * height;
        c.z = random_unit() * depth;
        c.w = 0.0f;
    }
    return at;
}

template <class T> static std::vector<T> random_texels(int n)
{
    std::vector<T> texels(n);
    unsigned char *bytes = (unsigned char *)texels.data();
    for (size_t i = 0; i < n * sizeof(T); i++) {
        bytes[i] = (unsigned char)(random_bits() >> 7);
    }
    return texels;
}

// Floats whose sums show how they are rounded. kind 0: 1 and a little; 1: any magnitude from 2^-8 to 2^8;
// 2: large with a low bit; 3: signed.
static std::vector<float> random_floats(int n, int kind)
{
    std::vector<float> texels(n);
    for (float &v : texels) {
        float unit = random_unit();
        switch (kind) {
        case 0: v = 1.0f + unit; break;
        case 1: v = ldexpf(1.0f + unit, (int)(random_bits() % 17) - 8); break;
        case 2: v = 8388608.0f + (float)(random_bits() % 8388608); break;
        default: v = unit - 0.5f;
        }
    }
    return texels;
}

static float number(unsigned bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ==== the sections ===========================================================================

// The weight of one texel: it holds 1, the others 0.
static void weights_1d()
{
    for (int width : {16, 13, 1000}) {
        int hot = width == 1000 ? 700 : 8;
        std::vector<float> texels(width, 0.0f);
        texels[hot] = 1.0f;
        cudaArray_t array = array_of(texels, width, 0, 0);
        for (int normalised = 0; normalised < 2; normalised++) {
            Texture t = of_array(array, description(1, true, normalised, false));
            Coordinates at;
            int steps = width == 1000 ? 64 : 4096, stride = width == 1000 ? 1 : 3;
            for (int k = -steps; k <= steps; k += stride) {
                float x = hot + 0.5f + k / 2048.0f;
                at.push_back(make_float4(normalised ? x / width : x, 0, 0, 0));
            }
            for (int k = 0; k < 64; k++) { // just beside the points where the weight changes
                for (int side = -1; side <= 1; side++) {
                    float x = hot + (k * 4 + 1) / 512.0f;
                    x = side ? nextafterf(x, side * INFINITY) : x;
                    at.push_back(make_float4(normalised ? x / width : x, 0, 0, 0));
                }
            }
            show<float, F1D<float>>("weight 1D width " + std::to_string(width) +
                                        (normalised ? " normalised" : " texels"), t, at);
        }
    }
}

static void weights_2d_3d()
{
    const int fractions[] = {0, 1, 2, 3, 5, 17, 64, 85, 100, 127, 128, 129, 171, 200, 254, 255};
    Coordinates at2, at3;
    for (int a : fractions) {
        for (int b : fractions) {
            at2.push_back(make_float4(1.5f + a / 256.0f, 1.5f + b / 256.0f, 0, 0));
        }
    }
    for (float4 c : random_coordinates(128, 2048, 2048, 1)) {
        at2.push_back(make_float4(1.5f + floorf(c.x) / 2048, 1.5f + floorf(c.y) / 2048, 0, 0));
    }
    for (float4 c : random_coordinates(256, 256, 256, 256)) {
        at3.push_back(make_float4(1.5f + floorf(c.x) / 256, 1.5f + floorf(c.y) / 256, 1.5f + floorf(c.z) / 256, 0));
    }
    for (int corner = 0; corner < 8; corner++) {
        int x = 1 + (corner & 1), y = 1 + (corner >> 1 & 1), z = 1 + (corner >> 2);
        if (corner < 4) {
            std::vector<float> texels(16, 0.0f);
            texels[y * 4 + x] = 1.0f;
            cudaArray_t array = array_of(texels, 4, 4, 0);
            Texture t = of_array(array, description(1, true, false, false));
            show<float, F2D<float>>("weight 2D corner " + std::to_string(corner), t, at2);
        }
        std::vector<float> texels(64, 0.0f);
        texels[(z * 4 + y) * 4 + x] = 1.0f;
        cudaArray_t array = array_of(texels, 4, 4, 4);
        Texture t = of_array(array, description(1, true, false, false));
        show<float, F3D<float>>("weight 3D corner " + std::to_string(corner), t, at3);
    }
}

// How products are summed and rounded.
static void sums_of_floats()
{
    for (int kind = 0; kind < 4; kind++) {
        std::string name = "sum of floats of kind " + std::to_string(kind);
        cudaTextureDesc d = description(1, true, false, false);
        cudaArray_t line = array_of(random_floats(16, kind), 16, 0, 0);
        cudaArray_t plane = array_of(random_floats(64, kind), 8, 8, 0);
        cudaArray_t volume = array_of(random_floats(512, kind), 8, 8, 8);
        Texture t1 = of_array(line, d), t2 = of_array(plane, d), t3 = of_array(volume, d);
        show<float, F1D<float>>(name + " 1D", t1, random_coordinates(96, 16, 1, 1));
        show<float, F2D<float>>(name + " 2D", t2, random_coordinates(160, 8, 8, 1));
        show<float, F3D<float>>(name + " 3D", t3, random_coordinates(160, 8, 8, 8));
    }
    // Infinity, NaN, denormals and huge numbers beside 0 and 1.
    std::vector<float> odd = {0, number(0x7f800000), 1, number(0x7fc12345), 1, number(1), 0, number(0x7f7fffff),
                              number(0x7f7fffff), -0.0f, -0.0f, number(0x00800000), number(0x007fffff), 3, number(0xff800000), 3};
    cudaArray_t line = array_of(odd, 16, 0, 0);
    Texture t = of_array(line, description(1, true, false, false));
    Coordinates at;
    for (int i = 0; i < 128; i++) {
        at.push_back(make_float4(i / 8.0f, 0, 0, 0));
    }
    show<float, F1D<float>>("sum of odd floats 1D", t, at);
}

// One texture of random texels of type T, read as R: every element, then interpolated.
template <class T, class R>
static void format(const char *name, bool as_float, bool can_filter,
                   cudaChannelFormatDesc f = cudaCreateChannelDesc<T>())
{
    std::vector<T> texels = random_texels<T>(64);
    cudaArray_t line = array_of(texels, 64, 0, 0, 0, f), plane = array_of(texels, 8, 8, 0, 0, f),
                volume = array_of(texels, 4, 4, 4, 0, f);
    for (int linear = 0; linear <= (can_filter ? 1 : 0); linear++) {
        cudaTextureDesc d = description(1, linear, false, as_float);
        Texture t1 = of_array(line, d), t2 = of_array(plane, d), t3 = of_array(volume, d);
        std::string head = std::string("format ") + name + (as_float ? " as float" : "") + (linear ? " linear" : " point");
        Coordinates every;
        for (int i = 0; i < 64; i++) {
            every.push_back(make_float4(i + 0.5f, 0, 0, 0));
        }
        int n = sizeof(R) > 4 ? 24 : 64;
        show<R, F1D<R>>(head + " 1D elements", t1, every);
        if (linear) {
            show<R, F1D<R>>(head + " 1D", t1, random_coordinates(n, 64, 1, 1));
            show<R, F2D<R>>(head + " 2D", t2, random_coordinates(n, 8, 8, 1));
            show<R, F3D<R>>(head + " 3D", t3, random_coordinates(n, 4, 4, 4));
        }
    }
}

// Every value of a normalised type, and the steps between 0 and the largest.
template <class T> static void every_value(const char *name, int from, int to, int stride)
{
    std::vector<T> texels;
    Coordinates at;
    for (int v = from; v <= to; v += stride) {
        at.push_back(make_float4(texels.size() + 0.5f, 0, 0, 0));
        T texel;
        texel.x = v;
        texels.push_back(texel);
    }
    cudaArray_t array = array_of(texels, (int)texels.size(), 0, 0);
    for (int linear = 0; linear < 2; linear++) {
        Texture t = of_array(array, description(1, linear, false, true));
        show<float, F1D<float>>(std::string("every value of ") + name + (linear ? " linear" : " point"), t, at);
    }
    std::vector<T> pair(2);
    pair[0].x = 0;
    pair[1].x = to;
    array = array_of(pair, 2, 0, 0);
    Texture t = of_array(array, description(1, true, false, true));
    Coordinates steps;
    for (int k = 0; k <= 256; k++) {
        steps.push_back(make_float4(0.5f + k / 256.0f, 0, 0, 0));
    }
    show<float, F1D<float>>(std::string("steps to the largest ") + name, t, steps);
}

static void srgb()
{
    std::vector<uchar4> texels;
    Coordinates at, between;
    for (int v = 0; v < 256; v++) {
        texels.push_back(make_uchar4(v, 255 - v, v * 7 & 255, v));
        at.push_back(make_float4(v + 0.5f, 0, 0, 0));
        if (v < 64) {
            between.push_back(make_float4(v * 3.7f, 0, 0, 0));
        }
    }
    cudaArray_t array = array_of(texels, 256, 0, 0);
    for (int linear = 0; linear < 2; linear++) {
        cudaTextureDesc d = description(1, linear, false, true);
        d.sRGB = 1;
        Texture t = of_array(array, d);
        show<float4, F1D<float4>>(linear ? "sRGB linear" : "sRGB point", t, linear ? between : at);
    }
}

// Coordinates in and around 4 texels: exact halves, borders, negative, huge, not numbers.
static std::vector<float> around(bool normalised)
{
    std::vector<float> x;
    for (int k = -20; k <= 28; k++) {
        x.push_back(k * 0.25f);
        x.push_back(k * 0.5f + 0.37f);
    }
    for (float k : {2.4990f, 2.4985f, 3.9990234375f, 4.0009765625f, 3.998f, 3.9999998f, -0.001f, -0.002f, -0.00195312f, 0.0019f,
                    0.00196f, -100.3f, 100.3f, 32767.5f, 32768.5f, -32768.5f, 65535.5f, 65537.25f, 1e5f, -1e5f, 1e6f + 0.5f,
                    16777216.0f, 2147483648.0f, -2147483648.0f, 4294967296.0f, 1e10f, -1e10f, 3.4e38f, -3.4e38f, 1e-40f, -1e-40f}) {
        x.push_back(k);
    }
    for (float &v : x) {
        v = normalised ? v / 4 : v;
    }
    for (float k : {-0.0f, INFINITY, -INFINITY, number(0x7fc00000)}) {
        x.push_back(k);
    }
    return x;
}

static void address_modes()
{
    std::vector<float> texels(64);
    for (int i = 0; i < 64; i++) {
        texels[i] = 100.0f + i * i;
    }
    cudaArray_t line = array_of(texels, 4, 0, 0), plane = array_of(texels, 4, 4, 0), volume = array_of(texels, 4, 4, 4),
                layers = array_of(texels, 4, 4, 4, cudaArrayLayered), lines = array_of(texels, 4, 0, 4, cudaArrayLayered);
    for (int mode = 0; mode < 4; mode++) {
        for (int linear = 0; linear < 2; linear++) {
            for (int normalised = 0; normalised < 2; normalised++) {
                cudaTextureDesc d = description(mode, linear, normalised, false);
                if (mode == 3) {
                    d.borderColor[0] = 7.25f;
                    d.borderColor[1] = 1.0f;
                }
                float half = normalised ? 0.40625f : 1.625f;
                Coordinates x, y, z, both;
                for (float v : around(normalised)) {
                    x.push_back(make_float4(v, half, half, 0));
                    y.push_back(make_float4(half, v, half, 0));
                    z.push_back(make_float4(half, half, v, 0));
                    both.push_back(make_float4(v, v, v, 0));
                }
                Texture t1 = of_array(line, d), t2 = of_array(plane, d), t3 = of_array(volume, d), t4 = of_array(layers, d),
                        t5 = of_array(lines, d);
                show<float, F1D<float>>(named("address 1D", mode, linear, normalised), t1, x);
                show<float, F2D<float>>(named("address 2D x", mode, linear, normalised), t2, x);
                show<float, F2D<float>>(named("address 2D y", mode, linear, normalised), t2, y);
                show<float, F2D<float>>(named("address 2D xy", mode, linear, normalised), t2, both);
                show<float, F3D<float>>(named("address 3D z", mode, linear, normalised), t3, z);
                show<float, F3D<float>>(named("address 3D xyz", mode, linear, normalised), t3, both);
                Coordinates layer;
                for (int l : {0, 1, 3, 4, 5, -1, 1000, 65536, -2147483647}) {
                    float v = normalised ? 0.3f : 1.2f;
                    layer.push_back(make_float4(v, v, (float)l, 0));
                }
                show<float, F2DLayered<float>>(named("address layers 2D", mode, linear, normalised), t4, layer);
                for (float4 &c : layer) {
                    c.y = c.z;
                }
                show<float, F1DLayered<float>>(named("address layers 1D", mode, linear, normalised), t5, layer);
            }
        }
    }
}

// A border colour of each kind of element, and different modes for x and y.
static void borders()
{
    cudaTextureDesc d = description(3, false, false, false);
    d.borderColor[0] = -2.75f;
    d.borderColor[1] = 300.6f;
    d.borderColor[2] = 0.4f;
    d.borderColor[3] = 1e10f;
    Coordinates at;
    for (float x : {-1.0f, 0.5f, 1.5f, 2.5f}) {
        at.push_back(make_float4(x, 0.5f, 0, 0));
    }
    cudaArray_t chars = array_of(random_texels<char4>(4), 2, 2, 0), bytes = array_of(random_texels<uchar4>(4), 2, 2, 0),
                ints = array_of(random_texels<int4>(4), 2, 2, 0), floats = array_of(random_texels<float4>(4), 2, 2, 0),
                shorts = array_of(random_texels<ushort2>(4), 2, 2, 0);
    Texture t[8] = {of_array(chars, d), of_array(bytes, d), of_array(ints, d), of_array(floats, d), of_array(shorts, d)};
    show<char4, F2D<char4>>("border char4", t[0], at);
    show<uchar4, F2D<uchar4>>("border uchar4", t[1], at);
    show<int4, F2D<int4>>("border int4", t[2], at);
    show<float4, F2D<float4>>("border float4", t[3], at);
    show<ushort2, F2D<ushort2>>("border ushort2", t[4], at);
    d.readMode = cudaReadModeNormalizedFloat;
    t[5] = of_array(chars, d);
    t[6] = of_array(bytes, d);
    t[7] = of_array(shorts, d);
    show<float4, F2D<float4>>("border char4 as float", t[5], at);
    show<float4, F2D<float4>>("border uchar4 as float", t[6], at);
    show<float2, F2D<float2>>("border ushort2 as float", t[7], at);
    std::vector<float> texels(16);
    for (int i = 0; i < 16; i++) {
        texels[i] = 10.0f + i;
    }
    cudaArray_t plane = array_of(texels, 4, 4, 0);
    for (int x = 0; x < 4; x++) {
        for (int y = 0; y < 4; y++) {
            d = description(x, true, true, false);
            d.addressMode[1] = modes[y];
            Coordinates out;
            for (float v : {-0.3f, 0.05f, 0.6f, 0.97f, 1.2f}) {
                for (float w : {-0.2f, 0.08f, 0.55f, 0.93f, 1.3f}) {
                    out.push_back(make_float4(v, w, 0, 0));
                }
            }
            Texture mixed = of_array(plane, d);
            show<float, F2D<float>>(std::string("mixed x ") + mode_names[x] + " y " + mode_names[y], mixed, out);
        }
    }
}

// Textures of linear memory: tex1Dfetch, and pitched 2D.
template <class T, class R> static void linear_memory(const char *name, bool as_float, bool can_filter)
{
    T *d_texels;
    std::vector<T> texels = random_texels<T>(256);
    CHECK(cudaMalloc(&d_texels, 256 * sizeof(T)));
    at_the_end([d_texels] { return cudaFree(d_texels); });
    CHECK(cudaMemcpy(d_texels, texels.data(), 256 * sizeof(T), cudaMemcpyHostToDevice));
    cudaResourceDesc r = cudaResourceDesc();
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d_texels;
    r.res.linear.desc = cudaCreateChannelDesc<T>();
    r.res.linear.sizeInBytes = 100 * sizeof(T);
    for (int mode = 1; mode < 4; mode += 2) {
        cudaTextureDesc d = description(mode, false, false, as_float);
        d.borderColor[0] = 3.0f;
        Texture t = create(r, d);
        Coordinates at;
        for (int i : {0, 1, 2, 50, 98, 99, 100, 101, 127, 128, 255, -1, -2, -100, 1 << 24, 1 << 30, -(1 << 30)}) {
            at.push_back(make_float4((float)i, 0, 0, 0));
        }
        show<R, Fetch<R>>(std::string("tex1Dfetch ") + name + " " + mode_names[mode], t, at);
    }
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    size_t pitch;
    T *d_plane;
    CHECK(cudaMallocPitch(&d_plane, &pitch, 8 * sizeof(T), 8));
    at_the_end([d_plane] { return cudaFree(d_plane); });
    CHECK(cudaMemcpy2D(d_plane, pitch, texels.data(), 8 * sizeof(T), 8 * sizeof(T), 8, cudaMemcpyHostToDevice));
    r.res.pitch2D.devPtr = d_plane;
    r.res.pitch2D.desc = cudaCreateChannelDesc<T>();
    r.res.pitch2D.width = 8;
    r.res.pitch2D.height = 8;
    r.res.pitch2D.pitchInBytes = pitch;
    for (int mode = 0; mode < 4; mode++) {
        for (int linear = 0; linear <= (can_filter ? 1 : 0); linear++) {
            for (int normalised = 0; normalised < 2; normalised++) {
                cudaTextureDesc d = description(mode, linear, normalised, as_float);
                Texture t = create(r, d);
                Coordinates at = random_coordinates(32, 16, 16, 1);
                for (float4 &c : at) {
                    c.x = normalised ? (c.x - 4) / 8 : c.x - 4;
                    c.y = normalised ? (c.y - 4) / 8 : c.y - 4;
                }
                show<R, F2D<R>>(named((std::string("pitched ") + name).c_str(), mode, linear, normalised), t, at);
            }
        }
    }
}

static Coordinates directions()
{
    Coordinates at;
    for (int x = -2; x <= 2; x++) {
        for (int y = -2; y <= 2; y++) {
            for (int z = -2; z <= 2; z++) {
                at.push_back(make_float4((float)x, (float)y, (float)z, 0));
            }
        }
    }
    for (float4 c : random_coordinates(128, 2, 2, 2)) {
        at.push_back(make_float4(c.x - 1, c.y - 1, c.z - 1, (float)(at.size() % 3)));
    }
    for (float odd : {number(0x7fc00000), INFINITY, 1e-40f, 3e38f}) {
        at.push_back(make_float4(odd, 1, 0.5f, 0));
        at.push_back(make_float4(1, odd, 0.5f, 1));
        at.push_back(make_float4(odd, odd, odd, 0));
    }
    return at;
}

static void cubemaps()
{
    std::vector<float> texels(12 * 16);
    for (int i = 0; i < 12 * 16; i++) {
        texels[i] = 1000.0f * (i / 16) + 10.0f * (i / 4 % 4) + i % 4;
    }
    cudaArray_t cube = array_of(texels, 4, 4, 6, cudaArrayCubemap);
    cudaArray_t cubes = array_of(texels, 4, 4, 12, cudaArrayCubemap | cudaArrayLayered);
    for (int linear = 0; linear < 2; linear++) {
        for (int seamless = 0; seamless < 2; seamless++) {
            for (int mode = 1; mode < 4; mode++) {
                cudaTextureDesc d = description(mode, linear, true, false);
                d.seamlessCubemap = seamless;
                Texture t = of_array(cube, d), layered = of_array(cubes, d);
                std::string name = named("", mode, linear, true) + (seamless ? " seamless" : "");
                show<float, FCube<float>>("cubemap" + name, t, directions());
                if (mode == 1) {
                    show<float, FCubeLayered<float>>("cubemap layered" + name, layered, directions());
                }
            }
        }
    }
}

static void gathers()
{
    std::vector<float4> texels(16);
    std::vector<uchar4> bytes(16);
    for (int i = 0; i < 16; i++) {
        texels[i] = make_float4((float)i, 100.0f + i, 200.0f + i, 300.0f + i);
        bytes[i] = make_uchar4(i, 50 + i, 100 + i, 150 + i);
    }
    cudaArray_t array = array_of(texels, 4, 4, 0, cudaArrayTextureGather);
    cudaArray_t narrow = array_of(bytes, 4, 4, 0, cudaArrayTextureGather);
    for (int mode = 0; mode < 4; mode++) {
        for (int normalised = 0; normalised < 2; normalised++) {
            cudaTextureDesc d = description(mode, normalised, normalised, false);
            d.borderColor[0] = 9.5f;
            d.borderColor[1] = 19.5f;
            Texture t = of_array(array, d);
            d = description(mode, false, normalised, false);
            Texture u = of_array(narrow, d);
            d.readMode = cudaReadModeNormalizedFloat;
            Texture v = of_array(narrow, d);
            Coordinates at = random_coordinates(24, 6, 6, 1);
            for (int k = -4; k <= 4; k++) { // where the four texels change
                at.push_back(make_float4(2.5f + k / 1024.0f, 2.5f - k / 1024.0f, 0, 0));
                at.push_back(make_float4(2.0f + k / 1024.0f, 2.0f - k / 1024.0f, 0, 0));
            }
            for (float4 &c : at) {
                c.x = normalised ? c.x / 4 : c.x;
                c.y = normalised ? c.y / 4 : c.y;
            }
            show<float4, Gather0<float4>>(named("gather 0", mode, normalised, normalised), t, at);
            show<float4, Gather1<float4>>(named("gather 1", mode, normalised, normalised), t, at);
            show<uchar4, Gather3<uchar4>>(named("gather 3 uchar4", mode, false, normalised), u, at);
            show<float4, Gather3<float4>>(named("gather 3 uchar4 as float", mode, false, normalised), v, at);
        }
    }
}

int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    weights_1d();
    weights_2d_3d();
    sums_of_floats();
    cudaChannelFormatDesc half1 = cudaCreateChannelDescHalf(), half4 = cudaCreateChannelDescHalf4();
    format<char, signed char>("char", false, false);
    format<uchar1, uchar1>("uchar1", false, false);
    format<short2, short2>("short2", false, false);
    format<ushort4, ushort4>("ushort4", false, false);
    format<int, int>("int", false, false);
    format<uint2, uint2>("uint2", false, false);
    format<char4, float4>("char4", true, true);
    format<uchar1, float>("uchar", true, true);
    format<uchar4, float4>("uchar4", true, true);
    format<short, float>("short", true, true);
    format<ushort1, float>("ushort", true, true);
    format<ushort4, float4>("ushort4", true, true);
    format<float2, float2>("float2", false, true);
    format<unsigned short, float>("half", false, true, half1);
    format<ushort4, float4>("half4", false, true, half4);
    every_value<uchar1>("uchar", 0, 255, 1);
    every_value<char1>("char", -128, 127, 1);
    every_value<ushort1>("ushort", 0, 65535, 85);
    every_value<short1>("short", -32768, 32767, 85);
    srgb();
    address_modes();
    borders();
    linear_memory<float, float>("float", false, true);
    linear_memory<int, int>("int", false, false);
    linear_memory<uchar4, uchar4>("uchar4", false, false);
    linear_memory<uchar4, float4>("uchar4 as float", true, true);
    linear_memory<short, float>("short as float", true, true);
    linear_memory<float4, float4>("float4", false, true);
    cubemaps();
    gathers();
    for (; !releases.empty(); releases.pop_back()) {
        CHECK(releases.back()());
    }
    return 0;
}
