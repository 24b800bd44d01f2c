# How a CUDA program becomes one of g++ and the simulator: the flags, and the commands that translate
# and compile it. Included by Makefile beside this file and by the course's Makefile; both say CC, CXX
# and PYTHON.
SIM := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

# An uninitialised local gets a fixed wrong value (on a GPU it has whatever the register held), so that
# a forgotten `sum = 0` cannot pass by luck.
# gcc 11 has no such flag, which must cost nobody points: there a forgotten `sum = 0` is left to luck.
INIT := $(if $(filter-out 11,$(firstword $(subst ., ,$(shell $(CC) -dumpversion)))),-ftrivial-auto-var-init=pattern)
# If the CPU can, a*b+c is contracted to one rounding, as nvcc does by default (--fmad=true).
FMA := $(shell grep -qsw -m1 fma /proc/cpuinfo && echo -mfma)
STUDENT_WARN := -Wall -Wextra -Wno-unknown-pragmas
# Small headers of the toolkit are other names of ours: labs/sim/include/header.gcc lists them.
REMAP := -remap
# Each function in a section of its own: what a part of a lab runs can be told from the rest
# (grader/compile/part_code.py).
APART := -ffunction-sections
# nvcc takes no advantage of what C++ leaves undefined here, and programs rely on it: 16 bytes are
# loaded as a float4 and used in place as halves, an index wraps around, a null pointer has fields.
AS_NVCC := -fno-strict-aliasing -fno-delete-null-pointer-checks -fno-aggressive-loop-optimizations
# A function may end without a `return`, and its caller goes on (translate/watch/missing_returns.py).
AS_NVCC += -fsanitize=unreachable -fno-sanitize=return -fsanitize-undefined-trap-on-error
# The lines of instructions are enough: where each statement begins, debuggers ask, and it is two
# lines of three that the assembler would read.
LINES := -g1 -gdwarf-4 -gno-statement-frontiers
# -O1, and the parts of -O2 that contraction and short helpers need: as fast as -O2, and it builds in
# half the time. In a kernel `new` gives NULL when the heap is full (-fcheck-new).
SIM_CXXFLAGS   := -std=c++17 $(REMAP) $(AS_NVCC) -O1 -fexpensive-optimizations -finline-small-functions $(LINES) \
                  -fcheck-new -ffp-contract=fast $(FMA) $(INIT) -pthread $(APART) $(STUDENT_WARN)
# A traced program reports every access of its kernels (labs/sim/src/trace), and where in the source
# its lanes are (labs/sim/include/sim/marks.h). The -fno flags keep g++ from changing accesses where
# nvcc does not, and from copying code or sharing it between the arms of a branch. As nvcc does,
# g++ inlines all functions of the device: it does not report the store of `s_tile[i] = function()`
# when the function returns a struct and is called. The last four lines, and -g1, only save time,
# half of what lab 4 takes: what they turn off comes after the accesses are reported.
# g++ 13 and later would align a frame for stores of 32 bytes: of a frame with a frame pointer
# labs/sim/translate/machine_accesses.py does not know what is in it, and checks each spilled variable.
FRAMES := $(and $(FMA),$(INIT),-mmove-max=128 -mstore-max=128)
# g++ makes stores of the calls of WRITES_TEXT whose text is constant, and does not report them.
WRITES_TEXT := strcpy stpcpy strncpy stpncpy strcat strncat sprintf snprintf vsprintf vsnprintf mempcpy
TRACE_CXXFLAGS := -std=c++17 $(REMAP) $(AS_NVCC) -O2 $(LINES) -fcheck-new -ffp-contract=fast $(FMA) $(INIT) -pthread \
                  -w $(APART) $(FRAMES) \
                  -fno-tree-sra -fno-tree-vectorize -fno-tree-slp-vectorize \
                  -finline-limit=20000 --param inline-unit-growth=1000 \
                  --param max-inline-recursive-depth=0 --param max-inline-recursive-depth-auto=0 \
                  --param large-function-growth=1000 \
                  -fno-optimize-sibling-calls -fno-thread-jumps -fno-tree-tail-merge \
                  -fno-crossjumping -freorder-blocks-algorithm=simple -fno-tree-pre \
                  -fno-code-hoisting -fno-tree-sink -fno-store-merging -fsanitize=thread \
                  --param tsan-instrument-func-entry-exit=0 --param tsan-distinguish-volatile=1 \
                  $(addprefix -fno-builtin-,$(WRITES_TEXT)) \
                  -fno-schedule-insns2 -fno-var-tracking -fno-var-tracking-assignments -fno-dse -fno-gcse \
                  -fno-cprop-registers -fno-ree -fno-peephole2 -fno-split-wide-types -fno-ipa-ra \
                  -fno-move-loop-invariants -fno-compare-elim -fno-caller-saves -fno-if-conversion \
                  -fno-lra-remat --param=lra-max-considered-reload-pseudos=0 -fira-region=one -fira-algorithm=priority
# Volatile accesses of a plain program's kernels are in lock step: labs/sim/translate/lock_step.sed
# says how. The code keeps the order of the source, which tells the lanes who goes first.
LOCK_STEP_SED  := $(SIM)/translate/lock_step.sed
LOCK_STEP_FLAGS := -fno-reorder-blocks -fno-thread-jumps -fno-tree-tail-merge -fno-crossjumping \
                  -fno-optimize-sibling-calls -Wno-tsan -fno-sanitize=address -fsanitize=thread \
                  --param tsan-instrument-func-entry-exit=0 --param tsan-distinguish-volatile=1
# A program that has the word, but no such access, needs no marks: each call becomes its result, 0.
NO_MARKS       := 's/^\tcall\tsim_lock_step_mark\b.*/\txorl\t%eax, %eax/; s/^\tbl\tsim_lock_step_mark\b.*/\tmov\tw0, 0/'

# .cu to .ii: preprocessed C++, with the flags that compile it; and .ii to .o with the flags $(1).
REWRITER := $(wildcard $(SIM)/translate/*.py $(SIM)/translate/*/*.py)
TRANSLATE = $(PYTHON) -m labs.sim.translate
define translated-commands
	if grep -q '^#pragma sim_lock_step' $<; then \
	    $(CXX) $(1) $(LOCK_STEP_FLAGS) -S $< -o $(@:.o=.s) && \
	    { grep -q __tsan_volatile_ $(@:.o=.s) || sed -i -E $(NO_MARKS) $(@:.o=.s); } && \
	    sed -i -E -f $(LOCK_STEP_SED) $(@:.o=.s) && \
	    $(CXX) -c $(@:.o=.s) -o $@; \
	else $(CXX) $(1) -c $< -o $@; fi
endef
compile-translated = $(Q)$(call translated-commands,$(1))
SIM_HEADERS := $(wildcard $(SIM)/include/*.h $(SIM)/include/*/*.h $(SIM)/include/header.gcc)
