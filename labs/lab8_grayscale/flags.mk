# grayscale.c is compiled for any x86-64 processor and without gcc's vectorizer, so that all vector
# code in it was written by the student. A function that needs more than SSE2 is marked with
# __attribute__((target(...))), and the program still runs on a processor without AVX2.
STUDENT_CFLAGS := -std=gnu11 -O3 $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),-march=x86-64) \
                  -fno-tree-vectorize -fno-tree-loop-vectorize -fno-tree-slp-vectorize \
                  -fopenmp -g1 $(INIT) $(STUDENT_WARN)
