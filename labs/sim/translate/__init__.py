"""Translates CUDA C++ for g++ and the simulator's cuda_runtime.h.

g++ preprocesses the file, with the flags that will compile it. In what remains, four constructs
are not C++: a launch, a variable in a memory space, the qualifiers of functions, and #pragma
unroll. They are rewritten in the program's own text; headers of the system and of the simulator are
not looked at. Every edit stays on its line, and the preprocessor's line markers stay, so that
compilers and findings show the program's own files and lines. What the simulator does not support
is refused by name, in the format of g++: NAME:LINE:COLUMN: error: MESSAGE, with exit status 1.

reader/ is the one front end: all others ask its `Program`, and edit that. checks/ refuses and
warns; host/ edits launches and calls of the runtime API, device/ variables, qualifiers and
arithmetic; watch/ adds checks for what a device would not do; control_flow/ marks loops and
branches, as loops/ and loads/ say that nvcc compiles them. machine_accesses.py is a program of its
own, for assembly.
"""
