/* The runner: a process runs one case, or the steps of a sequence (steps.h), or several of these
 * one after the other, with --then between them: a process that uses a GPU takes 0.3 s to begin.
 *
 * It reads the inputs, calls the student's functions through the lab's driver and writes the raw
 * outputs. It does not judge them: the grader does, in another process.
 *
 *   run --part A --in image=FILE.npy --in mask=FILE.npy --set border=zero
 *       --out out=FILE.raw:f4:61x97 [--status FILE]
 *
 * Inputs are .npy files, or .png/.pgm/.ppm pictures, which become float32 luminance in 0..1. After
 * --repeat image=4096x4096 the elements of the input `image` come again and again to fill that
 * shape. An output's type is f4, f8, u1 or i4; its sides are those of a .npy shape, slowest first.
 *
 * Before the call an output is filled with 0xff bytes, or with signalling NaNs where its type is f4
 * or f8, and lies between two guard zones of 4096 bytes. After the call it is written raw, or as a
 * post-processed picture when its file ends in .png. An output whose file is - is wanted by nobody:
 * it is not filled, and drivers need not copy it from the device.
 *
 * The status of a case is reported last, to the evidence (evidence/evidence.h) and, for whoever
 * runs it by hand, to the status file: one line of JSON
 *   {"completed":true,"returned":0,"error":"","outputs":[{"name":"out","guards":"intact"}]}
 * where `returned` and `error` are those of the first runner_fail(), and `guards` says "intact",
 * "written before", "written after" or "written before and after". On the simulator it has the
 * calls of the CUDA runtime that can fail, and where they are: name, line, numbers of the first and
 * last, "calls":7,"sites":[["cudaMalloc",41,1,3],["launch",52,4,4],...] No other files are written;
 * links and pipes are refused.
 *
 * Exit status: 0 when the student's functions returned, whatever they returned; 2 for a usage or
 * input error or a file that cannot be written (our_fault.h).
 */
#pragma once

#include "border.h"
#include "io/npy.h"
#include "io/repeated.h"

#include <stdbool.h>

struct runner;

enum { RUNNER_REJECTED = -1 }; /* what the student's function did is no error code of its own */

/* The input of that name. Ends the process with status 2 and a message when there is none or when
 * its element type is not `type` (such as "<f4"; NULL: any). Owned by the runner. */
const struct npy *runner_input(const struct runner *r, const char *name, const char *type);

/* How the input with that data repeats its rows; NULL where it does not. */
const struct repeated *runner_repeated(const struct runner *r, const void *data);

/* Is an output written to a file? */
bool runner_keeps_output(const struct runner *r);

/* The value of `--set name=value`, or `otherwise` when it was not given. */
const char *runner_setting(const struct runner *r, const char *name, const char *otherwise);

/* The poisoned buffer of `--out name=...`, aligned to 4096 bytes; ends the process with status 2
 * when there is none or when it is not `bytes` long. */
void *runner_output(struct runner *r, const char *name, size_t bytes);

/* Fills memory with what an output of that many bytes holds before the call. */
void runner_fill_unwritten(const struct runner *r, void *memory, size_t bytes);

/* "A", "B", ..., or "baseline". */
const char *runner_part(const struct runner *r);

/* Ends the process with status 2: the lab has no such part. */
__attribute__((noreturn)) void runner_no_such_part(const struct runner *r);

/* The setting `border`: zero (also where it was not given) or replicate. */
enum border runner_border(const struct runner *r);

/* The case failed. `returned` is the student's error code or RUNNER_REJECTED, never 0; the message,
 * for the student, is one sentence that names the function and what it returned or did. Only the
 * first failure of a case counts. */
__attribute__((format(printf, 3, 4))) void runner_fail(struct runner *r, int returned,
                                                       const char *format, ...);
bool runner_failed(const struct runner *r);

/* For device_case.c, in a step of a sequence. Do its buffers stay for the next step? */
bool runner_holds(const struct runner *r);

/* The number, from 1, of the call of the CUDA runtime that is to fail with *error; 0: none, and
 * RUNNER_FIRST_LAUNCH. */
enum { RUNNER_FIRST_LAUNCH = -1 };
int runner_failing_call(const struct runner *r, int *error);

/* The student's code is called next. A driver says so before the first call: what goes wrong from
 * then on may be the student's fault (our_fault.h). */
void runner_calls_student(void);

/* How many calls of the CUDA runtime the student's function has made; then each place where, with
 * the numbers of its first and its last call. */
void runner_note_calls(struct runner *r, int calls);
void runner_note_site(struct runner *r, const char *name, int line, int first, int last);

/* The call that failed, a string constant, and its line; 0: not known. */
void runner_note_failed_call(struct runner *r, const char *name, int line);

/* The student's function has returned an error and changed the input of that name, a string
 * constant. */
void runner_note_changed(struct runner *r, const char *input);

/* The student's function works on device memory, and the host has been able to see that many bytes
 * of what is there: copied, or in managed and page-locked memory. */
void runner_note_seen(struct runner *r, size_t bytes);

/* The student's function works on memory of the host, and that many bytes of its input were not
 * copied to the device as they are. */
void runner_note_not_copied(struct runner *r, size_t bytes);

/* What the student's function left behind, such as "1 stream". */
__attribute__((format(printf, 2, 3))) void runner_note_left(struct runner *r, const char *format,
                                                            ...);

/* Each lab's driver.c defines this: it calls the student's functions for one case. */
void lab_run(struct runner *r);
