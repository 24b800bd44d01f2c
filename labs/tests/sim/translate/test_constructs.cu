// CUDA as people write it: every form compiles, and gives what a GPU would give. nvcc compiles this
// file as well, with --extended-lambda.
#include "../test_sim.h"

#include <cuda/atomic>
#include <malloc.h> // declares free() again
#include <vector>

static int *d_out;

static void set_up() {
    ck_assert_int_eq(cudaMalloc(&d_out, 64), cudaSuccess);
    ck_assert_int_eq(cudaMemset(d_out, 0, 64), cudaSuccess);
}

static int out(int i = 0) {
    int h[16];
    ck_assert_int_eq(cudaMemcpy(h, d_out, sizeof h, cudaMemcpyDeviceToHost), cudaSuccess);
    return h[i];
}

static void tear_down() {
    ck_assert_int_eq(cudaFree(d_out), cudaSuccess);
    ck_assert_int_eq(cudaGetLastError(), cudaSuccess);
}

#define IS(expected) ck_assert_int_eq(out(), expected)

// ---- marks in every order

__global__ static void order1(int *p) {
    *p = 1;
}
static __global__ void order2(int *p) {
    *p = 2;
}
void __global__ order3(int *p) {
    *p = 3;
}
extern "C" __global__ void order4(int *p) {
    *p = 4;
}
extern "C" {
__global__ void order5(int *p) {
    *p = 5;
}
}
__global__ void __launch_bounds__(64) order6(int *p) {
    *p = 6;
}
__launch_bounds__(64, 2) __global__ void order7(int *p) {
    *p = 7;
}
__global__ __launch_bounds__(64) void order8(int *p) {
    *p = 8;
}
__attribute__((unused)) __global__ void order9(int *__restrict__ p) {
    *p = 9;
}

inline __device__ int device1() {
    return 10;
}
__device__ inline constexpr int device2() {
    return 11;
}
__device__ __forceinline__ int device3() {
    return 12;
}
static __device__ __forceinline__ int device4() {
    return 13;
}
__forceinline__ __device__ int device5() {
    return 14;
}
__host__ __device__ __forceinline__ int device6() {
    return 15;
}
__device__ __noinline__ int device7() {
    return 16;
}
[[maybe_unused]] static __device__ int device8() {
    return 17;
}
__global__ void devices(int *p) {
    *p = device1() + device2() + device3() + device4() + device5() + device6() + device7();
}

TEST(marks) {
    set_up();
    int *p = d_out;
    order1<<<1, 1>>>(p);
    IS(1);
    order2<<<1, 1>>>(p);
    IS(2);
    order3<<<1, 1>>>(p);
    IS(3);
    order4<<<1, 1, 0, 0>>>(p);
    IS(4);
    order5<<<1, 1>>>(p);
    IS(5);
    order6<<<dim3(1, 1), dim3{1}>>>(p);
    IS(6);
    order7<<<{1}, {1, 1}>>>(p);
    IS(7);
    order8<<<1, 1, sizeof(std::vector<std::vector<int>>)>>>(p);
    IS(8);
    if (p)
        order9<<<1, 1>>>(p);
    else
        order1<<<1, 1>>>(p);
    IS(9);
    devices<<<1, 1>>>(p);
    IS(91);
    tear_down();
}

// ---- kernels that only their arguments determine

__global__ void later(int *p, int n = 20);
__global__ void overloaded(int *p) {
    *p = 30;
}
__global__ void overloaded(int *p, int n) {
    *p = 31 + n;
}
__global__ void overloaded(float *) {
}
namespace outer {
namespace {
__global__ void hidden(int *p, int n = 40) {
    *p = n;
}
} // namespace
namespace inner {
template <class T> __global__ void deep(T *p) {
    *p = 50;
}
} // namespace inner
} // namespace outer
template <class T, int N = 60> __global__ void templated(T *p, const T *q = nullptr) {
    *p = N + (q != nullptr);
}
template <int N> __global__ void number(int *p) {
    *p = N;
}
template <class T> __global__ void special(T *p) {
    *p = 1;
}
template <> __global__ void special<int>(int *p) {
    *p = 70;
}
template <class... A> __global__ void pack(int *p, A... a) {
    *p = (0 + ... + (int)a);
}
template <class F> __global__ void each(int n, F f) {
    int i = threadIdx.x;
    if (i < n)
        f(i);
}
template <class K> void go(K kernel, int *p) {
    kernel<<<1, 1>>>(p);
}
template <void (*K)(int *)> void go_fixed(int *p) {
    K<<<1, 1>>>(p);
}
template <class T> struct dependent {
    static void go(T *p) {
        templated<T><<<1, 1>>>(p, p);
        number<sizeof(T)><<<1, 1>>>((int *)p + 1);
    }
};
struct member {
    int *p;
    void (*kernel)(int *);
    void go() const {
        order1<<<1, 1>>>(p);
    }
};
static void (*pick(int i))(int *) {
    return i ? order2 : order1;
}

TEST(chosen_by_arguments) {
    set_up();
    int *p = d_out;
    later<<<1, 1>>>(p);
    IS(20);
    later<<<1, 1>>>(p, 21);
    IS(21);
    overloaded<<<1, 1>>>(p);
    IS(30);
    overloaded<<<1, 1>>>(p, 1);
    IS(32);
    outer::hidden<<<1, 1>>>(p);
    IS(40);
    ::outer::inner::deep<<<1, 1>>>(p);
    IS(50);
    templated<<<1, 1>>>(p);
    IS(60);
    templated<int, 61><<<1, 1>>>(p, NULL);
    IS(61);
    templated<int><<<1, 1>>>(p, 0);
    IS(60);
    templated<<<1, 1>>>(p, p);
    IS(61);
    special<<<1, 1>>>(p);
    IS(70);
    pack<<<1, 1>>>(p, 1, 2.0, 3L);
    IS(6);
    tear_down();
}

TEST(kernels_as_values) {
    set_up();
    int *p = d_out;
    go(order1, p);
    IS(1);
    go(special<int>, p);
    IS(70);
    go(number<5>, p);
    IS(5);
    go_fixed<order2>(p);
    IS(2);
    dependent<int>::go(p);
    IS(61);
    ck_assert_int_eq(out(1), 4);
    member m = {p, order3};
    m.go();
    IS(1);
    m.kernel<<<1, 1>>>(p);
    IS(3);
    pick(1)<<<1, 1>>>(p);
    IS(2);
    void (*f)(int *) = order4;
    f<<<1, 1>>>(p);
    IS(4);
    (*f)<<<1, 1>>>(p);
    (p ? f : order1)<<<1, 1>>>(p);
    IS(4);
    void (*list[])(int *) = {order5, number<6>};
    list[1]<<<1, 1>>>(p);
    IS(6);
    auto special = order6; // hides the template
    special<<<1, 1>>>(p);
    IS(6);
    tear_down();
}

#define GO(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define CASE(N)                                                                                    \
    case N:                                                                                        \
        number<N><<<1, 1>>>(d_out);                                                                \
        break
#define PASTE(a, b) a##b<<<dim3(1), dim3(1)>>>(d_out)

TEST(lambdas_and_macros) {
    set_up();
    int *p = d_out;
    auto launch = [&](int n) {
        later<<<1, 1>>>(p, n);
        return n;
    };
    ck_assert_int_eq(launch(22), out());
    each<<<1, 4>>>(4, [=] __device__(int i) { p[i] = i + 100; });
    ck_assert_int_eq(out(3), 103);
    int base = 200;
    auto op = [p, base] __host__ __device__(int i) -> void { p[i] = base + i; };
    each<<<1, 4>>>(4, op);
    ck_assert_int_eq(out(2), 202);
    GO(order1, p);
    IS(1);
    GO((special<int>), p);
    IS(70);
    PASTE(order, 3);
    IS(3);
    switch (base) {
        CASE(1);
        CASE(2);
    default:
        GO(order1, p);
    }
    IS(1);
    for (int i = 0; i < 2; i++)
        later<<<1, (i ? 1 : 2)>>>(p, i);
    IS(1);
    tear_down();
}

__global__ void later(int *p, int n) {
    *p = n;
}

// ---- shared memory

#define TILE __shared__ int tile[4]

template <class T> struct SharedMemory {
    __device__ inline operator T *() {
        extern __shared__ int raw[];
        return (T *)raw;
    }
};
template <class T> __global__ void typed(T *p) {
    T *s = SharedMemory<T>();
    s[threadIdx.x] = (T)(threadIdx.x + 1);
    __syncthreads();
    if (!threadIdx.x)
        *p = s[1] + s[2];
}
extern __shared__ float of_file[];
__global__ void uses_file(int *p) {
    of_file[0] = 3;
    auto g = [=] { return of_file[0]; };
    of_file[0] = 4;
    *p = (int)g();
}
__shared__ float s_of_file[4];
__global__ void multiplies(int *p) {
    const float two[] = {2, 3};
    float factor = 5, sum = 0;
    s_of_file[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    sum += two[0] * s_of_file[1];
    sum += factor * s_of_file[2];
    *p = (int)sum;
}
template <int N> __global__ void kinds(int *p) {
    __shared__ int a[N][N + 1], b[2 * N];
    volatile __shared__ int c[N];
    static __shared__ int d;
    __shared__ union {
        int i;
        float f;
    } u;
    __shared__ alignas(16) char raw[N];
    __shared__ __align__(8) struct pair {
        short x, y;
    } two[2];
    __shared__ int (*pointer)[N + 1];
    int __shared__ e;
    pointer = a;
    a[1][1] = 7;
    b[0] = 1;
    c[0] = 3;
    d = 4;
    u.i = 2;
    raw[0] = 1;
    two[1].x = 6;
    e = 5;
    *p = pointer[1][1] + b[0] + c[0] + d + u.i + raw[0] + two[1].x + e +
         (int)(sizeof a / sizeof(int)) * 1000;
}
__device__ int in_function(int v) {
    __shared__ int s;
    s = v;
    return s;
}
__global__ void nested(int *p) {
    auto f = [&](int v) {
        __shared__ int s;
        s = v;
        return s + 1;
    };
    TILE;
    tile[1] = 2;
    if (*p >= 0) {
        __shared__ int tile;
        tile = 100;
        *p = tile;
    }
    *p += in_function(10) + f(20) + tile[1];
    auto by_value = [=] { return tile[1]; }; // shared memory is not captured
    auto without = [] { return tile[2]; };
    tile[1] = 5;
    tile[2] = 6;
    *p += by_value() * 1000 + without() * 10000;
}

TEST(shared_memory) {
    set_up();
    int *p = d_out;
    typed<<<1, 4, 64>>>(p);
    IS(5);
    typed<double><<<1, 4, 64>>>((double *)p);
    double sum;
    ck_assert_int_eq(cudaMemcpy(&sum, p, sizeof sum, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_double_eq(sum, 5);
    uses_file<<<1, 1, 16>>>(p);
    IS(4);
    multiplies<<<1, 4>>>(p);
    IS(19);
    kinds<4><<<1, 1>>>(p);
    IS(20029);
    order1<<<1, 1>>>(p);
    nested<<<1, 1>>>(p);
    IS(65133);
    tear_down();
}

// ---- variables of the device

struct point {
    int x, y;
};
__constant__ point c_points[] = {{1, 2}, {3, 4}};
namespace table {
__device__ const int d_table[3] = {5, 6, 7};
static __constant__ float c_one = 1.5f;
} // namespace table
__device__ int d_counter = 8, d_pair[2] = {9, 10};
__device__ __constant__ int c_both = 11;
static __device__ volatile int d_flag;
__device__ constexpr int d_fixed = 12;
const __device__ int d_const = 13;
typedef int (*operation)(int);
__device__ int twice(int v) {
    return 2 * v;
}
__device__ operation d_operation = twice;
__device__ int (*d_operations[2])(int) = {twice, twice};
__managed__ int m_value = 14;
__device__ __managed__ int m_other[2];
int __device__ d_after = 15;
inline __device__ int d_inline = 18, d_of_inline[2] = {19, 20};
namespace table {
__constant__ inline int c_inline = 21;
static inline __managed__ int m_inline = 22;
} // namespace table
__global__ void variables(int *p) {
    d_flag = 1;
    p[0] = c_points[1].y + table::d_table[2] + (int)(2 * table::c_one) + d_counter + d_pair[1];
    p[1] = c_both + d_fixed + d_const + d_operation(1) + d_operations[1](2) + m_value + d_after;
    p[2] = d_inline + d_of_inline[1] + table::c_inline + table::m_inline;
    m_other[1] = 17;
}

TEST(variables_of_the_device) {
    set_up();
    variables<<<1, 1>>>(d_out);
    IS(4 + 7 + 3 + 8 + 10);
    ck_assert_int_eq(out(1), 11 + 12 + 13 + 2 + 4 + 14 + 15);
    ck_assert_int_eq(out(2), 18 + 20 + 21 + 22);
    ck_assert_int_eq(m_other[1], 17);
    tear_down();
}

// ---- parameters

struct lock {
    static int copies, destroyed;
    int *p;
    lock(int *q) : p(q) {
    }
    lock(const lock &o) : p(o.p) {
        copies++;
    }
    ~lock() {
        destroyed++;
    }
};
int lock::copies, lock::destroyed;
struct big {
    int values[100];
};
__global__ void by_value(lock l, point q, int n, big b) {
    q.x += threadIdx.x; // each thread has parameters of its own
    n += q.x + b.values[99];
    b.values[99] = 0;
    if (threadIdx.x == 3)
        l.p[0] = n;
    l.p = nullptr;
}
template <class T> __global__ void by_value_of(T l, int n = 5) {
    l.p[0] = n;
}

/* As nvcc: the launch copies and destroys its parameters on the host. No thread does. */
template <class T> struct renamed {
    T value = 7;
};
struct renamer {
    using renamed = renamed<int>; // nvcc allows this, g++ alone does not
    renamed own;
};

TEST(a_class_renames_a_template) {
    int *value = (int *)malloc(sizeof *value);
    *value = renamer().own.value;
    ck_assert_int_eq(*value, 7);
    free(value);
}

TEST(parameters_are_bytes) {
    set_up();
    big b;
    b.values[99] = 1000;
    {
        lock l(d_out);
        point q = {5, 6};
        by_value<<<2, 32>>>(l, q, 100, b);
        IS(1108);
        ck_assert_int_eq(lock::copies, 1);
        ck_assert_int_eq(lock::destroyed, 1);
        by_value_of<<<2, 32>>>(l, 6);
        IS(6);
        ck_assert_int_eq(lock::copies, 2);
        ck_assert_int_eq(lock::destroyed, 2);
    }
    ck_assert_int_eq(lock::destroyed, 3);
    tear_down();
}

// ---- __CUDA_ARCH__

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
#error "this is no old device"
#endif
#if __CUDA_ARCH__ >= 350
#define LOAD(p) (*(p) + 1000)
#else
#define LOAD(p) (*(p) + 2000)
#endif
#ifdef __CUDA_ARCH__
__device__ int only_device(int x) {
    return x + 7;
}
#endif
__host__ __device__ int where() {
#ifdef __CUDA_ARCH__
    return 1;
#else
    return 2;
#endif
}
struct marked {
    int v;
    __host__ __device__ marked(int x) : v(x) {
#if __CUDA_ARCH__
        v += 100;
#endif
    }
};
__device__ int lane() {
#if __CUDA_ARCH__ >= 2000
    int l;
    asm("mov.u32 %0, %%laneid;" : "=r"(l));
    return l;
#else
    return threadIdx.x % 32;
#endif
}
__global__ void architecture(int *p) {
#if __CUDA_ARCH__ >= 530
    p[0] = LOAD(p);
#else
    p[0] = -1;
#endif
    p[1] = where();
    p[2] = marked(1).v;
    p[3] = lane();
#ifdef __CUDA_ARCH__
    p[4] = only_device(1);
    p[5] = __LINE__;
#endif
    p[6] = __LINE__;
}

TEST(code_for_one_architecture) {
    set_up();
    architecture<<<1, 1>>>(d_out);
    IS(1000);
    ck_assert_int_eq(out(1), 1);
    ck_assert_int_eq(out(2), 101);
    ck_assert_int_eq(out(3), 0);
    ck_assert_int_eq(out(4), 8);
    ck_assert_int_eq(out(6), out(5) + 2);
    ck_assert_int_eq(where(), 2);
    ck_assert_int_eq(marked(1).v, 1);
    tear_down();
}

// One function on each side of a test for the architecture.
#if __CUDA_ARCH__ >= 500
static __device__ __forceinline__ int side(int a, int b) {
    return a + b + 100;
}
__device__ int unmarked(int a) {
    return a + 1;
}
namespace inner {
template <class T> __host__ __device__ T both(T a) {
    return a + 1;
}
__device__ int by_type(int a) {
    return a + 10;
}
__device__ int by_type(float) {
    return 20;
}
} // namespace inner
#else
static __device__ __forceinline__ int side(int x, int y) {
    return x - y;
}
inline int unmarked(int other) {
    return other + 2;
}
namespace inner {
template <class T> __host__ __device__ T both(T a) {
    return a + 2;
}
__device__ int by_type(float) {
    return 40;
}
__device__ int by_type(int a) {
    return a + 30;
}
} // namespace inner
#endif
namespace outer {
__device__ int by_type(int a) {
    return a + 50;
}
} // namespace outer
__global__ void sides(int *p) {
    p[0] = side(1, 2);
    p[1] = unmarked(1);
    p[2] = inner::both(1);
    p[3] = inner::by_type(1);
    p[4] = inner::by_type(1.0f);
    p[5] = outer::by_type(1);
}

TEST(functions_for_one_architecture) {
    set_up();
    sides<<<1, 1>>>(d_out);
    IS(103);
    ck_assert_int_eq(out(1), 2);
    ck_assert_int_eq(out(2), 2);
    ck_assert_int_eq(out(3), 11);
    ck_assert_int_eq(out(4), 20);
    ck_assert_int_eq(out(5), 51);
    ck_assert_int_eq(unmarked(1), 3);
    ck_assert_int_eq(inner::both(1), 3);
    tear_down();
}

// ---- names of shared variables that other variables have as well

extern __shared__ int part[];
__shared__ int four[4];
struct has_part {
    int part;
    __device__ int sum(int four) const {
        return part + this->part + four;
    }
};
__device__ int first_of(int *part) {
    return part[0];
}
__device__ int second_of(const int (&four)[4]) {
    return four[1];
}
__global__ void same_names(int *p) {
    for (int part = 0; part < 2; part++)
        p[1] = part;
    {
        int four = 4;
        p[2] = four;
    }
    part[0] = 5;
    four[1] = 6;
    auto add = [&](int part) { return part + four[1]; };
    has_part s = {3};
    p[0] = first_of(part);
    p[3] = second_of(four);
    p[4] = add(1);
    p[5] = s.sum(1);
}

TEST(names_of_shared_variables) {
    const int expected[] = {5, 1, 4, 6, 7, 7};
    set_up();
    same_names<<<1, 1, sizeof(int)>>>(d_out);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(out(i), expected[i]);
    tear_down();
}

// ---- variable templates

template <typename T> __constant__ T weights[4];
namespace inner {
template <class T, int N = 2, class... Rest> static __device__ T kept[N][3];
}
template <class T> __global__ void weigh(T *out) {
    out[threadIdx.x] = 2 * weights<T>[threadIdx.x];
    inner::kept<T>[1][threadIdx.x % 3] = out[0];
}
template <class T> static int weighed(T first) {
    const T w[4] = {first, 2, 3, 4};
    T h[4], kept[2][3];
    ck_assert_int_eq(cudaMemcpyToSymbol(weights<T>, w, sizeof w), cudaSuccess);
    weigh<T><<<1, 4>>>((T *)d_out);
    ck_assert_int_eq(cudaMemcpy(h, d_out, sizeof h, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_int_eq(cudaMemcpyFromSymbol(kept, inner::kept<T>, sizeof kept), cudaSuccess);
    ck_assert_int_eq((int)kept[0][1], 0);
    return (int)(h[0] + h[3]);
}

TEST(variable_templates) {
    set_up();
    ck_assert_int_eq(weighed(1.0f), 10);
    ck_assert_int_eq(weighed(5), 18);
    ck_assert_int_eq(weighed(7.0), 22);
    tear_down();
}

// ---- atomic functions with an order and a scope, of CUDA 12.8

#define SCOPE __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE
__global__ void scoped(int *p, unsigned long long *wide) {
    __nv_atomic_fetch_add(p, 1, SCOPE);
    __nv_atomic_sub(p + 1, 1, __NV_ATOMIC_SEQ_CST);
    __nv_atomic_or((unsigned *)p + 2, 1u << threadIdx.x, SCOPE);
    __nv_atomic_max(p + 3, (int)threadIdx.x, SCOPE);
    __nv_atomic_min(p + 4, -(int)threadIdx.x, SCOPE);
    __nv_atomic_add((float *)p + 5, 0.5f, SCOPE);
    __nv_atomic_fetch_xor(wide, 1ull << (2 * threadIdx.x), __NV_ATOMIC_ACQ_REL);
    int expected = 0, wanted = 7, was;
    if (__nv_atomic_compare_exchange_n(p + 6, &expected, 7, false, __NV_ATOMIC_ACQUIRE,
                                       __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK)) {
        __nv_atomic_store_n(p + 7, 9, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    }
    while (__nv_atomic_load_n(p + 7, __NV_ATOMIC_ACQUIRE) != 9) {
    }
    __nv_atomic_exchange(p + 8, &wanted, &was, SCOPE);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
    __nv_atomic_load(p + 8, &was, SCOPE);
    __nv_atomic_store(p + 9, &was, SCOPE);
}

TEST(scoped_atomics) {
    const int expected[] = {32, -32, -1, 31, -31, 0x41800000, 7, 9, 7, 7};
    set_up();
    scoped<<<1, 32>>>(d_out, (unsigned long long *)d_out + 6);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(out(i), expected[i]);
    ck_assert_int_eq(out(12), 0x55555555);
    ck_assert_int_eq(out(13), 0x55555555);
    tear_down();
}

__device__ cuda::atomic<int, cuda::thread_scope_device> turn(0), lanes;
__global__ void with_types(int *p) {
    cuda::atomic_ref<int, cuda::thread_scope_block> sum(p[0]);
    sum += 2;
    lanes.fetch_max((int)threadIdx.x, cuda::memory_order_relaxed);
    lanes++;
    if (threadIdx.x == 32) {
        p[1] = 7;
        turn.store(1, cuda::std::memory_order_release);
    } else if (threadIdx.x == 0) {
        while (turn.load(cuda::memory_order_acquire) == 0) {
        }
        int one = 1, other = 4;
        p[2] = p[1] + turn.compare_exchange_strong(one, 5);
        p[3] = turn.compare_exchange_weak(other, 6, cuda::memory_order_relaxed) + other;
    }
}

TEST(atomic_types) {
    const int expected[] = {128, 7, 8, 5};
    set_up();
    with_types<<<1, 64>>>(d_out);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(out(i), expected[i]);
    tear_down();
}

// nvcc evaluates arguments in the order of the source (PTX of sm_90), g++ the last one first.
__device__ unsigned draw(unsigned &state) {
    return state = state * 5 + 1;
}
__device__ void keep(int *p, unsigned first, int second, unsigned third) {
    p[0] = (int)first;
    p[1] = second;
    p[2] = (int)third;
}
__device__ int &at(int *p, unsigned row, unsigned column) {
    return p[8 * row + column];
}
template <class T> struct mixer {
    T added;
    __device__ T both(T *state) {
        return two(draw(*state) + added, draw(*state));
    }
    __device__ T two(T a, T b) {
        return 10 * a + b + added;
    }
};
__global__ void with_draws(int *p) {
    unsigned state = 1, other = 1, third = 0;
    mixer<unsigned> made{2};
    keep(p, draw(state), 7, draw(state));
    keep(p + 3, atomicAdd(&state, 1), 8, atomicAdd(&state, 1));
    p[6] = (int)made.both(&other);
    at(p, draw(third) - 1, draw(third) + 1) = 9;
}

#pragma GCC diagnostic ignored "-Wsequence-point"
namespace digits {
template <int N = 10, class T> __device__ T of(T a, T b) {
    return N * a + b;
}
} // namespace digits
__device__ int next_digit(int &a, int b) {
    return a = 10 * a + b;
}
__global__ void with_variables(int *p) {
    int j = 1, k = 3;
    p[0] = digits::of(j, ++j);
    p[1] = digits::of(++j, ++j);
    p[2] = digits::of<20>(j = 3, j += 1);
    p[3] = next_digit(k, k = 5);
    p[4] = make_int2(j++, j).y;
}

TEST(arguments_in_order) {
    const int expected[] = {6, 7, 31, 31, 8, 32, 113, 9}, variables[] = {12, 34, 64, 55, 5};
    set_up();
    with_draws<<<1, 1>>>(d_out);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(out(i), expected[i]);
    with_variables<<<1, 1>>>(d_out);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(out(i), variables[i]);
    tear_down();
}

// The same of operands, also of those whose value is a variable, which g++ reads last.
struct bits {
    unsigned low : 3, all;
    __device__ unsigned both() {
        return low + (low = 2);
    }
};
__device__ unsigned tripled(unsigned *state) {
    return *state *= 3;
}
template <class T> __device__ T last(T a) {
    return a - (a = 3);
}
__global__ void with_operands(int *p) {
    unsigned j = 3, k = 0;
    bits b = {3, 0};
    p[0] = (int)(j + (j = 5));
    p[1] = (int)((j) * (j += 2));
    p[2] = (int)(j + tripled(&j));
    p[3] = (int)(j - (j <<= 1));
    p[4] = j < (j = 80);
    p[5] = (int)(b.both() + last(9u));
    p[6] = (int)(k + draw(k));
    p[7] = (int)(++k - -k++);
    p[8] = k < 4 && k++ == 3 ? (int)(&k - &k + k) : 0;
    const struct bits *bits = &b; // declared, not read and set
    p[9] = (int)bits->all;
}

__device__ int drawn = 1;
__device__ int draw_next() {
    return ++drawn;
}
__device__ int draw_twice() {
    return draw_next() + draw_next();
}
template <class T> __device__ T falling(T j) {
    return (j -= 1) * (j -= 1);
}
__global__ void with_assignments(int *p) {
    int i = 1, j = 0, k = 5;
    auto next = [&i] { return ++i; };
    p[0] = (j = 3) * (j += 1);
    p[1] = ++j * ++j;
    p[2] = (k ? j = 2 : j) - (int)(j = 3) * (j = 4);
    p[3] = (k++, j = 2) << (j = 5);
    p[4] = --j - (--j + 1) == 0 && j == 3;
    p[5] = (j = 2) < (j = 5);
    p[6] = i + next();
    p[7] = drawn - draw_twice();
    p[8] = falling(4);
    p[9] = ((j += 1) && (j += 1)) + j;
}

TEST(operands_in_order) {
    const int expected[] = {8, 35, 28, -21, 1, 11, 1, 4, 4, 0};
    const int assigned[] = {12, 30, -10, 64, 1, 1, 3, -4, 6, 8};
    set_up();
    with_operands<<<1, 1>>>(d_out);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(out(i), expected[i]);
    with_assignments<<<1, 1>>>(d_out);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(out(i), assigned[i]);
    tear_down();
}

SUITE("sim: CUDA's constructs")
