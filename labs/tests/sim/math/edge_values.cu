/* Conversions, shifts and functions at the edges of their types, as a GPU computes them: both zeros,
 * denormal numbers, infinities, NaN, limits and their neighbours. Prints a checksum for each function;
 * for the one that is named, as in `edge_values "fmod float"`, all its results. What a GPU prints is
 * in edge_values.txt:
 *     nvcc -std=c++17 -O3 -arch=native edge_values.cu -o edge_values && ./edge_values */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

static const char *wanted;

template <class T> std::vector<T> edges() {
    std::vector<T> values = {T(0), T(0.25), T(1.5), T(2.5), T(3), T(1e9), T(1) / 3};
    for (int bits : {0, 7, 8, 15, 16, 23, 31, 32, 53, 63, 64}) {
        const T limit = std::ldexp(T(1), bits);
        values.insert(values.end(), {limit, std::nextafter(limit, T(0)), limit - T(0.5),
                                     limit + T(0.5), std::nextafter(limit, INFINITY)});
    }
    const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    values.insert(values.end(), {least, std::nextafter(least, T(0)), least / 2, most,
                                 std::numeric_limits<T>::denorm_min(), T(INFINITY)});
    const size_t count = values.size();
    for (size_t i = 0; i < count; i++) {
        values.push_back(-values[i]);
    }
    values.push_back(T(NAN));
    return values;
}
template <class T> std::vector<T> integers() {
    const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    return {T(0), T(1), T(2), T(3), T(7), T(-1), T(-2), least, T(least + 1), most, T(most - 1),
            T(most / 2), T(most / 2 + 1)};
}

template <class T> unsigned long long bits_of(T value) {
    unsigned long long bits = 0;
    if ((double)value != (double)value) {
        return 0x7ff8dead; /* a NaN is as good as another */
    }
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class A, class B, class R, class F>
__global__ void apply(const A *a, const B *b, R *results, int count, int columns, F function) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        results[i] = function(a[i / columns], b[i % columns]);
    }
}

template <class R, class A, class B, class F>
void table(const char *name, const std::vector<A> &a, const std::vector<B> &b, F function) {
    const int columns = (int)b.size(), count = (int)a.size() * columns;
    A *d_a;
    B *d_b;
    R *d_results;
    std::vector<R> results(count);
    cudaMalloc(&d_a, a.size() * sizeof(A));
    cudaMalloc(&d_b, b.size() * sizeof(B));
    cudaMalloc(&d_results, count * sizeof(R));
    cudaMemcpy(d_a, a.data(), a.size() * sizeof(A), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), b.size() * sizeof(B), cudaMemcpyHostToDevice);
    apply<<<(count + 127) / 128, 128>>>(d_a, d_b, d_results, count, columns, function);
    cudaMemcpy(results.data(), d_results, count * sizeof(R), cudaMemcpyDeviceToHost);
    unsigned long long all = 0;
    for (int i = 0; i < count; i++) {
        all = (all ^ bits_of(results[i])) * 0x9e3779b97f4a7c15ull;
        all ^= all >> 29;
        if (wanted != nullptr && strcmp(wanted, name) == 0) {
            printf("%s(%.17g, %.17g) = %llx\n", name, (double)a[i / columns],
                   (double)b[i % columns], bits_of(results[i]));
        }
    }
    if (wanted == nullptr) {
        printf("%s: %llx\n", name, all);
    }
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_results);
    if (cudaGetLastError() != cudaSuccess) {
        printf("%s: failed\n", name);
    }
}

template <class From, class To> struct cast {
    __device__ To operator()(From x, int) const { return (To)x; }
};
template <class From, class To> struct set {
    __device__ To operator()(From x, int) const {
        To y = x;
        return y;
    }
};
template <class From> struct bytes {
    __device__ unsigned operator()(From x, int) const {
        const uchar4 pixel = make_uchar4(x, x, 0, x);
        return pixel.x + pixel.y + pixel.w;
    }
};

template <class From, class To> void conversion(const char *from, const char *to) {
    using Kept = std::conditional_t<std::is_same<To, bool>::value, int, To>;
    const std::string name = std::string(from) + " to " + to;
    table<Kept>(name.c_str(), edges<From>(), std::vector<int>{0}, cast<From, To>{});
    table<Kept>((name + ", set").c_str(), edges<From>(), std::vector<int>{0}, set<From, To>{});
}
template <class From> void conversions(const char *from) {
    conversion<From, signed char>(from, "signed char");
    conversion<From, unsigned char>(from, "unsigned char");
    conversion<From, short>(from, "short");
    conversion<From, unsigned short>(from, "unsigned short");
    conversion<From, int>(from, "int");
    conversion<From, unsigned>(from, "unsigned");
    conversion<From, long long>(from, "long long");
    conversion<From, unsigned long long>(from, "unsigned long long");
    conversion<From, bool>(from, "bool");
    conversion<From, float>(from, "float");
    conversion<From, double>(from, "double");
    const std::string name = std::string(from) + " to uchar4";
    table<unsigned>(name.c_str(), edges<From>(), std::vector<int>{0}, bytes<From>{});
}

/* Every half and every bfloat16, and integers beside the limits of other types. */
template <class T> std::vector<T> all_of_16_bits() {
    std::vector<T> values(65536);
    for (unsigned i = 0; i < 65536; i++) {
        const unsigned short bits = (unsigned short)i;
        memcpy((void *)&values[i], &bits, sizeof bits);
    }
    return values;
}
template <class T> std::vector<T> beside_limits() {
    std::vector<T> values = integers<T>();
    for (unsigned long long limit : {7, 8, 11, 15, 16, 24, 31, 32, 53, 63}) {
        for (long long beside = -1; beside <= 1; beside++) {
            const unsigned long long value = (1ull << limit) + beside;
            values.insert(values.end(), {T(value), T(0 - value), T(value * 3), T(value / 2 * 3)});
        }
    }
    values.insert(values.end(), {T(65504), T(65519), T(65520), T(65521)});
    return values;
}
template <class From, class To> void cast_of(const std::string &name, const std::vector<From> &x) {
    using Kept = std::conditional_t<std::is_same<To, bool>::value, int, To>;
    table<Kept>(name.c_str(), x, std::vector<int>{0}, cast<From, To>{});
}
template <class From> void to_floats(const std::string &from, const std::vector<From> &x) {
    cast_of<From, float>(from + " to float", x);
    cast_of<From, double>(from + " to double", x);
    cast_of<From, half>(from + " to half", x);
    cast_of<From, __nv_bfloat16>(from + " to bfloat16", x);
    cast_of<From, bool>(from + " to bool", x);
}
template <class From> void to_integers(const std::string &from, const std::vector<From> &x) {
    cast_of<From, signed char>(from + " to signed char", x);
    cast_of<From, unsigned char>(from + " to unsigned char", x);
    cast_of<From, short>(from + " to short", x);
    cast_of<From, unsigned short>(from + " to unsigned short", x);
    cast_of<From, int>(from + " to int", x);
    cast_of<From, unsigned>(from + " to unsigned", x);
    cast_of<From, long long>(from + " to long long", x);
    cast_of<From, unsigned long long>(from + " to unsigned long long", x);
}
template <class From> void of_integer(const char *from) {
    to_floats<From>(from, beside_limits<From>());
    to_integers<From>(from, beside_limits<From>());
}
void other_conversions() {
    of_integer<signed char>("signed char");
    of_integer<unsigned char>("unsigned char");
    of_integer<short>("short");
    of_integer<unsigned short>("unsigned short");
    of_integer<int>("int");
    of_integer<unsigned>("unsigned");
    of_integer<long long>("long long");
    of_integer<unsigned long long>("unsigned long long");
    const std::vector<half> halves = all_of_16_bits<half>();
    const std::vector<__nv_bfloat16> bfloats = all_of_16_bits<__nv_bfloat16>();
    to_integers<half>("half", halves);
    to_integers<__nv_bfloat16>("bfloat16", bfloats);
    cast_of<half, float>("half to float", halves);
    cast_of<half, bool>("half to bool", halves);
    cast_of<__nv_bfloat16, float>("bfloat16 to float", bfloats);
    cast_of<__nv_bfloat16, bool>("bfloat16 to bool", bfloats);
    cast_of<float, half>("float to half", edges<float>());
    cast_of<float, __nv_bfloat16>("float to bfloat16", edges<float>());
    cast_of<double, half>("double to half", edges<double>());
    cast_of<double, __nv_bfloat16>("double to bfloat16", edges<double>());
}

#define OPERATION(operation, expression)                                                           \
    template <class A, class B> struct operation {                                                 \
        __device__ auto operator()(A x, B y) const { return expression; }                          \
    }
OPERATION(of_fmin, fmin(x, y));
OPERATION(of_fmax, fmax(x, y));
OPERATION(of_min, min(x, y));
OPERATION(of_max, max(x, y));
OPERATION(of_fmod, fmod(x, y));
OPERATION(of_remainder, remainder(x, y));
OPERATION(of_fdim, fdim(x, y));
OPERATION(of_copysign, copysign(x, y));
OPERATION(of_nextafter, nextafter(x, y));
OPERATION(of_order, x < y ? 1 : x == y ? 2 : x > y ? 3 : 4);
OPERATION(of_floor, floor(x) + 0 * y);
OPERATION(of_ceil, ceil(x) + 0 * y);
OPERATION(of_trunc, trunc(x) + 0 * y);
OPERATION(of_round, round(x) + 0 * y);
OPERATION(of_rint, rint(x) + 0 * y);
OPERATION(of_lrint, lrint(x) + y);
OPERATION(of_lround, lround(x) + y);
OPERATION(of_llrint, llrint(x) + y);
OPERATION(of_llround, llround(x) + y);
OPERATION(of_ilogb, ilogb(x) + y);
OPERATION(of_logb, logb(x) + 0 * y);
OPERATION(of_ldexp, ldexp(x, y));
OPERATION(of_fabs, fabs(x) + 0 * y);
OPERATION(of_sqrt, sqrt(x) + 0 * y);
OPERATION(of_left, x << y);
OPERATION(of_right, x >> y);
OPERATION(of_mulhi, __mulhi(x, y));

template <class T> void functions(const char *type) {
    const std::vector<T> x = edges<T>();
    const std::vector<int> zero = {0};
#define BINARY(name) table<T>((std::string(#name " ") + type).c_str(), x, x, of_##name<T, T>{})
    BINARY(fmin);
    BINARY(fmax);
    BINARY(min);
    BINARY(max);
    BINARY(fmod);
    BINARY(remainder);
    BINARY(fdim);
    BINARY(copysign);
    BINARY(nextafter);
    BINARY(order);
#define UNARY(R, name) table<R>((std::string(#name " ") + type).c_str(), x, zero, of_##name<T, int>{})
    UNARY(T, floor);
    UNARY(T, ceil);
    UNARY(T, trunc);
    UNARY(T, round);
    UNARY(T, rint);
    UNARY(long, lrint);
    UNARY(long, lround);
    UNARY(long long, llrint);
    UNARY(long long, llround);
    UNARY(int, ilogb);
    UNARY(T, logb);
    UNARY(T, fabs);
    UNARY(T, sqrt);
    const std::vector<int> exponents = {0, 1, -1, 23, 127, -127, 150, -150, 1100, -1100, INT_MAX, INT_MIN};
    table<T>((std::string("ldexp ") + type).c_str(), x, exponents, of_ldexp<T, int>{});
}

template <class T> void shifts(const char *type) {
    const std::vector<int> by = {0, 1, 7, 8, 15, 16, 30, 31, 32, 33, 62, 63, 64, 65, 128, INT_MAX, -1, INT_MIN};
    const std::vector<T> x = integers<T>();
    table<long long>((std::string("left ") + type).c_str(), x, by, of_left<T, int>{});
    table<long long>((std::string("right ") + type).c_str(), x, by, of_right<T, int>{});
}
template <class A, class B, class R> void orders(const char *types) {
    table<R>((std::string("min ") + types).c_str(), integers<A>(), integers<B>(), of_min<A, B>{});
    table<R>((std::string("max ") + types).c_str(), integers<A>(), integers<B>(), of_max<A, B>{});
}

int main(int, char **arguments) {
    wanted = arguments[1];
    conversions<float>("float");
    conversions<double>("double");
    other_conversions();
    functions<float>("float");
    functions<double>("double");
    shifts<signed char>("signed char");
    shifts<unsigned char>("unsigned char");
    shifts<short>("short");
    shifts<unsigned short>("unsigned short");
    shifts<int>("int");
    shifts<unsigned>("unsigned");
    shifts<long long>("long long");
    shifts<unsigned long long>("unsigned long long");
    orders<int, int, int>("int, int");
    orders<int, unsigned, unsigned>("int, unsigned");
    orders<unsigned, unsigned, unsigned>("unsigned, unsigned");
    orders<long long, unsigned long long, unsigned long long>("long long, unsigned long long");
    orders<unsigned long long, unsigned long long, unsigned long long>("unsigned long long");
    table<int>("mulhi", integers<int>(), integers<int>(), of_mulhi<int, int>{});
}
