/* Gives each file of the command line to a target, without libFuzzer: any compiler builds it. */
#include "file.h"

enum { MOST = 1 << 20 };

int main(int argc, char **argv) {
    static uint8_t buffer[MOST];
    for (int i = 1; i < argc; i++) {
        fprintf(stderr, "%s\n", argv[i]); /* the last one printed is the one that failed */
        FILE *file = fopen(argv[i], "rb");
        REQUIRE(file != NULL);
        const size_t size = fread(buffer, 1, MOST, file);
        fclose(file);
        /* A copy without slack behind it, so that a read past its end is noticed. */
        uint8_t *input = malloc(size ? size : 1);
        REQUIRE(input != NULL);
        memcpy(input, buffer, size);
        LLVMFuzzerTestOneInput(input, size);
        free(input);
    }
    return 0;
}
