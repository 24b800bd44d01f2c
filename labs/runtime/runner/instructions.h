/* Which instructions a student's function executes, for a check that asks for those of SSE or of
 * AVX. It runs one instruction at a time: the processor's trap flag raises SIGTRAP after each.
 *
 * When the environment has CONVLABS_INSTRUCTIONS, the evidence (evidence/evidence.h) says what was
 * seen between instructions_begin() and instructions_end():
 *
 *   {"stepped":8123,"gave_up":false,
 *    "sites":[{"pc":4711,"executed":64},...]}
 *
 * stepped: instructions of the program itself, without those of the C library, which chooses its
 * own for the processor. gave_up: the libraries took so many instructions that the rest was not
 * watched. sites: the instructions, by their addresses in the program's file, which tells the
 * grader what they are (grader/execute/instructions.py). The calling thread is watched until
 * INSTRUCTIONS_MOST were stepped: a step takes up to 25 microseconds, and a loop shows all its
 * instructions early. With a large array to guard, less is watched at first; later any thread is,
 * from the moment when it comes to one of a few pages of the array, which are chosen at random. So
 * a function cannot do its work behind its first instructions, behind a long call of a library, or
 * in another thread.
 *
 * Without the variable, and on other processors than x86-64, both functions do nothing.
 *
 * The timing program watches a function of a shared object in some of its calls, from a random
 * moment on: a function could be another one in later calls, or behind its first instructions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { INSTRUCTIONS_MOST = 8000, INSTRUCTIONS_MOST_ELSEWHERE = 60000, INSTRUCTIONS_SAMPLED = 125 };

/* Reads the variable again, for a test that has changed its environment. */
void instructions_read_option(void);

/* `read`: an array of `bytes` bytes that the function reads, or NULL. */
void instructions_begin(const void *read, size_t bytes);
void instructions_end(void);

/* Instead of instructions_end(): after the first call, then after each that it asks for by
 * returning true. They are watched as by instructions_sample(). */
bool instructions_again(const void *function);

/* Watches INSTRUCTIONS_SAMPLED instructions of the object that has `function`, those that the next
 * call executes `after` microseconds from now. Whether the environment asks for it or not. */
void instructions_sample(const void *function, long after);

/* Ends what instructions_sample() began. Returns whether the call was seen. */
bool instructions_sampled(void);

/* Reports all samples. */
void instructions_report(void);
