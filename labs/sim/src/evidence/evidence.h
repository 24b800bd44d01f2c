/* What the course's own code reports of a run, by a channel that a submission cannot write to.
 *
 * The grader gives each run a file in memory, whose descriptor is in CONVLABS_EVIDENCE and which
 * begins with a key. Before any code of a submission runs, the key is read and wiped, and so is the
 * environment. Every report is then one frame:
 *
 *     kind, 1 byte | number, 4 bytes | length, 4 bytes | text | code, 16 bytes
 *
 * Numbers begin with 0 and are, like lengths, little-endian; the code authenticates all before it
 * (blake2s.h). grader/execute/evidence.py reads the frames. In a program that nobody grades, the
 * variable is not set and nothing is written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum evidence_kind {
    EVIDENCE_BEGIN = 'B',        /* the first frame: the program has started */
    EVIDENCE_CALL = 'C',         /* the student's code is called from now on */
    EVIDENCE_STATUS = 'S',       /* of a case or a step: JSON */
    EVIDENCE_FINDING = 'F',      /* JSON, as grader/model/finding.py reads it */
    EVIDENCE_PROFILE = 'P',      /* the counters of a launch: JSON */
    EVIDENCE_STEPS = 'R',        /* recorded accesses: lines of JSON */
    EVIDENCE_ACCESS = 'A',       /* accesses of a function in C: lines of JSON */
    EVIDENCE_TEAM = 'T',         /* what OpenMP's threads did: JSON */
    EVIDENCE_INSTRUCTIONS = 'I', /* those that were counted: JSON */
    EVIDENCE_LEAK = 'L',         /* LeakSanitizer's report is on stderr */
    EVIDENCE_FAULT = 'X',        /* the course's code cannot go on: a sentence */
    EVIDENCE_DISK = 'D',         /* it cannot, because a file cannot be written: a sentence */
    EVIDENCE_END = 'E',          /* the last frame: the run is complete */
};

enum { EVIDENCE_MOST = 4 << 20 }; /* bytes of all frames */

/* Is this run graded? */
bool evidence_is_open(void);

/* Writes a frame. Threads and signal handlers may call it. Returns false when the run is not graded
 * or the frames are full; then no frame follows, so that what is missing is noticed. */
bool evidence_write(enum evidence_kind kind, const char *text, size_t length);

/* How many bytes of frames can follow; in a run that nobody grades, EVIDENCE_MOST. */
size_t evidence_left(void);

/* Registers what a part of the runtime reports when a graded run ends; 16 functions at most. The
 * last one that was registered is called first. */
void evidence_at_end(void (*report)(void));

/* Ends a graded run: calls what is registered, writes EVIDENCE_END and ends the process, without
 * running anything that the student's code may have registered. Returns in all other runs. */
void evidence_end(void);
