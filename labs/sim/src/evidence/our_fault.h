/* How a program of the course ends when the course, not the student, is at fault. */
#pragma once

/* Prints "runner: " and the message on stderr, for whoever runs the program by hand, writes it to
 * the evidence (evidence/evidence.h), and ends the process with status 2. Before the student's code
 * was called, the grader reports an error of its own and takes no points. After that, the student's
 * code may be the reason, such as memory that it has used up: then it is the student's. */
__attribute__((format(printf, 1, 2), noreturn)) void our_fault(const char *format, ...);

/* The same for a file that cannot be written: never the student's fault. */
__attribute__((format(printf, 1, 2), noreturn)) void disk_fault(const char *format, ...);
