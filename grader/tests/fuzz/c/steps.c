/* labs/runtime/runner/steps.c: no steps file makes the runner leave its arrays. An input is the
 * length of the steps file, 2 bytes, the steps file, and the data file. */
#include "../../../../labs/runtime/runner/steps.c"

/* After steps.c, which defines names of its own. */
#include "file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>

enum { MOST_ARRAY = 1 << 16 }; /* bytes: larger ones only cost time */

static jmp_buf ended; /* to here our_fault() leads */
static unsigned char *read_files[2];
static int files_read;
static size_t output_bytes; /* of all outputs of all steps */

void our_fault(const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    REQUIRE(vsnprintf(text, sizeof text, format, arguments) > 0);
    va_end(arguments);
    longjmp(ended, 1);
}

void disk_fault(const char *format, ...) {
    (void)format;
    longjmp(ended, 1);
}

bool evidence_write(enum evidence_kind kind, const char *text, size_t length) {
    REQUIRE(kind == EVIDENCE_STATUS && length > 2 && text[0] == '{' && text[length - 1] == '\n');
    return true;
}

void crash_catch(void) {
}

void runner_poison(const struct npy *a) {
    memset(a->data, 0xff, a->bytes);
}

/* lab_run() leaves the floating-point mode as it was. */
void runner_note_left(struct runner *r, const char *format, ...) {
    (void)r;
    (void)format;
    REQUIRE(false);
}

unsigned char runner_guard_byte(size_t i) {
    return (unsigned char)(0x5a + 37 * i);
}

/* A driver that reads every byte of the inputs and writes every byte of the outputs. */
void lab_run(struct runner *r) {
    unsigned char sum = 0;
    for (int i = 0; i < r->inputs; i++) {
        for (size_t k = 0; k < r->input[i].array.bytes; k++) {
            sum = (unsigned char)(sum + ((unsigned char *)r->input[i].array.data)[k]);
        }
    }
    for (int i = 0; i < r->outputs; i++) {
        memset(r->output[i].array.data, sum, r->output[i].array.bytes);
        output_bytes += r->output[i].array.bytes;
    }
    for (int i = 0; i < r->settings; i++) {
        REQUIRE(strlen(r->setting[i].name) + strlen(r->setting[i].value) < MOST_TEXT);
    }
}

/* The linker puts them around the functions of labs/runtime (--wrap). */
struct fence __real_fence_make(size_t bytes, size_t alignment, bool at_end);
struct fence __wrap_fence_make(size_t bytes, size_t alignment, bool at_end);
struct fence __wrap_fence_make(size_t bytes, size_t alignment, bool at_end) {
    if (bytes > MOST_ARRAY) {
        our_fault("an array of %zu bytes", bytes);
    }
    const struct fence fence = __real_fence_make(bytes, alignment, at_end);
    REQUIRE(fence.bytes == bytes && fence.data > fence.mapping);
    REQUIRE(fence.data + bytes < fence.mapping + fence.mapped);
    REQUIRE(!fence_broken_before(&fence) && !fence_broken_after(&fence));
    return fence;
}

int __real_file_read(const char *path, size_t most, unsigned char **bytes, size_t *size,
                     char *error, size_t room);
int __wrap_file_read(const char *path, size_t most, unsigned char **bytes, size_t *size,
                     char *error, size_t room);
int __wrap_file_read(const char *path, size_t most, unsigned char **bytes, size_t *size,
                     char *error, size_t room) {
    const int status = __real_file_read(path, most, bytes, size, error, room);
    read_files[files_read++] = *bytes;
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    static int steps_file = -1, data_file = -1;
    char steps_path[PATH_BYTES], data_path[PATH_BYTES], results_path[PATH_BYTES];
    if (size < 2) {
        return 0;
    }
    size_t length = (size_t)input[0] | (size_t)input[1] << 8;
    length = length < size - 2 ? length : size - 2;
    put_file(&steps_file, steps_path, input + 2, length);
    put_file(&data_file, data_path, input + 2 + length, size - 2 - length);
    snprintf(results_path, sizeof results_path, "/dev/shm/convlabs-fuzz-%d", (int)getpid());

    struct sigaction handler;
    sigaction(SIGSEGV, NULL, &handler);
    const int first = dup(data_file); /* what is opened from here on has its number or a higher */
    close(first);
    files_read = 0;
    output_bytes = 0;
    if (setjmp(ended) == 0) {
        run_steps(steps_path, data_path, results_path, NULL);
    } else {
        remove_arrays(&before);
        remove_arrays(&now);
        for (int i = 0; i < files_read; i++) {
            free(read_files[i]);
        }
        close(first);
    }
    struct stat written = {.st_size = 0};
    if (stat(results_path, &written) == 0) {
        REQUIRE(written.st_size == 0 || output_bytes > 0);
        unlink(results_path);
    }
    sigaction(SIGSEGV, &handler, NULL);
    memset(&now, 0, sizeof now);
    memset(&before, 0, sizeof before);
    number = 0;
    return 0;
}
