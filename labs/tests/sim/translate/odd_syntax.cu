// Odd but valid CUDA: what the translator rewrites by tokens has to stay what it was. Each kernel
// gives the value that nvcc's code gives. `./grade run [--check] odd_syntax.cu` exits with 0.
#include <cooperative_groups.h>
#include <cstdio>
#include <iostream>

static int failures;

// Thread 0 of one warp must leave this value in element 0.
#define EXPECT(kernel, expected, ...)                                                              \
    do {                                                                                           \
        int *d_out, h_out;                                                                         \
        cudaMalloc(&d_out, 32 * sizeof(int));                                                      \
        cudaMemset(d_out, 0, 32 * sizeof(int));                                                    \
        kernel<<<1, 32, 16>>>(d_out, ##__VA_ARGS__);                                               \
        cudaMemcpy(&h_out, d_out, sizeof(int), cudaMemcpyDeviceToHost);                            \
        cudaFree(d_out);                                                                           \
        if (cudaGetLastError() != cudaSuccess || h_out != (expected)) {                            \
            printf("%s: %d, not %d\n", #kernel, h_out, expected);                                  \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

// ---- lambda array parameter, capture with initializer, of a name of an array
__global__ void lambda_params(int *a, float f) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    auto first = [](const int a[], int n) { return a[n]; };
    auto size = [s0 = s[t], f](int s = 4) mutable { s0 += (int)f; return s0 + s; };
    __syncwarp();
    a[t] = first(s, (t + 1) % 32) + size() + size(1);
}
// ---- structured bindings
struct pair2 { int x; float y; };
__device__ pair2 both(int i) { return {i, i * 0.5f}; }
__global__ void bindings(int *a) {
    __shared__ pair2 s[32];
    int t = threadIdx.x;
    s[t] = both(t);
    __syncwarp();
    auto [i, half] = s[t ^ 1];
    auto &[u, v] = s[t];
    const auto &[b, c] = both(7);
    __syncwarp();
    u = i + c + half;
    a[t] = u + b, v = 0;
}
// ---- init-if, switch init, while declaration
__device__ int *next(int *p) { return *p ? p : nullptr; }
__global__ void initialisers(int *a, float f) {
    int t = threadIdx.x, sum = 0;
    if (int n = f; n > 2) sum += n;
    else if (unsigned m = 2.5f * n; m) sum += m;
    switch (int k = 3.9f + t * 0; k) { case 3: sum += 100; break; default: sum = -1; }
    a[t] = 1;
    while (int *p = next(a + t)) { *p = 0; sum += 1000; }
    for (int i = 0, *q = a + t; int left = 3 - i; i++) *q += left;
    a[t] += sum;
}
// ---- if constexpr, templates with < >
template <int N, bool B = (N > 3)> struct chosen {
    static constexpr int value = B ? N << 1 : N >> 1; };
template <class T, int N> __device__ auto pick(T x) {
    if constexpr (sizeof(T) > 4 && (N < 3)) return x * 2;
    else if constexpr (N >> 1 > 1) return (int)x;
    else return x;
}
__global__ void templates(int *a, int n, double d) {
    int t = threadIdx.x;
    const bool less = n < 3 && n > (1);
    a[t] = chosen<(4 > 3 ? 5 : 2)>::value + pick<double, 2>(d) + pick<float, 6>(2.9f) + less;
    a[t] += chosen<2>::value << n >> 1;
}
// ---- macros
#define AT(p, i) p[(i)]
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define SWAP(T, x, y) do { T tmp_ = x; x = y; y = tmp_; } while (0)
#define CAT(a, b) a##b
__global__ void macros(int *a) {
    __shared__ int tile[2][32];
    int t = threadIdx.x;
    FOR(k, 2) AT(tile[k], t) = t + k;
    __syncthreads();
    SWAP(int, AT(tile[0], t), AT(tile[1], t));
    FOR(k, 2) if (k) AT(a, t) += AT(tile[k], t); else AT(a, t) -= CAT(ti, le)[k][t];
}
// ---- attributes
__global__ void attributes(int *a, float f) {
    [[maybe_unused]] int t = threadIdx.x;
    [[maybe_unused]] const int n = f * 1e10f, m [[gnu::unused]] = 3;
    alignas(16) int v[4] = {1, 2, 3, 4};
    __attribute__((aligned(8))) int w = 2.9f;
    switch (w) {
        case 2: v[0]++; [[fallthrough]];
        [[likely]] case 5: v[0]++; break;
        default: v[0] = 0;
    }
    a[t] = (n == 2147483647) + v[0] * 10 + w * 100 + m * 1000;
}
// ---- raw strings, literals
__device__ constexpr long double operator""_km(long double x) { return x * 1000; }
__device__ constexpr int operator""_twice(unsigned long long x) { return (int)x * 2; }
__device__ constexpr int operator""_len(const char *, size_t n) { return (int)n; }
__device__ int length(const char *s) { int n = 0; while (*s++) n++; return n; }
__global__ void literals(int *a) {
    int t = threadIdx.x;
    const char *s = R"x(a[t] = 1; } // "no" <<<1, 2>>>(a) )x";
    a[t] = (int)1.5_km + 21_twice + "a[t]"_len + length(s) + '\'' + 1'000 + (int)"a" R"(b)"[1] +
        0b11 + u8'a';
}
// ---- designated initialisers, nested braces
struct shape { int w, h; struct { float x, y; } at; };
__device__ int area(shape s) { return s.w * s.h + (int)s.at.x; }
__global__ void designated(int *a, int n) {
    __shared__ shape s[1];
    int t = threadIdx.x;
    if (t == 0) s[0] = {.w = n, .h = 2, .at = {.x = 1.9f}};
    __syncthreads();
    shape b = {.w = s->w + t * 0, .h = s[0].h};
    a[t] = area(*s) + area({.w = b.h, .h = b.w, .at = {}});
}
// ---- comma expressions, nested ternaries
__global__ void commas(int *a, float f) {
    int t = threadIdx.x, i, j;
    for (i = 0, j = f; i < j; i++, j--) a[t] += i, a[t] += j;
    int k = (i = 2.9f, j = a[t], i + j);
    a[t] = k + (t < 0 ? i < 0 ? 1 : 2 : f > 100 ? i > j ? 3 : 4 : i ? j ? 5 : 6 : 7);
    int x = t < 16 ? t < 8 ? f : 2 * f : 0, y = (x = x + 1, x);
    a[t] += x * 100 + y;
}
// ---- operators with words and digraphs
__global__ void words(int *a) <%
    int t = threadIdx.x;
    bool b = not (t < 0) and (t >= 0 or false);
    a<:t:> = b bitor 2;
    a[t] xor_eq 8;
    a[t] and_eq compl 1;
    if (b not_eq false) <% a<:t:> or_eq 64; %>
%>

// ---- host device functions with streams
struct vec { float x; __host__ __device__ void print(std::ostream &o) const {
    o << "x " << x << '\n'; } };
template <class S> __host__ __device__ S &shown(S &s, int n) { s << n << 1; return s; }
struct sink { int n = 0; __device__ sink &operator<<(int x) { n += x; return *this;
    } sink(const sink &) = delete; sink() = default;
              __device__ sink &operator>>(int &x) { x = n; return *this; } };
__global__ void streams(int *a, int n) {
    int t = threadIdx.x;
    sink s;
    s << n << a[t] << (n << n);
    shown(s, n) >> a[t];
}
// ---- assigned functions that are overloaded
__device__ int twice(int x) { return 2 * x; }
__device__ float twice(float x) { return 2 * x; }
template <class T> __device__ T thrice(T x) { return 3 * x; }
using fn = int (*)(int);
__global__ void overloaded(int *a, int n) {
    int t = threadIdx.x;
    fn f = twice, g = n > 100 ? f : fn(thrice<int>);
    struct { fn of; } s;
    s.of = twice;
    f = thrice;
    fn both[2] = {twice, thrice};
    both[1] = twice;
    a[t] = f(n) + g(n) * 10 + s.of(n) * 100 + both[0](n) + both[1](n);
}
// ---- bit fields to objects
struct bits { unsigned low : 4, high : 12; };
struct wrapped { int v; __device__ wrapped &operator=(int x) { v = x; return *this;
    } __device__ wrapped(int x = 0) : v(x) {} 
                 __device__ operator int() const { return v; } };
struct config { static const int size = 5; };
#pragma pack(push, 1)
struct squeezed { char c; int i; };
#pragma pack(pop)
__global__ void fields(int *a, bits b) {
    int t = threadIdx.x;
    wrapped w, x = b.high, y = config::size;
    w = b.low;
    a[t] = w + x;
    w = config::size;
    a[t] += w * y;
    squeezed q = {1, 7};
    w = q.i;
    a[t] += w, q.i = 2.9f, a[t] += q.i;
    b.low = 12.5f;
    a[t] += b.low;
}
// ---- default arguments
__device__ int defaulted(int n = 2.9f, int m = sizeof(int) * 2.5) { return n + m; }
struct initialised { int n = 3.9f; unsigned m = n * 1.5f, k{7}; static constexpr int c = 2.5 * 2; };
__global__ void defaults(int *a, float f) {
    int t = threadIdx.x;
    auto g = [](int n = (int)sizeof(float) * 1.5, int m = 2.2f) { return n * m; };
    auto h = [n = f * 2, f](int k) { return n + f + k; };
    initialised i;
    a[t] = defaulted() + g() + h(1) + i.n + i.m + i.k + initialised::c;
}
// ---- functions that return lvalues
__device__ int &at(int *a, int i) { return a[i]; }
template <int N> __device__ int &offset(int *a) { return a[N]; }
struct grid { int *p; __device__ int &operator()(int i, int j) { return p[i + j];
    } __device__ int &operator[](int i) { return p[i]; }
              __device__ grid &self() { return *this; } };
__global__ void lvalues(int *a, float f) {
    int t = threadIdx.x;
    if (t) return;
    at(a, 1) = f, at(a, 2) = 2 * f;
    offset<3>(a) = f * 1e10f;
    grid g{a};
    g(2, 2) = f; g[5] = 3.99f; g.self()(3, 3) = -f; (&g)->p[7] = 7.7f; (*(&g))[8] = 8.8f;
    (f > 0 ? a[9] : a[10]) = 9.9f;
    (f < 0 ? a[9] : a[10]) += 10.9f;
    int *grid::*m = &grid::p; *(g.*m) = 1;
    for (int i = 1; i < 11; i++) a[0] += a[i] % 1000;
}
// ---- pointers to arrays and functions
__global__ void declarators(int *a) {
    __shared__ int tile[2][32];
    int t = threadIdx.x;
    int (*row)[32] = tile, (&second)[32] = tile[1], *one = tile[0];
    int *const *const no = nullptr;
    int (*op)(int) = [](int x) -> int { return x + 1; };
    auto (*sum)(int, int) -> int = +[](int x, int y) { return x + y; };
    row[0][t] = t; (*(row + 1))[t] = 2; second[t] += 3; *(one + t) += 1;
    __syncthreads();
    a[t] = op(tile[0][t ^ 1]) + sum(second[31 - t], (*row)[t]) + (no != nullptr) + t[a] +
        0[tile][t];
}
// ---- casts in odd places
enum class color : unsigned char { red = (unsigned char)(1 << 2), green = 2 };
__global__ void casts(int *a, float f, double d) {
    int t = threadIdx.x;
    int n[(int)sizeof(int)] = {(int)f, int(d), static_cast<int>(f * d), (signed char)(int)d};
    static_assert((int)color::red == 4 && (unsigned)-1 > 0, "");
    switch (t * 0 + 4) { case (int)color::red: n[0]++; case int(2.5f): break; }
    unsigned long long big = (unsigned long long)(float)(int)f, size = sizeof(int) * 2,
        size2 = sizeof (int);
    a[t] = -(int)f + !(int)f + ~(unsigned)f + +(int)d + n[0] + n[1] + n[2] + n[3] + (int)big +
        (int)size + (int)size2;
    a[t] += (int)(color)2 + (int)*&f + (int)t[a] * 0 + (char)'a' + (short)((void)t, f) + int{3} +
        (int){4};
    a[t] = (a[t] > 0) ? (int)a[t] : -(int)a[t];
}
// ---- labels, goto, statement expressions; of ranges of cases nvcc makes something else
__global__ void jumps(int *a, int n) {
    int t = threadIdx.x, i = 0;
again: a[t] += i; if (++i < n) goto again;
    switch (n) { case 0: a[t] += 10; break; case 4: case 6: a[t] += 20; }
    switch (n & 3) { do { case 0: a[t]++; case 3: a[t]++; case 2: a[t]++; case 1: a[t]++;
        } while ((n -= 4) > 0); }
    a[t] += ({ int x = 2.5f; x + 1; });
    if (n) if (n > 0) a[t] += 1000; else a[t] += 2000;
    else a[t] += 3000;
    for (;;) { if (i-- <= 0) break; else continue; }
    while (i++ < 3) ;
    do a[t] += 1; while (0);
    { ; ; }
}

// ---- conversions of arguments
typedef unsigned char byte_t;
__device__ int plain(int n, unsigned u = 7, long l = 1) { return n / 1000 + (int)(u >> 8) +
    (int)(l >> 40); }
__device__ short narrow(const short s) { return s; }
template <class T> __device__ int mixed(T x, int n) { return (int)x + n / 1000; }
namespace space { __device__ int within(int n, int = 0) { return n / 1000; } }
struct owner { int base; __device__ int method(int n) { return base + n;
    } __device__ owner(int n) : base(n) {} };
__global__ void arguments(int *a, float f) {
    int t = threadIdx.x;
    a[t] = plain(f * 1e10f, f < 0 ? f : -f, f * 1e20f) == 2147483 + 0 + 8388607;
    a[t] += (narrow(2.5f) == 2) * 2 + (mixed(2.9f, f * -1e10f) == -2147481) * 4 +
        (mixed<double>(f, f * 1e10f) == 2147485) * 8;
    a[t] += (::space::within(f * 1e10) == 2147483) * 16 + (plain(plain(f * 1e10f)) == 2147) * 32;
    owner o(f);
    a[t] += (o.method(f) == 4) * 64;
}
// ---- changed in place
struct counted { int n; float f; unsigned low : 4; };
__global__ void changed(int *a, float f) {
    int t = threadIdx.x, i = 0, *p = a + t, n[2] = {1, 2};
    unsigned char c = 200; unsigned u = 10; long long l = 1;
    const float big = f * 1e10f;
    counted s = {1, 2.5f, 3};
    i += big; a[t] = i == 2147483647;
    i = 3, i -= 0.5f, a[t] += (i == 2) * 2;
    i *= f; i /= 0.5f; a[t] += (i == 10) * 4;
    u -= big; a[t] += (u == 0) * 8;
    l += big * 1e10f; a[t] += (l == 9223372036854775807ll) * 16;
    n[1] += big; n[i / 10 - 1] += f * 2; a[t] += (n[1] == 2147483647 && n[0] == 6) * 32;
    s.n += f; s.f += f; s.low += 1.5f; s.low <<= 1; a[t] += (s.n == 3 && s.f == 5 &&
        s.low == 8) * 64;
    c += 1; c += i; a[t] += (c == 211) * 128;
    for (int k = 0; k < 10; k += 2.5f) a[t] += 256;
    int q = 5; q += q > 4 ? f : -f, q *= 2; a[t] += (q == 14) * 2048;
    (q += f) -= 1; a[t] += (q == 15) * 4096;
    *p += 8192.5f; p += 1; p -= 1;
    if (q > 0) q += big; else q -= big;
    a[t] += (q == 2147483647) * 16384;
}
// ---- results of templates
template <class T> __device__ T rounded(float x) { return x; }
template <class T> __device__ T floored(float x) { if (x > 0) return floorf(x); return ceilf(x); }
template <class R, class F, class... A> __device__ R applied(F f, A... a) { return f(a...); }
template <class R, class F> __device__ R twice_applied(F f, float x) { f(x); return applied<R>(f,
    x); }
template <typename T, typename U> __device__ __forceinline__ T converted(U u) { return u * 2; }
template <class T> struct made_of { T v; __device__ T get(float f) const { return f * v;
    } template <class U> __device__ U as() const { return v; } };
template <class T> __device__ T nothing() { return T(); }
__global__ void results(int *a, float f) {
    int t = threadIdx.x;
    a[t] = (rounded<int>(f * 1e10f) == 2147483647) + (rounded<unsigned>(-f) == 0) * 2 +
        (rounded<float>(f) == f) * 4;
    a[t] += (floored<int>(f * 1e10f) == 2147483647) * 8 + (applied<int>([](float x) {
        return x * 1e5f; }, f) != 0) * 16;
    twice_applied<void>([=](float x) { a[t] += 16; }, f);
    nothing<void>();
    a[t] += (converted<int>(f * 1e10f) == 2147483647) * 64 +
        (made_of<int>{3}.get(f * 1e10f) == 2147483647) * 128;
    a[t] += (made_of<float>{3e10f}.as<int>() == 2147483647) * 256 +
        (made_of<int>{3}.template as<unsigned>() == 3) * 512;
}
// ---- written through a pointer that says const
__global__ void cast_away(int *out, const int *__restrict__ in) {
    int t = threadIdx.x, before = in[t];
    ((int *)in)[t] = before + 5;
    *const_cast<int *>(in + t) += 2;
    int *p = (int *)in; p[t]++;
    out[t] = in[t] * 10 + before;
}
// ---- names that are used twice
struct a_type { int t; };
template <int t> __device__ int t_of() { return t; }
__global__ void shadows(int *a, int f) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    int u = s[t ^ 1];
    { int s = 5; int a = s * 2; { float s[2] = {1.5f, 2.5f}; a += s[1]; } s += a; f += s; }
    struct s { int s[2]; int a; } v = {{1, 2}, 3};
    a_type b{4}; b.t += v.s[1] + v.a;
    auto g = [&](int *s, int a) { s[0] += a; return s[0]; };
    int r = g(v.s, 100);
    a[t] = u + f + b.t + r + t_of<9>() + sizeof(struct s) / sizeof(int) * 0;
    for (int s = 0; s < 2; s++) a[t] += s;
}
// ---- templates of templates, >>
template <class A, class B = A> struct both_of { A a; B b; };
template <template <class, class> class X, class T> using of = X<T, X<T, T>>;
template <int... N> struct list { static constexpr int count = sizeof...(N); };
template <class T> constexpr bool is_small = sizeof(T) < 4;
__global__ void angles(int *a, int n) {
    int t = threadIdx.x;
    both_of<both_of<int>, both_of<both_of<float>>> x = {{n, 2}, {{1.5f, 2.5f}, {3, 4}}};
    of<both_of, short> y = {1, {2, 3}};
    int c = list<1, (2 > 1), 3>::count >> 1, d = n >> (n > 2) >> 1;
    bool e = n < c || d > c, g = is_small<short> && (n<4)> (c > 5), h = n < 5 && 3 > d;
    a[t] = x.a.a + (int)x.b.a.b + y.b.b + c + d + e + g + h;
    a[t] = n < 3 ? a[t] : t > 100 ? 0 : static_cast<int>(static_cast<unsigned>(a[t] >> 0));
}
// ---- inside of macros with commas and statements
#define IF_ELSE(c, x, y) ((c) ? (x) : (y))
#define EACH(i, from, to, ...) for (int i = (from); i < (to); i++) { __VA_ARGS__; }
#define STR(x) #x
#define KERNEL(name, ...) __global__ void name(__VA_ARGS__)
KERNEL(in_macros, int *a, float f) {
    const int t = threadIdx.x;
    EACH(i, 0, 3, EACH(j, i, 3, a[t] += i * j, a[t] += IF_ELSE(i < j, f, 0)))
    a[t] += sizeof STR(a[t] = "x") + IF_ELSE(t < 40, 2, 3);
}
// ---- lambdas
template <class F> __device__ auto call(F f) { return f(); }
__global__ void lambdas(int *a, int n) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    auto f = [&, k = n * 2.5f, m = s[t]](auto x) mutable -> int { m += k; return x + m + s[t ^ 1];
        };
    a[t] = f(1.5f) + f(2) + [=] { return n; }() + call([=]() constexpr { return n + 0; });
    auto fib = [](auto self, int i) -> int { return i < 2 ? i : self(self, i - 1) + self(self,
        i - 2); };
    a[t] += fib(fib, 7);
    a[t] += [](int (&r)[3]) { int sum = 0; for (int &x : r) sum += x; return sum; }(*(int (*)[3])s);
    if (auto g = [&](int i) noexcept { return s[i] > 1; }; g(3)) a[t] += 1000;
}

// ---- variables of every kind in odd places
namespace outer { namespace { __device__ int hidden = 3; } __constant__ float table[] = {1.5f,
    2.5f}; struct held { int n; }; __device__ held one = {4}, two{5}; }
template <class T> constexpr T per_type = T(7);
__device__ const int limits[] = {10, 20, 30}, *middle = limits + 1;
__managed__ int managed_one = 8, managed_array[2] = {1, 2};
[[maybe_unused]] __device__ static int unused_here;
alignas(16) __device__ char raw[4] = "abc";
__global__ void variables(int *a) {
    using namespace outer;
    [[maybe_unused]] __shared__ int marked;
    __shared__ alignas(16) int aligned[4], plain, grid[2][2];
    static __shared__ float f2[2];
    __shared__ struct { int x, y[2]; } s;
    __shared__ union { int i; float f; } u;
    constexpr int local[] = {1, 2};
    static const int fixed = 9;
    int t = threadIdx.x;
    if (t == 0) { aligned[1] = 1; plain = 2; grid[1][0] = 3; f2[1] = 4.5f; s.y[1] = 5; u.f = 1.0f;
        marked = 0; }
    __syncthreads();
    a[t] = hidden + (int)table[1] + one.n + two.n +  per_type<int>;
    a[t] += *middle + managed_one + managed_array[1] + raw[2] + local[1] + fixed;
    a[t] += aligned[1] + plain + grid[1][0] + f2[1] + s.y[1] + (u.i == 0x3f800000);
}
// ---- control flow
__global__ void control(int *a, int n) {
    int t = threadIdx.x, k = 0;
    for (int i = 0, j = n; i < j; ++i, --j)
        for (int m : {1, 2, 3})
            if (m == 2) continue; else if (m == 3) break; else k += m;
    while (k < 100) if (k & 1) k += 3; else k *= 2;
    do { if (k > 200) break; k += 50; } while (k < 1000 && n > 0);
    switch (int c = k % 4; c) { case 0: { k += 1; } case 1: k += 10; break;
        case 2: default: k += 100; }
    for (;;) { switch (k) { case 0: break; default: goto done; } }
done:
    [[maybe_unused]] int unused = 0;
    k += t < 0 ? 1 : t == 0 ? n > 2 ? 1000 : 2000 : t > 5 ? 3000 : ((void)4000, 5000);
    if (const int r = k % 7, q = r * 2; q > r) { k += q; } else k += r;
    unsigned i = 3; while (i --> 0) k++;
    for (char *p = (char *)a, *e = p + 2; p != e; p++) ;
    k += (t == 0 && n) || (!t and not n);
    if (true) ; else k = 0;
    { { k++; } }
    a[t] = k;
}
// ---- launches
template <class T, int N> __global__ void go(T *a, int n);
template <class T, int N = 2> struct launcher {
    template <class U> void run(U *a) { go<T, N><<<dim3(N - 1, 1), (N > 1 ? 32 : 64)>>>(a, N); }
};
template <class T> __global__ void with_default(T *a, int n = 4) { a[threadIdx.x] += n; }
namespace kernels { __global__ void inner(int *a) { a[threadIdx.x] += 100; } }
__global__ void two_args(int *a, int n) { a[threadIdx.x] = n; }
#define RUN(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)
#define RUN_T(k, ...) (k<__VA_ARGS__>)
void launches(int *a) {
    with_default<<<1, 32>>>(a), with_default<int><<<1, 32>>>(a, 5);
    ::kernels::inner<<<1, {32, 1, 1}>>>(a);
    RUN(kernels::inner, 1, 32, a);
    RUN_T(with_default, int)<<<1, 32, 0, nullptr>>>(a, [] { return 6; }());
    auto k = kernels::inner; void (*const table[])(int *) = {k, &kernels::inner};
    table[1]<<<1, 32>>>(a); (*k)<<<1, 32>>>(a); (true ? k : table[0])<<<1, 32>>>(a);
    [&]() { k<<<1, 32>>>(a); }();
    if (int n = 1; n < 2) kernels::inner<<<n, 32>>>(a); else kernels::inner<<<2, n << 4>>>(a);
    for (int i = 0; i < 2; i++) kernels::inner<<<1, 32 >> 0>>>(a);
}
// ---- groups, atomics, builtins
namespace cg = cooperative_groups;
__global__ void grouped(int *a) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<(4 > 2 ? 8 : 4)>(block);
    int t = block.thread_rank(), v = t;
    for (int d = tile.size() / 2; d > 0; d >>= 1) v += tile.shfl_down(v, d);
    atomicAdd(&a[0], t == 0 ? v : 0), atomicMax(a + 1, v);
    if (auto mask = __ballot_sync(~0u, t & 1); mask == 0xaaaaaaaa && t == 0) atomicOr(&a[0],
        64 << (t + 1));
}
// ---- friends, operators, conversions
struct number { int v;
    __host__ __device__ number(int x = 0) : v(x) {}
    __host__ __device__ explicit operator int() const { return v; }
    __device__ operator float() const { return v + 0.5f; }
    __device__ friend number operator+(number a, number b) { return a.v + b.v;
        } __device__ number &operator+=(const number &o) & { v += o.v; return *this; }
    __device__ number operator<<(int n) const { return v << n;
        } __device__ bool operator<(number o) const { return v < o.v;
        } __device__ number operator-() const { return -v; }
    __device__ int operator()(int x) const { return v * x;
        } __device__ int operator[](int i) const { return v + i;
        } __device__ number operator,(number o) const { return o; } };
__device__ number operator""_n(unsigned long long x) { return number((int)x); }
__global__ void operators(int *a, int n) {
    int t = threadIdx.x;
    number x = n, y = x + 2_n, z = (x, y);
    x += y; x = x << 2; x = -x;
    a[t] = (int)x + z(3) + y[4] + (x < y) + (int)(float)z + static_cast<int>(number(7));
    number many[] = {1, 2, number{3}}; many[0] += many[1] + many[2];
    a[t] += many[0].v; n = (int)many[2]; a[t] += n;
}
// ---- templates: friends, specialisations, variadics, concepts by enable_if
template <class T, class = void> struct traits { static constexpr int id = 0; };
template <class T> struct traits<T, decltype((void)(T{} << 1))> {
    static constexpr int id = sizeof(T) > 2 ? 1 : 2; };
template <class... T> __device__ int all_ids(T... x) { return (traits<T>::id + ...) + (0 + ... +
    (int)x) + ((x > 1) && ...); }
template <class T, class... R> __device__ int depth(T x, R... r) {
    if constexpr (sizeof...(R) > 0) return 1 + depth(r...); else return x > 0 ? 1 : 0; }
template <> struct traits<float> { static constexpr int id = 100; };
template <auto V> __device__ constexpr auto doubled() { return V * 2; }
template <class F, int... I> __device__ int unrolled(F f) { int s = 0; ((s += f(I), s <<= 1),
    ...); return s; }
__global__ void variadic(int *a, float f) {
    int t = threadIdx.x;
    a[t] = all_ids(1, 2.5f, (short)3) + depth(1, 2, 3.5f) + doubled<21>() + unrolled<int (*)(int),
        1, 2, 3>([](int i) { return i * i; });
    a[t] += [](auto... x) { return sizeof...(x) + (x + ...); }(1, 2, f);
}
template <class T, int N> __global__ void go(T *a, int n) { a[threadIdx.x] += n; }

// ---- accesses to watch, in every form
struct two_ints { int x, y; __host__ __device__ int sum() const { return x + y; } };
template <int *P> __device__ int through() { return *P + P[1]; }
__device__ int cells[4] = {1, 2, 3, 4};
template <class T> __device__ void swapped(T &x, T &y) { T z = x; x = y; y = z; }
__global__ void accesses(int *a, int n) {
    __shared__ int s[64], m[4][32];
    __shared__ two_ints v[32];
    extern __shared__ int given[];
    int t = threadIdx.x;
    s[t] = t, s[t + 32] = 2 * t, v[t] = {t, 1};
    for (auto &row : m) row[t] = t;
    __syncthreads();
    decltype(s[0]) first = s[t ^ 1];
    const int &second = (s)[t ^ 1], third = *(s + (t ^ 1)), fourth = (t ^ 1)[s],
        fifth = (n > 2 ? s : m[0])[t ^ 1];
    auto [x, y] = v[t ^ 1];
    int sum = first + second + third + fourth + fifth + x + y + v[t ^ 1].sum() + (&v[t ^ 1])->x +
        (*(v + t)).y;
    sum += s[s[t ^ 1]] + sizeof(s) / sizeof(s[0]) + sizeof s / sizeof *s + m[s[t] & 3][t ^ 1] +
        *m[1] + **m + through<cells>();
    const int (&row)[32] = m[2], *p = s + t, *q = &s[t], (*rows)[32] = m;
    sum += row[t ^ 1] + p[1] + *q++, sum += *q + rows[1][t] + ((unsigned char *)s)[4 * (t ^ 1)] +
        reinterpret_cast<const int2 *>(s)[t].y;
    sum += [&](int i) { return s[i] + v[i].x; }(t ^ 1) + (s[t] < s[t + 1] && s[t + 2] > (s[t + 1]));
    __syncthreads();
    s[t]++, ++s[t], s[t] <<= 1, s[t] = s[t] > 4 ? s[t] : -s[t], (*(s + t))--, v[t].x += s[t],
        m[1][t] -= 1;
    int *w = s + t; *w++ = s[t] + 1, *--w += 2, w[0] *= 1, (*w)++;
    swapped(s[t], m[0][t]);
    v[t] = {.x = v[t].x, .y = s[t]};
    if (t == 0) given[0] = n, a[1] = given[0];
    __syncthreads();
    a[t] = sum + s[t ^ 1] + v[t ^ 1].y + m[0][t ^ 1];
}
// ---- in place, by lanes
template <class T> struct tile { T at[32]; __device__ T &operator[](int i) { return at[i];
    } __device__ T *data() { return at; } };
__global__ void in_steps(int *a) {
    __shared__ tile<int> s;
    int t = threadIdx.x;
    s[t] = 1;
    __syncwarp();
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) { int v = t >= d ? s[t - d] : 0; __syncwarp();
        s.data()[t] += v; __syncwarp(); }
    a[t] = s.at[31 - t];
}
// ---- odd layout
__global__ void
odd_layout
(
  int
  *
  a
)
{
  int t
  =
  threadIdx
  .
  x
  ;
  a
  [
  t
  ]
  +=
  2.5f
  *
  2
  ; // <<<1, 2>>>(a)
  /* a[t] = 1; */ a[t] \
    <<= /* in */ 2; a[t]+=+-+1;a[t]=-(int)-a[t]- -1;a[t]=a[t]+++1;
}
#define X(name, value) name = value,
enum table { X(one, 1 << 1) X(two, 'a' + (int)2.5) last = (int)sizeof(int) };
#undef X
#define X(name, value) case name: return value;
__device__ int looked_up(table n) { switch (n) { X(one, 1 << 1) X(two, 7) default: return -1; } }
__device__ auto trailing(int n) -> decltype(n + 1.5f) { return n + 1.5f; }
__device__ decltype(auto) same(int &n) { return (n); }
__device__ [[nodiscard]] inline auto number_of(float f) noexcept(noexcept(f + 1)) -> int {
    return f; }
__global__ void enums(int *a, float f) { int t = threadIdx.x; same(a[t]) = f * 1.5f;
    a[t] += looked_up(one) + looked_up(two) + last + trailing(2) + number_of(f); enum { in = 3,
    out = in << 1 }; a[t] += out; }

// ---- variables of a thread with the names of others
__device__ int count, limit = 3, table[4]; 
__global__ void of_the_device(int *a) { if (threadIdx.x == 0) { count++; table[1] = count;
    } __syncthreads(); a[threadIdx.x] = count + limit + table[1]; }
__global__ void of_threads(int *a, int *b) {
    int count = threadIdx.x; count += 1; int x = 1, limit = 2, *table = a + count - 1; limit++;
        *table = count + limit; table[0]++;
    for (int count = 0, *limit = a; count < 2; count++) limit[threadIdx.x] += count;
    for (auto &count : {1, 2}) a[threadIdx.x] += count;
    auto f = [](int *a, const int b[], int &count, int limit = 4) { a[0] += b[1]; count += limit;
        return *a; };
    a[threadIdx.x] += f(a + threadIdx.x, b, count) + x;
    float4 (*b2)[1] = (float4 (*)[1])b, *quad = *b2; a[threadIdx.x] += quad->x > 1;
    if (int count = 2; count > 1) a[threadIdx.x] += count;
    struct { int count, limit; } s = {1, 2}; s.count++; a[threadIdx.x] += s.count;
    auto [table2, count2] = s; a[threadIdx.x] += table2;
    a[threadIdx.x] += [count = 3, limit = count](int) { return count + limit; }(0);
    try_again: a[threadIdx.x] -= 1; if (count > 1000) goto try_again;
    { int a = 3, b = a; a += b; b -= a; x = a; }
    using count3 = int; typedef int limit3; count3 y = limit3(x);
    a[threadIdx.x] += y;
}

__global__ void copied(int *a, const int *in) { a[threadIdx.x] = in[threadIdx.x]; }

int main() {
    int *d_in;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMemset(d_in, 0, 32 * sizeof(int));
    EXPECT(lambda_params, 12, 2.5f);
    EXPECT(bindings, 12);
    EXPECT(initialisers, 1111, 2.5f);
    EXPECT(templates, 18, 2, 1.75);
    EXPECT(macros, -1);
    EXPECT(attributes, 3231, 1.f);
    EXPECT(literals, 2817);
    EXPECT(designated, 13, 3);
    EXPECT(commas, 628, 5.9f);
    EXPECT(words, 74);
    EXPECT(streams, 31, 3);
    EXPECT(overloaded, 711, 3);
    EXPECT(fields, 58, bits{3, 9});
    EXPECT(defaults, 51, 2.5f);
    EXPECT(lvalues, 692, 2.5f);
    EXPECT(declarators, 10);
    EXPECT(casts, 140, 2.5f, 3.7);
    EXPECT(jumps, 2045, 6);
    EXPECT(arguments, 127, 2.5f);
    EXPECT(changed, 32255, 2.5f);
    EXPECT(results, 1023, 2.5f);
    EXPECT(cast_away, 80, d_in);
    EXPECT(shadows, 141, 3);
    EXPECT(angles, 11, 3);
    EXPECT(in_macros, 26, 2.5f);
    EXPECT(lambdas, 1048, 3);
    EXPECT(variables, 177);
    EXPECT(control, 1357, 5);
    EXPECT(grouped, 156);
    EXPECT(operators, 14, 3);
    EXPECT(variadic, 204, 2.5f);
    EXPECT(accesses, 163, 3);
    EXPECT(in_steps, 32);
    EXPECT(odd_layout, 21);
    EXPECT(enums, 27, 2.5f);
    EXPECT(of_the_device, 5);
    cudaMemset(d_in, 0, 32 * sizeof(int));
    EXPECT(of_threads, 38, d_in);
    cudaMemset(d_in, 0, 32 * sizeof(int));
    launches(d_in);
    launcher<int>{}.run(d_in);
    EXPECT(copied, 917, d_in);
    cudaFree(d_in);
    vec{1}.print(std::cout);
    shown(std::cout, 2) << std::endl;
    return failures != 0;
}
