/* The timing program: one process times the student's functions, the baseline's and the
 * reference's.
 *
 *   bench --student FILE.so [--baseline FILE.so] [--reference FILE.so]
 *         --part A --image TYPE:ROWSxELEMENTS [--mask FILE.npy] [--border zero|replicate]
 *         --output PLANESxHEIGHTxWIDTHxBYTES [--threads N] [--rounds N] [--seconds S] [--seed N]
 *         [--enough N --enough-seconds S] [--baseline-every N] [--only student|reference]
 *         [--row-samples FILE] [--verifier FD] [--watch 1] [--status FILE]
 *
 * TYPE is u1, f4 or f8, ROWS counts the rows of all channels; BYTES is the size of an element of
 * the output. Other options belong to the lab: bench_option().
 *
 * Each of the three is a shared object, opened with RTLD_LOCAL. They define functions of the same
 * names, but none sees another's, and none can replace the clock, which is bound before any of them
 * is opened.
 *
 * A round calls student, baseline, reference and the reference again (the baseline again, where
 * there is no reference), each on the round's input and a poisoned output. Each round starts with
 * the next of them. The input of a round is noise with its own key, noise_mix(round, seed) of
 * timed_inputs.h, so a result for one input is of no use for another. The first rounds warm up, on
 * other inputs, and are not reported. Rounds go on for --seconds or up to --rounds, whichever ends
 * first; there is at least one. --enough rounds in at least --enough-seconds end it as well.
 * --only times one of the three alone, and opens no other, so that a clock outside can confirm it.
 *
 * --row-samples: after each call of the student's function the bench chooses BENCH_SAMPLE_ROWS rows
 * of one plane of the output at random and appends them to that file: the round, the plane and the
 * first row, all int32, then the rows.
 * --verifier: a socket to a verifier, for a function that is timed alone. The verifier sends the
 * key of a round's input, uint32, once the round before is complete. After the call the bench sends
 * the sums of all rows of the output (noise_row_sums(), uint32), receives a plane and a first row,
 * int32, and sends BENCH_SAMPLE_ROWS rows. So the whole output existed before the program could
 * know which rows are checked.
 *
 * --watch: in some further calls of the student's function, at random moments of the rounds, some
 * of its instructions are watched, from a random one on (runner/instructions.h), and reported.
 *
 * The status is reported last, to the evidence (evidence/evidence.h) and, for whoever runs it by
 * hand, to the status file: one line of JSON
 *   {"completed":true,"returned":0,"error":"","rounds":[[student,baseline,reference,again],...],
 *    "quiet":[[wall,busy],...],"copy_ns":0,"mac_rate":0}
 * `error` says which function returned what, where `returned` is not 0. Times are nanoseconds of a
 * call, 0 for a side that did not take part in the round. With several threads the calibration
 * kernel runs before each call and after the last; `quiet` has the slowest of each round.
 *
 * Exit status as the runner's: 2 for a fault of the course, with "runner: " and the reason on
 * stderr.
 */
#pragma once

#include "border.h"
#include "timed_inputs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_SAMPLE_ROWS = 8, BENCH_FUNCTIONS = 2 };

/* Before the names in an object of the course's solution, which a student's copy has in place of
 * the source: a student's file that calls or defines such a function does not meet ours. */
#define BENCH_PREFIX "convlabs_reference_"

/* What is timed. All pointers but d_mask are to the host's memory. Arrays have the types of the
 * lab's functions. */
struct bench_job {
    const char *part;
    const void *mask;   /* NULL where there is none */
    const void *d_mask; /* the mask in the memory where the images are */
    enum noise_kind kind;
    size_t image_count, image_bytes, mask_bytes, out_bytes; /* image_count: in elements */
    int image_rows;                                         /* of all channels together */
    int planes, height, width;                              /* of the output */
    size_t element;                                         /* bytes of an element of the output */
    int radius;
    bool bank;   /* the mask is one of several */
    int threads; /* 1: processor time counts; more: wall-clock time */
    enum border border;
    int argc; /* the command line */
    char **argv;
};

typedef void bench_function(void); /* cast to its type by the lab's speed.c */

/* The functions of student, baseline or reference, in the order of the part's names. */
struct bench_side {
    bool baseline;
    const char *const *names;
    bench_function *function[BENCH_FUNCTIONS];
};

/* The value of that option of the command line, or `otherwise` when it was not given. */
const char *bench_option(const struct bench_job *job, const char *name, const char *otherwise);

/* ---- each lab's speed.c defines these */

/* A part that is timed, and the names of its functions in a submission and in the baseline: the
 * timed one first, then one that lab_prepare() calls, NULL for none. All are NULL where a side
 * takes no part. element: the bytes of an element of the output that they compute; 0: of any. */
struct bench_part {
    const char *part;
    const char *names[2][BENCH_FUNCTIONS]; /* of the submission, of the baseline */
    size_t element;
};
extern const struct bench_part lab_parts[]; /* the last has no name */

/* Calls what comes before the timed calls, and is not timed: the last of the side's functions,
 * where it has more than one. Returns 0 or that function's error. A lab with nothing to call before
 * does not define it. */
int lab_prepare(const struct bench_side *side, const struct bench_job *job);

/* The timed call, of the side's first function. d_image and d_out are in the memory that the
 * platform works on: the host's or the device's. Returns 0 or the function's error. */
int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out);

/* ---- the platform, which holds the images: bench_cpu.c or bench_gpu.cu */

/* Allocates slots, each with an input and an output. Returns 0 or an error; sets job->d_mask. */
int platform_open(struct bench_job *job);

/* How many slots there are. With several, a slot is no longer in any cache when it is used again.
 */
int platform_slots(void);

/* How many rounds warm up. */
int platform_warm_up(void);

/* Fills the slot's input with the noise of that key, its output with 0xff bytes. */
int platform_fill(int slot, const struct bench_job *job, uint32_t key);

/* The clock of platform_time() and of --seconds: on a CPU, one thread counts processor time, so
 * that other programs take nothing from the rounds; anything else counts wall-clock time. */
uint64_t platform_clock_ns(const struct bench_job *job);

/* Makes the call on the slot, waits until it is complete and writes its time to *ns. Returns 0 or
 * an error: the function's, or of a kernel that it launched. */
int platform_time(int slot, const struct bench_side *side, const struct bench_job *job, double *ns);

/* Copies a part of the slot's output to the host. */
int platform_fetch(int slot, size_t first_byte, size_t bytes, void *to);

/* Computes the sums of all rows of the slot's output (timed_inputs.h) and copies them to the host.
 */
int platform_sums(int slot, const struct bench_job *job, uint32_t *sums);

/* Measures what no function can beat: the time to read as many bytes as the image has and to write
 * as many as the output has, and the multiply-adds per second of all threads together: on a GPU,
 * those of doubles where the image has doubles, else those of floats. */
int platform_limits(const struct bench_job *job, double *copy_ns, double *mac_rate);

/* The name of an error of the functions above or of lab_call(). */
const char *platform_error(int returned);

#ifdef __cplusplus
}
#endif
