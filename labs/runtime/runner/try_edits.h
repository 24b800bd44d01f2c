/* Tries hundreds of edits of a student's file in one process: grader/correction/ has built them
 * into one program, where `convlabs_edit` selects one. */
#pragma once

struct runner;

/* Runs the case once for each edit of `list` ("0,4,17"), in a child of its own, `places` at a time,
 * and prints the numbers of those with the right result: every element of the only output is within
 * `bound` of `value`, both .npy files of f8. A child that computes for 0.4 s,
 * or much longer than the program without an edit, is stopped. */
void try_edits(struct runner *r, const char *list, const char *value_path, const char *bound_path,
               int places);
