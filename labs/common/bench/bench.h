/* The timing program: one process times the student's functions, the baseline's and the
 * reference's.
 *
 *   bench --student FILE.so [--baseline FILE.so] [--reference FILE.so]
 *         --part A --image TYPE:ROWSxELEMENTS [--mask FILE.npy] [--border zero|replicate]
 *         --output PLANESxHEIGHTxWIDTHxBYTES [--threads N] [--rounds N] [--seconds S] [--seed N]
 *         [--baseline-every N] [--only student|reference] [--bands FILE] [--judge FD] --status FILE
 *
 * TYPE is u1, f4 or f8, ROWS are those of all channels together; BYTES are those of an element of
 * the output. Other options are the lab's: bench_option().
 *
 * Each of the three is a shared object of its own, opened with RTLD_LOCAL: all define functions of
 * the same names, none sees another's, and none can take the place of the clock, which is bound
 * before any of them is opened.
 *
 * A round calls student, baseline, reference and again the reference (the baseline, where there is
 * no reference), each on the round's input and a poisoned output; the next one begins with the
 * next. The input of a round is noise with a key of its own, fresh_mix(round, seed) of fresh.h:
 * what was computed for one input is of no use for another. The first rounds warm up, on further
 * inputs, and are not reported. Rounds go on for --seconds or to --rounds, whichever comes first,
 * at least one.
 * --only times one of them alone, for a clock outside to confirm, and needs no other.
 *
 * After each call of the student's function the bench chooses BENCH_BAND rows of a plane of the
 * output at random, and appends to --bands: the round, the plane and the first row, all int32, then
 * the rows.
 * --judge is a socket, for one that is timed alone. The judge sends the key of a round's input,
 * uint32, when it has had the round before. After the call the bench sends it the sums of all rows
 * of the output (fresh_sums(), uint32), gets a plane and a first row, int32, and sends BENCH_BAND
 * rows. So the call's output was there, whole, before anybody knew what would be looked at.
 *
 * The status file is written last, one line of JSON:
 *   {"completed":true,"returned":0,"error":"","rounds":[[student,baseline,reference,again],...],
 *    "quiet":[[wall,busy],...],"copy_ns":0,"mac_rate":0}
 * Times are nanoseconds of a call, 0 for what the round left out. With several threads the
 * calibration kernel runs before each call and after the last; `quiet` has the worst of each round.
 *
 * Exit status as the runner's: 2, and "runner: " and why on stderr, when something of ours failed.
 */
#ifndef CONVLABS_BENCH_H
#define CONVLABS_BENCH_H

#include "border.h"
#include "noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_BAND = 8, BENCH_FUNCTIONS = 2 };

/* What is timed. Pointers of the host, but for d_mask. Arrays have the types of the lab's
 * functions. */
struct bench_job {
    const char *part;
    const void *mask;   /* NULL where there is none */
    const void *d_mask; /* the mask in the memory where the images are */
    enum fresh_kind kind;
    size_t image_count, image_bytes, mask_bytes, out_bytes; /* image_count: its elements */
    int image_rows;                                         /* of all its channels together */
    int planes, height, width;                              /* of the output */
    size_t element;                                         /* bytes of one of its elements */
    int radius;
    bool bank;   /* the mask is one of several */
    int threads; /* 1: processor time counts; more: time on the wall */
    enum border border;
    int argc; /* the command line */
    char **argv;
};

typedef void bench_function(void); /* cast to its type by the lab's speed.c */

/* The functions of one of the three, in the order of lab_functions(). */
struct bench_side {
    bool baseline;
    bench_function *function[BENCH_FUNCTIONS];
};

/* What stands behind that option of the command line. */
const char *bench_option(const struct bench_job *job, const char *name, const char *otherwise);

/* ---- each lab's speed.c defines these */

/* The names of the functions of a part, BENCH_FUNCTIONS of them, NULL for none; all NULL when the
 * part has none to time. */
const char *const *lab_functions(const char *part, bool baseline);

/* Before the side's calls, not timed. Returns 0 or the function's error. */
int lab_prepare(const struct bench_side *side, const struct bench_job *job);

/* The call that is timed. d_image and d_out are where the lab's images are: host or device. */
int lab_call(const struct bench_side *side, const struct bench_job *job, const void *d_image,
             void *d_out);

/* ---- where the images are: bench_cpu.c or bench_gpu.cu */

/* Slots of an input and an output each. Returns 0 or an error; sets job->d_mask. */
int place_open(struct bench_job *job);

/* How many slots there are. With several, a slot comes round again when the caches have long
 * forgotten it. */
int place_slots(void);

/* Rounds of warming up. */
int place_warm_up(void);

/* Fills the slot's input with the noise of that key, its output with 0xff bytes. */
int place_fill(int slot, const struct bench_job *job, uint32_t key);

/* Makes the call on the slot and waits for it. The time goes to *ns. Returns its error. */
int place_time(int slot, const struct bench_side *side, const struct bench_job *job, double *ns);

/* A part of the slot's output, to the host. */
int place_fetch(int slot, size_t first_byte, size_t bytes, void *to);

/* The sums of all rows of the slot's output, to the host. */
int place_sums(int slot, const struct bench_job *job, uint32_t *sums);

/* The time that it takes to read as many bytes as the image has and to write as many as the output
 * has, and the multiply-adds of floats in a second, of all threads together. */
int place_limits(const struct bench_job *job, double *copy_ns, double *mac_rate);

/* A name for an error of the functions above or of lab_call(). */
const char *place_error(int returned);

#ifdef __cplusplus
}
#endif

#endif
