/* Local names and static functions may be called anything. */
static int read(int write) { int open = write, close = 2, signal = 3; return open + close + signal; }
static float gamma_of(float x) { return x; }
struct constructor { int alias, weak, section, used; };
int together(int getenv);
int together(int getenv) {
    struct constructor destructor = {getenv, 1, 2, 3};
    int naked = destructor.alias, optimize = destructor.weak;
    return read(naked) + optimize + (int)gamma_of(1.0f);
}
