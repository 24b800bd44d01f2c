/* The masks of the course. A mask of radius r has (2r+1) x (2r+1) coefficients, row by row. */
#ifndef CONVLABS_MASK_H
#define CONVLABS_MASK_H

#define MASK_MAX_RADIUS 8
#define MASK_MAX_SIZE ((2 * MASK_MAX_RADIUS + 1) * (2 * MASK_MAX_RADIUS + 1))

/* Ando's consistent horizontal gradient, 3x3 (radius 1) and 5x5 (radius 2): S. Ando, IEEE Trans.
 * PAMI 22(3), 2000, as printed in source 000, section 4. */
extern const float mask_ando3[9];
extern const float mask_ando5[25];

/* Gaussian of standard deviation sigma (pixels), normalised to sum 1. 0 <= radius <= 8. */
void mask_gaussian(int radius, double sigma, float *mask);

/* Coefficients in (0, 1] from `seed`, normalised to sum 1 (source 004 uses a random 13x13). */
void mask_random(int radius, unsigned long long seed, float *mask);

#endif
