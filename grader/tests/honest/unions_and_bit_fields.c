/* An honest file: unions and bit fields. */
#include <stdint.h>
struct colour { unsigned red : 8, green : 8, blue : 8, alpha : 8; };
union word { struct colour colour; uint32_t bits; float value; };
uint32_t swapped(uint32_t bits);
uint32_t swapped(uint32_t bits) {
    union word word = {.bits = bits};
    unsigned red = word.colour.red;
    word.colour.red = word.colour.blue;
    word.colour.blue = red & 0xff;
    return word.bits;
}
