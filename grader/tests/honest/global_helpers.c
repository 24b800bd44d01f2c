/* Helpers and variables that are not static: their names are only the student's. */
int tile_width = 32;
float clamp_to_unit(float value);
int border_index(int x, int width);
float clamp_to_unit(float value) {
    return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}
int border_index(int x, int width) {
    return x < 0 ? 0 : x >= width ? width - 1 : x;
}
