/* Compiles stb's functions, in a file of their own because they are slow to compile. */
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "stb.h"
