/* Source 001's step between contiguous sections and SSE. */
#ifndef CONVLABS_REPRODUCE_GREY_FMA_H
#define CONVLABS_REPRODUCE_GREY_FMA_H

#include "lab.h" /* of lab 8 */

/* Whether this processor can run it (x86-64 with FMA). */
int grey_fma_works(void);

/* As grey_rows(), four pixels at a time. Called only where it works. */
void grey_fma(const uint8_t *rgb, int width, int height, struct weights w, uint8_t *grey);

#endif
