/* Text as a JSON string, for the programs that write JSON with printf(). A byte that is not part of
 * UTF-8 text becomes '?', and so does a control character. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Writes the inside of the string, without its quotes, and a NUL to `to`, which has room for `room`
 * bytes (at least 1). What does not fit is left out, whole characters at a time. Returns the
 * length, without the NUL. Calls no function, so that a signal handler may call it. */
size_t json_escape(char *to, size_t room, const char *text);

/* Writes the string to `file`, with its quotes. */
void json_write(FILE *file, const char *text);
