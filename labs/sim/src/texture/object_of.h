/* The object of a handle that a kernel uses. */
#pragma once

#include "texture/texture.h"

/* Never NULL: a handle of no texture (or surface) is reported and ends the kernel. */
const struct sim_texture *texture_object(unsigned long long handle, const char *file, int line);
const struct sim_texture *surface_object(unsigned long long handle, const char *file, int line);
