/* labs/runtime/io/npy.c: what is read has the size that its header says, and is written again as it
 * was. */
#include "io/npy.h"

#include "file.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    static int descriptor = -1;
    char path[PATH_BYTES], copied[PATH_BYTES], error[ERROR_BYTES];
    put_file(&descriptor, path, input, size);
    struct npy a, b;
    memset(error, 'x', sizeof error);
    if (npy_read(path, &a, error, sizeof error) != 0) {
        REQUIRE(memchr(error, '\0', sizeof error) != NULL && error[0] != '\0');
        REQUIRE(a.data == NULL && a.bytes == 0 && a.ndim == 0);
        return 0;
    }
    size_t bytes;
    REQUIRE(npy_bytes(a.type, a.ndim, a.shape, &bytes) == 0 && bytes == a.bytes);
    REQUIRE(a.bytes <= size && memcmp(a.data, input + size - a.bytes, a.bytes) == 0);
    /* file_write() opens no link: the copy is a file of its own. */
    snprintf(copied, sizeof copied, "/dev/shm/convlabs-fuzz-%d.npy", (int)getpid());
    REQUIRE(npy_write(copied, &a, error, sizeof error) == 0);
    REQUIRE(npy_read(copied, &b, error, sizeof error) == 0);
    unlink(copied);
    REQUIRE(strcmp(a.type, b.type) == 0 && a.ndim == b.ndim && a.bytes == b.bytes);
    REQUIRE(memcmp(a.shape, b.shape, sizeof a.shape) == 0);
    REQUIRE(memcmp(a.data, b.data, a.bytes) == 0);
    npy_free(&a);
    npy_free(&b);
    return 0;
}
