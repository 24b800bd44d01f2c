/* An honest file: exit in an error macro. */
#include <stdio.h>
#include <stdlib.h>
#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);  \
            exit(EXIT_FAILURE);                                              \
        }                                                                    \
    } while (0)
int half(int width);
int half(int width) {
    CHECK(width > 0);
    return width / 2;
}
