#include "timing.h"

#include "bench/clock.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void timing_fail(const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    fputs("reproduce: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

struct limit timing_limit(const char *runs, const char *seconds) {
    char *end_of_runs, *end_of_seconds;
    const long count = strtol(runs, &end_of_runs, 10);
    const double time = strtod(seconds, &end_of_seconds);

    if (*end_of_runs != '\0' || *end_of_seconds != '\0' || count < 0 || count > TIMING_MAX_RUNS) {
        timing_fail("%s runs in %s seconds: 0 to %d runs", runs, seconds, TIMING_MAX_RUNS);
    }
    return (struct limit){.runs = (int)count, .seconds = time};
}

double timing_now(void) {
    return (double)clock_ns() * 1e-9;
}

void timing_cpu(const char *row, struct limit limit, void (*work)(void *), void *context) {
    double seconds[TIMING_MAX_RUNS];
    int count = 0;

    const double begin = timing_now();
    work(context);
    const double first = timing_now() - begin;
    if (first >= limit.seconds) {
        seconds[count++] = first;
    }
    while (count < limit.runs && timing_now() - begin < limit.seconds) {
        const double start = timing_now();
        work(context);
        seconds[count++] = timing_now() - start;
    }
    if (count == 0) { /* the first run left no time for a second */
        seconds[count++] = first;
    }
    timing_print(row, seconds, count);
}

void timing_print(const char *row, const double *seconds, int count) {
    printf("{\"row\":\"%s\",\"seconds\":[", row);
    for (int i = 0; i < count; i++) {
        printf("%s%.9g", i == 0 ? "" : ",", seconds[i]);
    }
    puts("]}");
    fflush(stdout);
}

void timing_value(const char *row, double value) {
    printf("{\"row\":\"%s\",\"value\":%.9g}\n", row, value);
    fflush(stdout);
}

void *timing_alloc(size_t bytes) {
    const size_t page = 4096;
    void *memory = aligned_alloc(page, (bytes + page - 1) / page * page);

    if (memory == NULL) {
        timing_fail("no %zu bytes of memory", bytes);
    }
    return memory;
}

void timing_noise(unsigned char *bytes, size_t count) {
    uint64_t state = 1;

    for (size_t i = 0; i < count; i += sizeof(uint64_t)) { /* splitmix64 */
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
        memcpy(bytes + i, &z, count - i < sizeof z ? count - i : sizeof z);
    }
}
