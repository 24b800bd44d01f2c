/* An honest file: standard attributes. */
[[nodiscard]] static int unused_result() { return 1; }
[[maybe_unused]] static int spare = 0;
struct [[deprecated("use Plane")]] Old { int x; };
[[gnu::noinline, gnu::cold]] static int rarely(int x) { return x + 1; }
int both(int x) {
    switch (x) {
    case 0: x++; [[fallthrough]];
    default: break;
    }
    int table[2][2] = {{1, 2}, {3, 4}};
    int order[2] = {0, 1};
    return unused_result() + rarely(x) + table[order[0]][order[1]];
}
