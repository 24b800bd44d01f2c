/* An honest file: perror and errno. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
float *row(int width);
float *row(int width) {
    float *memory = malloc((size_t)width * sizeof *memory);
    if (!memory) {
        perror("malloc");
        fprintf(stderr, "%s (%d)\n", strerror(errno), errno);
    }
    return memory;
}
