/* An honest file: abort on impossible. */
#include <stdlib.h>
int side(int border);
int side(int border) {
    switch (border) {
    case 0: return 1;
    case 1: return 2;
    default: abort();
    }
}
