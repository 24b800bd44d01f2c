/* The masks of the course. A mask of radius r has (2r+1) x (2r+1) coefficients, row by row.
 *
 * datasets/generate.py computes the same masks; both use only IEEE operations in a fixed order, so
 * that the coefficients are the same bits on every machine and in both languages.
 */
#ifndef CONVLABS_MASK_H
#define CONVLABS_MASK_H

#ifndef MASK_MAX_RADIUS
#define MASK_MAX_RADIUS 8
#endif
#define MASK_MAX_SIZE ((2 * MASK_MAX_RADIUS + 1) * (2 * MASK_MAX_RADIUS + 1))

/* Ando's consistent horizontal gradient, 3x3 (radius 1) and 5x5 (radius 2): S. Ando, IEEE Trans.
 * PAMI 22(3), 2000, as printed in Ichimura, 2018, section 4. */
extern const float mask_ando3[9];
extern const float mask_ando5[25];

/* Gaussian exp(-(dx^2 + dy^2) / (2 sigma^2)), normalized to sum 1; sigma in pixels, above 0;
 * 0 <= radius <= MASK_MAX_RADIUS. `mask` has room for (2 radius + 1)^2 floats.
 *
 * In double: w(d) = 1 / E(d d / (2 sigma sigma)), where E halves its argument until it is at most
 * 0.5, sums the first 20 terms of the exponential series upwards, and squares the sum as often as
 * it halved; w is 0 where the argument is above 700. A coefficient is w(dx) w(dy) over the sum of
 * all, added row by row, and is rounded to float last. */
void mask_gaussian(int radius, double sigma, float *mask);

/* Coefficients in (0, 1] from `seed`, normalized to sum 1 (the Numba notebook uses 13x13).
 *
 * The k-th is u(k) over the sum of all, in double (the sum is exact), rounded to float last;
 * u(k) = ((z >> 40) + 1) / 2^24, where z is the k-th number of splitmix64 started at `seed`:
 *   state += 0x9e3779b97f4a7c15; z = state;
 *   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9; z = (z ^ z >> 27) * 0x94d049bb133111eb; z ^= z >> 31 */
void mask_random(int radius, unsigned long long seed, float *mask);

#endif
