/* Device memory takes room of the host only where it is written, holds poison everywhere else, and
 * is opened to a kernel as the kernel accesses it. */
#include "../test_sim.h"

#include <signal.h>
#include <sys/resource.h>
#include <vector>

static const size_t GB = (size_t)1 << 30;

/* The memory of this process that is in use, in bytes. */
static size_t resident() {
    FILE *file = fopen("/proc/self/statm", "r");
    size_t all = 0, used = 0;
    ck_assert_int_eq(fscanf(file, "%zu %zu", &all, &used), 2);
    fclose(file);
    return used * 4096;
}

static __global__ void at_ends(unsigned char *p, size_t bytes, int *poison) {
    *poison = p[0] == 0xff && p[bytes / 2] == 0xff && p[bytes - 1] == 0xff;
    p[0] = 1;
    p[bytes / 2] = 2;
    p[bytes - 1] = 3;
}

TEST(huge_memory_is_poison_and_costs_nothing) {
    for (size_t bytes : {(size_t)5000, (size_t)3 << 20, 2 * GB + 12345, 100 * GB}) {
        unsigned char *p, host[3];
        int *poison, was_poison;
        size_t before = resident();
        ck_assert_int_eq(cudaMalloc(&p, bytes), cudaSuccess);
        ck_assert_int_eq(cudaMalloc(&poison, sizeof *poison), cudaSuccess);
        at_ends<<<1, 1>>>(p, bytes, poison);
        ck_assert_int_eq(cudaMemcpy(&was_poison, poison, sizeof was_poison, cudaMemcpyDefault),
                         cudaSuccess);
        ck_assert_int_eq(was_poison, 1);
        cudaMemcpy(&host[0], p, 1, cudaMemcpyDeviceToHost);
        cudaMemcpy(&host[1], p + bytes / 2, 1, cudaMemcpyDeviceToHost);
        cudaMemcpy(&host[2], p + bytes - 1, 1, cudaMemcpyDeviceToHost);
        ck_assert(host[0] == 1 && host[1] == 2 && host[2] == 3);
        ck_assert_uint_lt(resident() - before, (size_t)100 << 20);
        cudaFree(p);
        cudaFree(poison);
    }
}

/* As in a sandbox, where there is no file for the poison but the program's own. */
TEST(poison_without_a_file_costs_nothing_either) {
    const size_t bytes = (size_t)64 << 20;
    const struct rlimit no_files = {4096, 4096};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &no_files), 0);
    size_t before = resident();
    unsigned char *p;
    int *poison, was_poison;
    ck_assert_int_eq(cudaMalloc(&p, bytes), cudaSuccess);
    ck_assert_int_eq(cudaMalloc(&poison, sizeof *poison), cudaSuccess);
    at_ends<<<1, 1>>>(p, bytes, poison);
    ck_assert_int_eq(cudaMemcpy(&was_poison, poison, sizeof was_poison, cudaMemcpyDefault),
                     cudaSuccess);
    ck_assert_int_eq(was_poison, 1);
    ck_assert_uint_lt(resident() - before, (size_t)16 << 20);
    std::vector<unsigned char> all(bytes, 0xff), host(bytes);
    all[0] = 1, all[bytes / 2] = 2, all[bytes - 1] = 3;
    cudaMemcpy(host.data(), p, bytes, cudaMemcpyDeviceToHost);
    ck_assert(host == all);
    cudaFree(p);
    cudaFree(poison);
}

static __global__ void add_ends(const unsigned char *p, size_t bytes, int *sum) {
    *sum = p[0] + p[bytes / 2] + p[bytes - 1];
}

static __global__ void write_past_the_end(unsigned char *p, size_t bytes) {
    p[bytes] = 0;
}

static void write_past_zeros(void) {
    unsigned char *p = device_array<unsigned char>(5000);
    write_past_the_end<<<1, 1>>>(p, 5000);
    cudaFree(p);
}

/* As on a device. */
TEST(new_memory_can_be_zeros) {
    setenv("CONVLABS_SIM_FRESH", "zeros", 1);
    sim_read_options();
    for (size_t bytes : {(size_t)1, (size_t)5000, (size_t)8192, 2 * GB + 12345, 100 * GB}) {
        size_t before = resident();
        unsigned char *p;
        int *sum, h_sum;
        ck_assert_int_eq(cudaMalloc(&p, bytes), cudaSuccess);
        ck_assert_int_eq(cudaMalloc(&sum, sizeof *sum), cudaSuccess);
        add_ends<<<1, 1>>>(p, bytes, sum);
        ck_assert_int_eq(cudaMemcpy(&h_sum, sum, sizeof *sum, cudaMemcpyDefault), cudaSuccess);
        ck_assert_int_eq(h_sum, 0);
        /* Of gigabytes next to nothing; a sanitizer's own memory grows now and then, too. */
        ck_assert_uint_lt(resident() - before, (size_t)8 << 20);
        cudaFree(p);
        cudaFree(sum);
    }
    int *managed, *host;
    cudaMallocManaged(&managed, 4000);
    cudaMallocHost(&host, 4000);
    ck_assert(managed[0] == 0 && managed[999] == 0 && host[0] == 0 && host[999] == 0);
    cudaFree(managed);
    cudaFreeHost(host);
}

/* The padding after it is poison still: a write of zero there is found. A test of its own, before
 * which no thread runs: one that holds a lock of malloc() would leave it locked in the child. */
TEST(a_write_past_zeros_is_found) {
    setenv("CONVLABS_SIM_FRESH", "zeros", 1);
    sim_read_options();
    struct outcome outcome = run_program(write_past_zeros, NULL);
    ck_assert_msg(found(&outcome, "out-of-bounds", "case:wrote-past-end"), "%s", outcome.findings);
}

TEST(unwritten_memory_stays_poisoned) {
    std::vector<unsigned char> host((size_t)5 << 20);
    unsigned char *p = device_array<unsigned char>(host.size());
    unsigned char *q = device_array<unsigned char>(host.size());
    cudaMemset(p + 1000000, 7, 3);
    ck_assert_int_eq(cudaMemcpy(host.data(), p, host.size(), cudaMemcpyDefault), cudaSuccess);
    size_t wrong = 0;
    for (size_t i = 0; i < host.size(); i++) {
        wrong += host[i] != (i >= 1000000 && i < 1000003 ? 7 : 0xff);
    }
    cudaMemcpy(host.data(), q, host.size(), cudaMemcpyDefault); /* another one has not changed */
    for (unsigned char byte : host) {
        wrong += byte != 0xff;
    }
    ck_assert_uint_eq(wrong, 0);
}

/* Thread i of block b adds to its own element of every array. */
static __global__ void add_to_all(int **arrays, int count) {
    for (int i = 0; i < count; i++) {
        arrays[i][blockIdx.x * blockDim.x + threadIdx.x] += i;
    }
}

TEST(many_arrays_opened_by_many_threads) {
    enum { ARRAYS = 300, BLOCKS = 64, THREADS = 32 };
    std::vector<int *> arrays(ARRAYS);
    int **list, sums[BLOCKS * THREADS];
    for (int *&array : arrays) {
        ck_assert_int_eq(cudaMalloc(&array, sizeof sums), cudaSuccess);
        cudaMemset(array, 0, sizeof sums);
    }
    cudaMalloc(&list, ARRAYS * sizeof *list);
    cudaMemcpy(list, arrays.data(), ARRAYS * sizeof *list, cudaMemcpyHostToDevice);
    for (int launch = 0; launch < 20; launch++) {
        add_to_all<<<BLOCKS, THREADS>>>(list, ARRAYS);
    }
    for (int i = 0; i < ARRAYS; i++) {
        ck_assert_int_eq(cudaMemcpy(sums, arrays[i], sizeof sums, cudaMemcpyDefault), cudaSuccess);
        for (int sum : sums) {
            ck_assert_int_eq(sum, 20 * i);
        }
        cudaFree(arrays[i]);
    }
    cudaFree(list);
}

static __global__ void set(int *p) {
    *p = 1;
}

/* The host must not access an array, also after a kernel has. */
SIGNAL_TEST(the_host_cannot_access_it, SIGSEGV) {
    int *p;
    cudaMalloc(&p, 8 * GB); /* large: opened at the first access */
    set<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    *(volatile int *)p = 2;
}

static __global__ void touch_all(unsigned char *p, size_t bytes) {
    for (size_t i = threadIdx.x; i < bytes; i += blockDim.x * 4096) {
        p[i] ^= 0; /* the kernel opens the memory */
    }
}

/* Large copies and fills give the memory other pages: what they do not write must stay, be it
 * poison or data, and a copy within the memory must read what was there. */
TEST(large_writes_change_nothing_else) {
    const size_t bytes = (size_t)11 << 20;
    std::vector<unsigned char> source(bytes), model(bytes, 0xff), got(bytes);
    for (size_t i = 0; i < bytes; i++) {
        source[i] = (unsigned char)(i * 2654435761u >> 13);
    }
    unsigned state = 1;
    auto below = [&](size_t limit) {
        state = state * 1103515245u + 12345u;
        return (size_t)(state >> 1) % limit;
    };
    unsigned char *p = device_array<unsigned char>(bytes);
    for (int round = 0; round < 60; round++) {
        size_t from = below(bytes), count = below(bytes - from) + 1, at = below(bytes - count + 1);
        switch (round % 5) {
        case 0: /* a piece, later all of it */
            from = round < 30 ? from : 0;
            count = round < 30 ? count : bytes;
            ck_success(cudaMemcpy(p + from, source.data(), count, cudaMemcpyHostToDevice));
            memcpy(&model[from], source.data(), count);
            break;
        case 1:
            ck_success(cudaMemset(p + from, round, count));
            memset(&model[from], round, count);
            break;
        case 2: /* it may overlap itself */
            ck_success(cudaMemcpy(p + at, p + from, count, cudaMemcpyDeviceToDevice));
            memmove(&model[at], &model[from], count);
            break;
        case 3: /* rows with gaps between them */
            ck_success(cudaMemset2D(p, 4096, round, 4095, bytes / 4096));
            ck_success(cudaMemcpy2D(p, 4096, source.data(), 4000, 4000, bytes / 4096,
                                    cudaMemcpyHostToDevice));
            for (size_t row = 0; row < bytes / 4096; row++) {
                memset(&model[row * 4096], round, 4095);
                memcpy(&model[row * 4096], &source[row * 4000], 4000);
            }
            break;
        default:
            touch_all<<<1, 32>>>(p, bytes);
            break;
        }
        ck_success(cudaMemcpy(got.data(), p, bytes, cudaMemcpyDeviceToHost));
        ck_assert_msg(got == model, "after round %d", round);
    }
}

/* Its pieces are too small for large pages, but the copy is not. */
TEST(a_large_copy_within_memory_reads_what_was_there) {
    const size_t bytes = (size_t)11 << 20, piece = (size_t)1 << 20, shift = 12345;
    std::vector<unsigned char> source(bytes), got(bytes - shift);
    for (size_t i = 0; i < bytes; i++) {
        source[i] = (unsigned char)(i * 2654435761u >> 13);
    }
    for (bool up : {false, true}) {
        unsigned char *p;
        ck_success(cudaMalloc(&p, bytes));
        for (size_t i = 0; i < bytes; i += piece) {
            ck_success(cudaMemcpy(p + i, &source[i], piece, cudaMemcpyHostToDevice));
        }
        unsigned char *to = up ? p + shift : p, *from = up ? p : p + shift;
        ck_success(cudaMemcpy(to, from, bytes - shift, cudaMemcpyDeviceToDevice));
        ck_success(cudaMemcpy(got.data(), to, bytes - shift, cudaMemcpyDeviceToHost));
        ck_assert(memcmp(got.data(), &source[up ? 0 : shift], got.size()) == 0);
        ck_success(cudaFree(p));
    }
}

TEST(a_closed_descriptor_does_no_harm) {
    for (int i = 3; i < 64; i++) {
        close(i);
    }
    FILE *files[8];
    for (FILE *&file : files) { /* they take the numbers */
        file = tmpfile();
        fputs("not poison", file);
        fflush(file);
    }
    unsigned char *p, host[16];
    ck_assert_int_eq(cudaMalloc(&p, sizeof host), cudaSuccess);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDefault);
    for (unsigned char byte : host) {
        ck_assert_int_eq(byte, 0xff);
    }
}

/* Without such files, poison is written. */
TEST(a_limit_on_files_does_no_harm) {
    const struct rlimit limit = {4096, 4096};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    unsigned char *p, last;
    ck_assert_int_eq(cudaMalloc(&p, 4 << 20), cudaSuccess);
    cudaMemcpy(&last, p + (4 << 20) - 1, 1, cudaMemcpyDefault);
    ck_assert_int_eq(last, 0xff);
    cudaFree(p);
}

SUITE("sim: lazy memory")
