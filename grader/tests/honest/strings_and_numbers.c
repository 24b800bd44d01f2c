/* An honest file: strings and numbers. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int parsed(const char *text);
int parsed(const char *text) {
    char copy[64];
    int width = 0, height = 0;
    snprintf(copy, sizeof copy, "%.40s", text);
    strncat(copy, "!", 2);
    if (sscanf(copy, "%dx%d", &width, &height) == 2 && isdigit((unsigned char)copy[0]))
        return width * height + (int)strlen(copy) + abs(height);
    return (int)strtol(copy, NULL, 10) + atoi(copy) + (int)strtod(copy, NULL) + strcmp(copy, "x");
}
