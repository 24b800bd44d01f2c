/* cudaCreateChannelDesc<T>(): the format of an array whose elements are of type T. */
#pragma once

#include "sim_array_types.h"
#include "vector_types.h"

/* A type that no array can have gets the kind None; cudaMallocArray() then refuses it. */
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc(void) {
    return cudaChannelFormatDesc{0, 0, 0, 0, cudaChannelFormatKindNone};
}

#define SIM_CHANNELS(T, kind, x, y, z, w)                                                          \
    template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>(void) {                      \
        return cudaChannelFormatDesc{x, y, z, w, cudaChannelFormatKind##kind};                     \
    }
#define SIM_CHANNELS_OF(T, name, kind, bits)                                                       \
    SIM_CHANNELS(T, kind, bits, 0, 0, 0)                                                           \
    SIM_CHANNELS(name##1, kind, bits, 0, 0, 0)                                                     \
    SIM_CHANNELS(name##2, kind, bits, bits, 0, 0)                                                  \
    SIM_CHANNELS(name##4, kind, bits, bits, bits, bits)
SIM_CHANNELS_OF(signed char, char, Signed, 8)
SIM_CHANNELS_OF(unsigned char, uchar, Unsigned, 8)
SIM_CHANNELS_OF(short, short, Signed, 16)
SIM_CHANNELS_OF(unsigned short, ushort, Unsigned, 16)
SIM_CHANNELS_OF(int, int, Signed, 32)
SIM_CHANNELS_OF(unsigned int, uint, Unsigned, 32)
SIM_CHANNELS_OF(float, float, Float, 32)
SIM_CHANNELS(char, Signed, 8, 0, 0, 0)
#undef SIM_CHANNELS_OF
#undef SIM_CHANNELS

inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void) {
    return cudaChannelFormatDesc{16, 0, 0, 0, cudaChannelFormatKindFloat};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1(void) {
    return cudaCreateChannelDescHalf();
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2(void) {
    return cudaChannelFormatDesc{16, 16, 0, 0, cudaChannelFormatKindFloat};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4(void) {
    return cudaChannelFormatDesc{16, 16, 16, 16, cudaChannelFormatKindFloat};
}
