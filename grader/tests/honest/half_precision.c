/* An honest file: half precision. */
#if defined(__x86_64__) && __GNUC__ >= 12
float half_sum(const float *row, int n);
float half_sum(const float *row, int n) {
    _Float16 sum = 0;
    for (int i = 0; i < n; i++)
        sum += (_Float16)row[i];
    return (float)sum;
}
#else
int nothing;
#endif
