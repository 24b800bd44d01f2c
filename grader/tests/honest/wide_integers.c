/* An honest file: wide integers. */
#include <inttypes.h>
#include <stdint.h>
uint64_t product(uint64_t a, uint64_t b, int64_t c);
uint64_t product(uint64_t a, uint64_t b, int64_t c) {
    unsigned __int128 whole = (unsigned __int128)a * b;
    __int128 quotient = (__int128)whole / (c ? c : 1) + (__int128)((double)a * 3.0);
    long double wide = (long double)a;
    return (uint64_t)(whole >> 64) + (uint64_t)quotient + (uint64_t)(wide * 2) + (uint64_t)imaxabs(c);
}
