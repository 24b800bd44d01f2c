/* CUDA arrays: their handles, the format of their elements, and what a copy of one is described by.
 * An array's element has 1, 2 or 4 channels; an extent counts elements, and 0 means one dimension
 * less. */
#pragma once

#include "driver_types.h"

#include <stddef.h>

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3
};

/* Bits of each channel. */
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
