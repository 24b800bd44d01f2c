/* Check suite of labs/sim/src/evidence/blake2s.c. The codes are those of Python's
 * hashlib.blake2s(message, key=bytes(range(32)), digest_size=16), of messages 00 01 02 ... */
#include "evidence/blake2s.h"
#include "test_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    size_t bytes;
    const char *code;
} known[] = {
    {0, "9536f9b267655743dee97b8a670f9f53"},   {1, "13bacfb85b48a1223c595f8c1e7e82cb"},
    {63, "ece382a8bd5018f1de5da44b72cea75b"},  {64, "f1efa90d2547036841ecd3627fafbc36"},
    {65, "811ff8686d23a435ecbd0bdafcd27b1b"},  {127, "25887fab1422700d7fa3edc0b20206e2"},
    {128, "8c09f698d03eaf88abf69f8147865ef6"}, {129, "5c363ae42a5bec26fbc5e996428d9bd7"},
    {256, "d5a40ec316c751a63cd0d91157fa1ebb"}, {1000, "f69872b03760f95ddfb897eede223884"},
};

static void code_of(const unsigned char *message, size_t bytes, size_t part, char *text) {
    unsigned char key[BLAKE2S_KEY], code[BLAKE2S_CODE];
    for (unsigned i = 0; i < sizeof key; i++) {
        key[i] = (unsigned char)i;
    }
    struct blake2s b;
    blake2s_begin(&b, key);
    for (size_t done = 0; done < bytes; done += part) {
        blake2s_add(&b, message + done, part < bytes - done ? part : bytes - done);
    }
    blake2s_end(&b, code);
    for (unsigned i = 0; i < sizeof code; i++) {
        sprintf(text + 2 * i, "%02x", code[i]);
    }
}

/* In one piece, byte by byte, and in pieces that do not divide a block. */
LOOP_TEST(codes_are_those_of_the_standard, 0, (int)(sizeof known / sizeof known[0])) {
    static const size_t parts[] = {100000, 1, 7, 64};
    static unsigned char message[1000];
    char text[2 * BLAKE2S_CODE + 1];
    for (size_t i = 0; i < sizeof message; i++) {
        message[i] = (unsigned char)i;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        code_of(message, known[_i].bytes, parts[i], text);
        ck_assert_str_eq(text, known[_i].code);
    }
}

SUITE("blake2s")
