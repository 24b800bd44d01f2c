/* Many calls of a lab's functions in one process: the steps of a sequence.
 *
 *   run --steps FILE --data FILE --results FILE [--status FILE] [--then ...]
 *
 * The steps file has a line for each of these, its words separated by one space:
 *
 *   step PART                        begins a step: one lab_run()
 *   set NAME VALUE                   a setting for the driver; VALUE may have spaces
 *   in NAME TYPE SHAPE OFFSET        an input: bytes of the data file, such as `in image f4 3x5 0`
 *   out NAME TYPE SHAPE OFFSET       an output, and where its bytes go in the results file
 *   place end|start end|start        where inputs and where outputs lie between their forbidden
 *                                    pages (fence.h)
 *   align BYTES                      the alignment of an array that lies at the end; else that of
 *                                    its elements
 *   shift BYTES                      an array that lies at the start begins so many bytes after it:
 *                                    a power of 2
 *   read-only                        a write to an input faults; else inputs are compared
 *                                    afterwards
 *   hold                             arrays, of the host and of the device, stay for the next step,
 *                                    which gets them again where name and size are the same
 *   fail CALL ERROR                  call number CALL of the CUDA runtime, or the first launch
 *                                    where CALL is `launch`, returns this error code (simulator
 *                                    only)
 *   count                            the status has the calls of the CUDA runtime (simulator only)
 *   shared BYTES                     the device allows a block that much shared memory (simulator
 *                                    only)
 *
 * As a step ends, its outputs are written, and its status is reported (runner.h), one line of JSON:
 *   {"step":0,"returned":0,"error":"","guards":"intact","changed":"","failed_call":"",
 *    "failed_line":0,"left":""}
 * `returned`, `error` and `guards` are those of runner.h; `changed` names an input that the call
 * changed, `left` says what the call left behind. A step that faults at a forbidden page gets
 *   {"step":0,"fault":"read past the end of image"}
 * and the process then ends by that signal.
 */
#pragma once

/* Runs the steps; each file is one of the options above; `status` may be NULL, and with "-" for
 * `results` no output is kept. Ends the process
 * with our_fault() for a file that cannot be read or written, and for a line that is none of the
 * above. */
void run_steps(const char *steps, const char *data, const char *results, const char *status);
