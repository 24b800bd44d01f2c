// What the programs share: main(), and what they only need to run. What a program is about stays in
// the program. CHECK() prints the error of a call and its line, and counts it in `failures`.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

// The programs of a file. main() runs the one that its argument names.
struct program {
    const char *name;
    void (*run)(void);
    struct program *next;
    program(const char *name_, void (*run_)(void));
};
static struct program *programs;

inline program::program(const char *name_, void (*run_)(void)) : name(name_), run(run_), next(programs)
{
    programs = this;
}
#define PROGRAM(name)                                                                            \
    static void name##_program(void);                                                            \
    static struct program name##_of_this_file(#name, name##_program);                            \
    static void name##_program(void)

static int failures;

static void check(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    failures++;
}
#define CHECK(call) check(call, __LINE__)
// After a launch: its error, and that of the kernel.
#define CHECK_KERNEL() (CHECK(cudaGetLastError()), CHECK(cudaDeviceSynchronize()))

static struct {
    void *made;
    cudaError_t (*release)(void *);
} to_free[8];
static int count_to_free;

template <class T> T *freed_at_the_end(T *made, cudaError_t (*release)(void *))
{
    to_free[count_to_free].made = made;
    to_free[count_to_free++].release = release;
    return made;
}

inline cudaError_t free_device(void *made) { return cudaFree(made); }
inline cudaError_t free_pinned(void *made) { return cudaFreeHost(made); }
inline cudaError_t destroy_stream(void *made) { return cudaStreamDestroy((cudaStream_t)made); }
inline cudaError_t destroy_event(void *made) { return cudaEventDestroy((cudaEvent_t)made); }

// Runs a program and frees what it made with the functions below, the last first.
int main(int count, char **arguments)
{
    struct program *chosen = programs;
    while (chosen && (count != 2 || strcmp(chosen->name, arguments[1]) != 0)) chosen = chosen->next;
    if (!chosen) {
        fprintf(stderr, "usage: %s PROGRAM, a name in PROGRAM() of its source\n", arguments[0]);
        return 2;
    }
    chosen->run();
    while (count_to_free > 0) {
        count_to_free--;
        CHECK(to_free[count_to_free].release(to_free[count_to_free].made));
    }
    return failures != 0;
}

// So many elements of the device's memory, not initialised.
template <class T> T *device_array(size_t count)
{
    T *d_array = NULL;
    CHECK(cudaMalloc((void **)&d_array, count * sizeof(T)));
    return freed_at_the_end(d_array, free_device);
}

// So many elements of the device's memory, all 0.
template <class T> T *device_zeros(size_t count)
{
    T *d_array = device_array<T>(count);
    CHECK(cudaMemset(d_array, 0, count * sizeof(T)));
    return d_array;
}

// The array in the device's memory.
template <class T, size_t N> T *device_copy(const T (&array)[N])
{
    T *d_array = device_array<T>(N);
    CHECK(cudaMemcpy(d_array, array, sizeof array, cudaMemcpyHostToDevice));
    return d_array;
}

template <class T, class F> T *device_filled(int count, F value)
{
    T *d_array = device_array<T>(count), *h_array = (T *)malloc(count * sizeof(T));
    for (int i = 0; i < count; i++) h_array[i] = value(i);
    CHECK(cudaMemcpy(d_array, h_array, count * sizeof(T), cudaMemcpyHostToDevice));
    free(h_array);
    return d_array;
}
// An array of the device; element i has the value, an expression of i.
#define DEVICE_ARRAY(T, count, value)                                                            \
    device_filled<T>(count, [&](int i) {                                                         \
        (void)i;                                                                                 \
        return (T)(value);                                                                       \
    })

template <class T> T *pinned_array(size_t count)
{
    T *pinned = NULL;
    CHECK(cudaMallocHost((void **)&pinned, count * sizeof(T)));
    return freed_at_the_end(pinned, free_pinned);
}

inline cudaStream_t new_stream(void)
{
    cudaStream_t stream = NULL;
    CHECK(cudaStreamCreate(&stream));
    return freed_at_the_end(stream, destroy_stream);
}

inline cudaEvent_t new_event(void)
{
    cudaEvent_t event = NULL;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return freed_at_the_end(event, destroy_event);
}

template <class T, class F> void for_each(const T *d_array, int count, F use)
{
    T *h_array = (T *)malloc(count * sizeof(T));
    CHECK(cudaMemcpy(h_array, d_array, count * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) use(i, h_array[i]);
    free(h_array);
}
// Element i of the device's array must have the value, an expression of i.
#define EXPECT(d_array, count, value)                                                            \
    for_each(d_array, count, [&](int i, auto element) {                                          \
        (void)i;                                                                                 \
        if (element != (value)) failures++;                                                      \
    })

template <class T> void print_sum(const T *d_array, int count)
{
    double sum = 0.0;
    for_each(d_array, count, [&](int, T element) { sum += element; });
    printf("%g\n", sum);
}
