/* For the targets: a fuzzer's input as a file in memory. */
#ifndef CONVLABS_FUZZ_FILE_H
#define CONVLABS_FUZZ_FILE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* libFuzzer calls it, and replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* Ends the process where a property of the reader does not hold. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { PATH_BYTES = 64, ERROR_BYTES = 256 };

/* The file that *descriptor keeps, which begins as -1, now with these bytes; its path into `path`. */
static inline void put_file(int *descriptor, char path[PATH_BYTES], const uint8_t *bytes,
                            size_t size) {
    if (*descriptor < 0) {
        *descriptor = memfd_create("input", 0);
    }
    REQUIRE(*descriptor >= 0 && ftruncate(*descriptor, 0) == 0);
    REQUIRE(pwrite(*descriptor, bytes, size, 0) == (ssize_t)size);
    snprintf(path, PATH_BYTES, "/proc/self/fd/%d", *descriptor);
}

#endif
