# grayscale.c is compiled for any x86-64 processor and without gcc's vectoriser: what is a vector in
# it, the student wrote. A function that needs more than SSE2 says so, __attribute__((target(...))),
# and the program still runs on a processor that has no AVX2.
STUDENT_CFLAGS := -std=gnu11 -O3 $(if $(filter x86_64,$(shell uname -m)),-march=x86-64) \
                  -fno-tree-vectorize -fno-tree-slp-vectorize -fopenmp -g1 $(INIT) $(STUDENT_WARN)
