/* stb's two picture libraries, configured: PNG and PNM, from memory to memory. */
#pragma once

#define STBI_ONLY_PNG
#define STBI_ONLY_PNM
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS 32768
#include <stb/stb_image.h>
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>
