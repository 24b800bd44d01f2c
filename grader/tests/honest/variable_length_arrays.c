/* An honest file: variable length arrays. */
float sum_of(int n, const float image[n][n]);
float sum_of(int n, const float image[n][n]) {
    float line[n];
    for (int x = 0; x < n; x++)
        line[x] = 0.0f;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            line[x] += image[y][x];
    return line[0];
}
