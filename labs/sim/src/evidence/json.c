#include "evidence/json.h"

#define LONGEST 3 /* bytes that one character takes: UTF-8 of 3 bytes; an escape takes 2 */

/* The length of the UTF-8 character at `text`, which is not at its end; 0 if it is none, or one of
 * the four-byte characters, which no name here has. */
static size_t character_length(const unsigned char *text) {
    size_t length = text[0] < 0x80                      ? 1
                    : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                    : text[0] >> 4 == 0xe               ? 3
                                                        : 0;
    for (size_t i = 1; i < length; i++) {
        if (text[i] >> 6 != 2) {
            return 0;
        }
    }
    /* Longer than it need be, or half of a surrogate pair: no UTF-8, and no reader takes it. */
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0)) {
        return 0;
    }
    return length;
}

/* Escapes the character at *text into `out` (not terminated), moves *text behind it and returns the
 * length of what was written. */
static size_t escape_one(char out[LONGEST], const unsigned char **text) {
    const unsigned char *from = *text;
    size_t length = character_length(from), written = 0;
    *text += length ? length : 1;
    if (length == 0 || *from < 0x20 || *from == 0x7f) {
        out[0] = '?';
        return 1;
    }
    if (*from == '"' || *from == '\\') {
        out[written++] = '\\';
    }
    for (size_t i = 0; i < length; i++) {
        out[written++] = (char)from[i];
    }
    return written;
}

size_t json_escape(char *to, size_t room, const char *text) {
    const unsigned char *from = (const unsigned char *)text;
    size_t length = 0;
    while (*from) {
        char escaped[LONGEST];
        size_t bytes = escape_one(escaped, &from);
        if (length + bytes >= room) {
            break;
        }
        for (size_t i = 0; i < bytes; i++) {
            to[length++] = escaped[i];
        }
    }
    to[length] = '\0';
    return length;
}

void json_write(FILE *file, const char *text) {
    const unsigned char *from = (const unsigned char *)text;
    fputc('"', file);
    while (*from) {
        char escaped[LONGEST];
        fwrite(escaped, 1, escape_one(escaped, &from), file);
    }
    fputc('"', file);
}
