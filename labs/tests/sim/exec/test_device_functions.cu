// What a kernel may call beside arithmetic: atomic functions of every width, the heap, clocks, memory
// spaces, printf(), vector types.
#include "../test_sim.h"

#include <stdint.h>

#define THREADS 128

template <class T> static void get(T *h_to, const T *d_from, size_t count) {
    ck_success(cudaMemcpy(h_to, d_from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

// ---- atomic functions

struct __align__(16) sixteen {
    long long low, high;
};

struct sums {
    float4 four;
    float2 two;
    sixteen both, exchanged;
    double number;
    unsigned short half_word;
    unsigned count;
};

__global__ void add_all(sums *d) {
    atomicAdd(&d->four, make_float4(1, 2, 3, 4));
    atomicAdd(&d->two, make_float2(0.5f, 1));
    atomicAdd_system(&d->number, 0.25);
    atomicAdd_block(&d->count, 1u);
    sixteen old = d->both, seen;
    for (;;) {
        sixteen next = {old.low + 1, old.high - 1};
        seen = atomicCAS(&d->both, old, next);
        if (seen.low == old.low && seen.high == old.high) {
            break;
        }
        old = seen;
    }
    sixteen mine = {(long long)threadIdx.x, -(long long)threadIdx.x};
    atomicExch(&d->exchanged, mine);
    unsigned short was = d->half_word, now;
    while ((now = atomicCAS(&d->half_word, was, (unsigned short)(was + 1))) != was) {
        was = now;
    }
}

TEST(atomic_functions_of_every_width) {
    sums h, *d = device_zeros<sums>(sizeof h);
    add_all<<<8, THREADS>>>(d);
    get(&h, d, 1);
    int n = 8 * THREADS;
    ck_assert(h.four.x == n && h.four.y == 2 * n && h.four.z == 3 * n && h.four.w == 4 * n);
    ck_assert(h.two.x == n / 2 && h.two.y == n && h.number == n / 4);
    ck_assert(h.both.low == n && h.both.high == -n && h.half_word == n && h.count == (unsigned)n);
    ck_assert(h.exchanged.low == -h.exchanged.high);
}

// ---- the heap

struct node {
    int value;
    node *next;
    __device__ node(int v, node *n) : value(v), next(n) {
    }
};

__device__ node *d_lists[THREADS];

__global__ void build_lists(int length) {
    node *list = NULL;
    for (int i = 0; i < length; i++) {
        list = new node(i, list);
    }
    d_lists[threadIdx.x] = list;
}

__global__ void sum_lists(int *d_sums) {
    int sum = 0;
    for (node *n = d_lists[threadIdx.x]; n;) {
        node *next = n->next;
        sum += n->value;
        delete n;
        n = next;
    }
    d_sums[threadIdx.x] = sum;
}

TEST(heap_lives_from_launch_to_launch) {
    int h[THREADS], *d = device_array<int>(sizeof h);
    for (int again = 0; again < 30; again++) { // 30 times what fits at once
        build_lists<<<1, THREADS>>>(500);
        sum_lists<<<1, THREADS>>>(d);
        get(h, d, THREADS);
        for (int i = 0; i < THREADS; i++) {
            ck_assert_int_eq(h[i], 500 * 499 / 2);
        }
    }
}

__global__ void fill_heap(int *d_blocks, int *d_aligned) {
    void *first = NULL;
    int count = 0;
    for (void *p; (p = malloc(1000)) != NULL; count++) {
        *(void **)p = first;
        first = p;
        *d_aligned += (uintptr_t)p % 16 == 0;
    }
    char *none = new char[1 << 20];
    *d_blocks = none ? -1 : count;
    while (first) {
        void *next = *(void **)first;
        free(first);
        first = next;
    }
    void *again = malloc(1000);
    *d_blocks += again ? 0 : 1000000;
    free(again);
    free(NULL);
}

TEST(heap_has_a_limit) {
    int h[2];
    ck_success(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    int *d = device_zeros<int>(sizeof h);
    fill_heap<<<1, 1>>>(d, d + 1);
    get(h, d, 2);
    ck_assert_int_ge(h[0], 800);
    ck_assert_int_le(h[0], 1048);
    ck_assert_int_eq(h[1], h[0]);
}

__device__ char *d_kept;

__global__ void keep() {
    d_kept = (char *)malloc(100);
}

__global__ void free_twice() {
    free(d_kept);
    free(d_kept);
}

__global__ void free_argument(char *p) {
    free(p);
}

static void leaks_heap(void) {
    keep<<<1, 1>>>();
    cudaDeviceSynchronize();
}

static void frees_twice(void) {
    keep<<<1, 1>>>();
    free_twice<<<1, 1>>>();
    exit(cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1);
}

static void frees_what_is_not_the_heaps(void) {
    char *d = device_array<char>(64);
    free_argument<<<1, 1>>>(d);
    exit(cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1);
}

static void host_frees_heap(void) {
    char *p;
    keep<<<1, 1>>>();
    cudaMemcpyFromSymbol(&p, d_kept, sizeof p);
    exit(cudaFree(p) == cudaErrorInvalidValue ? 0 : 1);
}

TEST(heap_findings) {
    ck_finds(leaks_heap, "leak", "case:kernels number:1 bytes:100");
    ck_finds_and_exits(frees_twice, "use-after-free", "case:freed-by-kernel");
    ck_finds_and_exits(frees_what_is_not_the_heaps, "wrong-space",
                       "case:kernel-frees-others");
    ck_finds_and_exits(host_frees_heap, "wrong-space",
                       "case:free-other space:device-heap call:cudaFree");
}

// ---- clocks, memory spaces, printf()

__constant__ int c_one = 1;
__device__ int d_variable;

__global__ void look_around(int *d_out, unsigned *d_results) {
    extern __shared__ int s_dynamic[];
    __shared__ int s_static;
    int local = 0;
    long long start = clock64();
    long begin = clock();
    s_static = s_dynamic[0] = 0;
    while (clock64() - start < 20000) { // 10 microseconds
    }
    __nanosleep(100);
    unsigned bits = 0;
    bits |= __isShared(&s_static) && __isShared(s_dynamic) && !__isGlobal(&s_static) ? 1 : 0;
    bits |= __isGlobal(d_out) && __isGlobal(&d_variable) && !__isShared(d_out) ? 2 : 0;
    bits |= __isConstant(&c_one) && !__isConstant(&d_variable) ? 4 : 0;
    bits |= __isLocal(&local) && !__isLocal(d_out) ? 8 : 0;
    bits |= clock() - begin >= 15000 ? 16 : 0;
    bits |= __cvta_shared_to_generic(__cvta_generic_to_shared(&s_static)) == &s_static ? 32 : 0;
    bits |= __cvta_shared_to_generic(__cvta_generic_to_shared(s_dynamic)) == s_dynamic ? 64 : 0;
    bits |= printf("%s%c", "", 32) == 2 && printf(" ") == 0 ? 128 : 0;
    *d_results = bits;
}

TEST(a_kernel_sees_its_device) {
    unsigned h, *d = device_array<unsigned>(sizeof h);
    int *d_out = device_array<int>(sizeof(int));
    look_around<<<1, 1, 64>>>(d_out, d);
    get(&h, d, 1);
    ck_assert_uint_eq(h, 255);
    ck_assert_int_eq(printf("%d\n", 12), 3); // on the host, what it wrote
}

// ---- vector types

#define SIZES(name, element, two, four)                                                            \
    static_assert(sizeof(name##1) == (element) && alignof(name##1) == (element), "1");             \
    static_assert(sizeof(name##2) == 2 * (element) && alignof(name##2) == (two), "2");             \
    static_assert(sizeof(name##3) == 3 * (element) && alignof(name##3) == (element), "3");         \
    static_assert(sizeof(name##4) == 4 * (element) && alignof(name##4) == (four), "4");

SIZES(char, 1, 2, 4)
SIZES(uchar, 1, 2, 4)
SIZES(short, 2, 4, 8)
SIZES(ushort, 2, 4, 8)
SIZES(int, 4, 8, 16)
SIZES(uint, 4, 8, 16)
SIZES(long, 8, 16, 16)
SIZES(ulong, 8, 16, 16)
SIZES(longlong, 8, 16, 16)
SIZES(ulonglong, 8, 16, 16)
SIZES(float, 4, 8, 16)
SIZES(double, 8, 16, 16)
static_assert(alignof(double4_32a) == 32 && sizeof(double4_32a) == 32, "double4_32a");
static_assert(alignof(long4_16a) == 16 && alignof(dim3) == 4 && sizeof(dim3) == 12, "dim3");

__global__ void hints(float4 *d, const float4 *d_from) {
    float4 a = __ldg(d_from), b = __ldcg(d_from + 1), c = __ldcs(d_from + 2), e = __ldca(d_from + 3);
    __stcs(d, b);
    __stcg(d + 1, a);
    __stwt(d + 2, e);
    __stwb(&d[3].x, __ldlu(&c.x) + __ldcv(&c.y));
    __stwt(&d[4].y, 7); // an int for a float: the type of the pointer decides
}

TEST(cache_hints_load_and_store) {
    float4 h[8];
    for (int i = 0; i < 4; i++) {
        h[i] = make_float4(i, i + 10, i + 20, i + 30);
    }
    float4 *d = device_array<float4>(2 * sizeof h);
    ck_success(cudaMemset(d + 8, 0, sizeof h));
    ck_success(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    hints<<<1, 1>>>(d + 8, d);
    get(h, d + 8, 8);
    ck_assert(h[0].x == 1 && h[1].y == 10 && h[2].w == 33 && h[3].x == 14 && h[4].y == 7);
}

SUITE("device functions")
