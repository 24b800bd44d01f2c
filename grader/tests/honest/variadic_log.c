/* An honest file: variadic log. */
#include <stdarg.h>
#include <stdio.h>
__attribute__((format(printf, 1, 2))) static void log_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}
void note(int width);
void note(int width) {
    char line[80];
    setvbuf(stdout, NULL, _IONBF, 0);
    sprintf(line, "%d", width);
    log_line("%s %s\n", line, __func__);
}
