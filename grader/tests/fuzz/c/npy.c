/* labs/runtime/io/npy.c: what is read has the size that its header says. */
#include "io/npy.h"

#include "file.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    static int descriptor = -1;
    char path[PATH_BYTES], error[ERROR_BYTES];
    put_file(&descriptor, path, input, size);
    struct npy a;
    memset(error, 'x', sizeof error);
    if (npy_read(path, &a, error, sizeof error) != 0) {
        REQUIRE(memchr(error, '\0', sizeof error) != NULL && error[0] != '\0');
        REQUIRE(a.data == NULL && a.bytes == 0 && a.ndim == 0);
        return 0;
    }
    size_t bytes;
    REQUIRE(npy_bytes(a.type, a.ndim, a.shape, &bytes) == 0 && bytes == a.bytes);
    REQUIRE(a.bytes <= size && memcmp(a.data, input + size - a.bytes, a.bytes) == 0);
    npy_free(&a);
    return 0;
}
