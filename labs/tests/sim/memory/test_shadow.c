/* The shadow of memory against a simple model: random ranges of random widths. */
#include "test_suite.h"

#include <stdbool.h>
#include <string.h>

#include "check/quick_access.h"
#include "check/racecheck.h"
#include "memory/shadow.h"

#define BYTES 1003 /* no multiple of a word */

static char memory[BYTES];

static uint64_t state = 1;

static unsigned random_below(unsigned limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % limit);
}

TEST(known_bytes) {
    struct shadow *s = shadow_create(memory, BYTES, false);
    ck_assert_ptr_nonnull(s);
    bool model[BYTES] = {false};
    for (int round = 0; round < 20000; round++) {
        unsigned from = random_below(BYTES), bytes = 1 + random_below(BYTES - from);
        bytes = round % 3 ? 1 + bytes % 16 : bytes;
        bytes = from + bytes > BYTES ? BYTES - from : bytes;
        size_t expected = 0;
        for (unsigned i = from; i < from + bytes; i++) {
            expected += model[i];
        }
        ck_assert_uint_eq(shadow_written(s, memory + from, bytes), expected);
        bool known = random_below(2);
        shadow_set_written(s, memory + from, bytes, known);
        memset(model + from, known, bytes);
    }
    shadow_release(s);
}

TEST(copied_knowledge) {
    struct shadow *from = shadow_create(memory, 200, false);
    struct shadow *to = shadow_create(memory + 300, 200, false);
    shadow_set_written(from, memory + 13, 70, true);
    shadow_copy_written(to, memory + 310, from, memory + 10, 100);
    for (int i = 0; i < 200; i++) {
        ck_assert_uint_eq(shadow_written(to, memory + 300 + i, 1), i >= 13 && i < 83);
    }
    shadow_release(from);
    shadow_release(to);
}

TEST(copied_knowledge_at_any_offset) {
    enum { HALF = 400 };
    struct shadow *from = shadow_create(memory, HALF, false);
    struct shadow *to = shadow_create(memory + HALF, HALF, false);
    bool here[HALF] = {false}, there[HALF] = {false};
    for (int round = 0; round < 5000; round++) {
        unsigned at = random_below(HALF), bytes = random_below(HALF - at) + 1;
        bool known = random_below(2);
        shadow_set_written(from, memory + at, bytes, known);
        memset(here + at, known, bytes);
        unsigned source = random_below(HALF), target = random_below(HALF);
        bytes = random_below(HALF - (source > target ? source : target)) + 1;
        shadow_copy_written(to, memory + HALF + target, from, memory + source, bytes);
        memcpy(there + target, here + source, bytes);
        unsigned wrong = 0;
        for (int i = 0; i < HALF; i++) {
            wrong += shadow_written(to, memory + HALF + i, 1) != there[i];
        }
        ck_assert_uint_eq(wrong, 0);
    }
    shadow_release(from);
    shadow_release(to);
}

TEST(shadow_of_known_memory_counts_all_written) {
    struct shadow *s = shadow_create(memory, BYTES, true);
    shadow_set_written(s, memory, BYTES, false); /* has no effect: there is nothing to know */
    ck_assert_uint_eq(shadow_written(s, memory, BYTES), BYTES);
    shadow_release(s);
}

/* A copy of a cell. */
static struct shadow_cell cell_of(const struct shadow *s, size_t i, uint32_t oldest) {
    struct shadow_cell copy;
    return *shadow_cell(s, i, oldest, &copy);
}

TEST(words_until_a_byte_is_touched) {
    struct shadow *s = shadow_create(memory, 64, true);
    size_t first, count;
    ck_assert(shadow_cells(s, memory + 8, 16, &first, &count));
    ck_assert_uint_eq(count, 4);
    shadow_set_cell(s, first + 1, 1, &(struct shadow_cell){.write.segment = 5});
    shadow_set_cell(s, first + 2, 1, &(struct shadow_cell){.reads[0].segment = 6});
    /* inside what was written: memory + 12 .. 15 */
    ck_assert(shadow_cells(s, memory + 13, 1, &first, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(cell_of(s, first, 1).write.segment, 5);
    ck_assert(shadow_cells(s, memory + 8, 16, &first, &count));
    ck_assert_uint_eq(count, 16);
    for (unsigned i = 0; i < 16; i++) {
        const struct shadow_cell cell = cell_of(s, first + i, 1);
        ck_assert_uint_eq(cell.write.segment, i / 4 == 1 ? 5 : 0);
        ck_assert_uint_eq(cell.reads[0].segment, i / 4 == 2 ? 6 : 0);
    }
    ck_assert_uint_eq(cell_of(s, first + 4, 6).write.segment, 0); /* older than that */
    shadow_release(s);
}

TEST(a_wide_access_whose_first_word_unpacks_the_cells) {
    static _Alignas(16) char large[1 << 17];
    struct shadow *s = shadow_create(large, sizeof large, true);
    race_launch();
    race_forget_forms();
    race_block();
    race_thread(0);
    *check_site_of(large) = (struct check_site){.from = large, .size = sizeof large, .shadow = s};
    const char *at = large;
    bool done = true;
    for (uint32_t pc = 1; s->packed && at < large + sizeof large; pc++, at += 16) {
        done = check_quick(at, 16, false, large, pc, false); /* a new form, of four words */
        ck_assert(done == (s->packed != NULL));
    }
    ck_assert(!done);
    ck_assert(check_quick(at - 16, 16, false, large, 7, false));
    for (size_t i = 0; i < 4; i++) {
        ck_assert_uint_eq(s->cells[(size_t)(at - 16 - large) / 4 + i].reads[0].segment,
                          race_time.segment);
    }
    shadow_release(s);
}

/* Random cells come back as they were set: of few forms, and of too many to be numbered. */
static void come_back(unsigned distances, bool packed) {
    enum { CELLS = 60000 };
    static char large[4 * CELLS];
    static struct shadow_cell model[CELLS];
    struct shadow *s = shadow_create(large, sizeof large, true);
    memset(model, 0, sizeof model);
    shadow_forget_forms();
    for (uint32_t now = 1; now < 4 * CELLS; now++) {
        const unsigned i = random_below(CELLS), past = random_below(distances);
        const struct shadow_event event = {now > past ? now - past : 0, now > past ? 7 + i % 3 : 0};
        struct shadow_event *events[] = {&model[i].write, &model[i].older, &model[i].reads[0],
                                         &model[i].reads[1], &model[i].reads[2]};
        const struct shadow_cell nothing = {0};
        model[i] = now % 2 ? nothing : model[i];
        *events[random_below(5)] = event;
        model[i].reads[0] = (struct shadow_event){now, 3};
        if (distances < 100) { /* all relative to now */
            model[i] = nothing;
            *events[random_below(5)] = event;
        }
        shadow_set_cell(s, i, 1, &model[i]);
    }
    for (size_t i = 0; i < CELLS; i++) {
        const struct shadow_cell cell = cell_of(s, i, 1);
        ck_assert_int_eq(memcmp(&cell, &model[i], sizeof cell), 0);
    }
    ck_assert_int_eq(s->packed != NULL, packed);
    shadow_release(s);
}

TEST(cells_come_back) {
    come_back(50, true);
    come_back(100000, false);
}

enum { WORDS = 8, SITES = 6 };

/* Instruction `site` accesses a word, or two, of an array that one block, or each one, can access.
 * `again`: what it did last may tell the outcome. Returns whether it did. */
static bool access_words(struct shadow *s, unsigned site, unsigned word, bool one_block,
                         bool again) {
    static const char instructions[2][2][SITES];
    const char *pc = &instructions[one_block][again][site], *at = s->base + 4 * word;
    const bool store = site % 2, wide = site >= 4;
    const uint32_t settled = one_block ? race_time.barrier_first : race_time.launch_first;
    struct check_site *it = check_site_of(pc);
    if (it->shadow != s) {
        *it = (struct check_site){
            .from = s->base, .size = s->bytes, .shadow = s, .one_block = one_block};
    }
    if (again && (wide ? check_again(at, 8, store, pc) : check_again(at, 4, store, pc))) {
        return true;
    }
    if (wide ? check_quick(at, 8, store, pc, site + 1, true) ||
                   check_quick(at, 8, store, pc, site + 1, false)
             : check_quick(at, 4, store, pc, site + 1, true) ||
                   check_quick(at, 4, store, pc, site + 1, false)) {
        return false;
    }
    race_time.moment++; /* as check_access() does */
    for (unsigned i = word; i < word + 1 + wide; i++) {
        struct shadow_cell copy, *cell = shadow_cell(s, i, settled, &copy);
        race_access(cell, 1, store ? RACE_STORE : RACE_LOAD, site + 1, one_block);
        shadow_set_cell(s, i, settled, cell);
    }
    return false;
}

static void ck_same_when_repeated(bool one_block) {
    static _Alignas(8) char arrays[2][4 * WORDS];
    struct shadow *s[2];
    for (unsigned k = 0; k < 2; k++) {
        s[k] = shadow_create(arrays[k], sizeof arrays[k], true);
    }
    unsigned repeated = 0, first = 0;
    for (unsigned step = 0; step < 200000; step++) {
        if (step % 16 == 0) { /* another thread goes on, with two instructions */
            const unsigned what = step ? random_below(8) : 0;
            if (what == 0) {
                race_launch();
                race_forget_forms();
                race_block();
            } else if (what <= 5) {
                race_barrier();
            }
            race_thread(random_below(70));
            first = random_below(SITES - 1);
        }
        const unsigned site = first + random_below(2), word = random_below(WORDS / 2) * 2;
        const uint32_t quiet = race_time.quiet;
        repeated += access_words(s[1], site, word, one_block, true);
        race_time.quiet = quiet; /* the other one finds its races itself */
        access_words(s[0], site, word, one_block, false);
        for (unsigned i = word; i < word + 2; i++) {
            const struct shadow_cell a = cell_of(s[0], i, race_time.launch_first);
            const struct shadow_cell b = cell_of(s[1], i, race_time.launch_first);
            ck_assert_mem_eq(&a, &b, sizeof a);
        }
    }
    ck_assert_uint_gt(repeated, 1000);
    shadow_release(s[0]);
    shadow_release(s[1]);
}

TEST(a_repeated_instruction_changes_what_it_would_without_the_short_cut) {
    ck_same_when_repeated(false);
    ck_same_when_repeated(true);
}

SUITE("sim: shadow")
