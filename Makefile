# convlabs. `make` alone prints help; `make V=1 ...` shows the commands.
#
# What a person types is at the top, the rules behind it below. A student's file is staged by
# `./grade build`, which then calls the rule `run-binary` with plain names only. Measurements, lint
# and the project's own tests are in the rules.mk beside what they run; the last line includes them.

SHELL   := /bin/bash
BUILD   := build
PYTHON  := $(BUILD)/venv/bin/python
SRC     ?= starter
BACKEND ?= auto
CC      := gcc
CXX     := g++
NVCC    ?= nvcc
# What ./grade setup --nvcc installs, behind the system's own.
export PATH := $(PATH)$(patsubst %,:$(CURDIR)/%,$(wildcard $(BUILD)/nvcc/nvidia/cu13/bin))
GPU_ARCH ?= native
# Used instead of native if there is no GPU; nvcc 10 to 13 have it.
NVCC_ARCH := sm_75

LABS := $(sort $(foreach d,$(wildcard labs/lab*_*),$(firstword $(subst _, ,$(notdir $(d))))))

ifeq ($(V),1)
  Q :=
  say := @:
else
  Q := @
  say := @printf '  %-6s %s\n'
endif
MAKEFLAGS += --no-print-directory --no-builtin-rules
# Where it is set, each ./grade compiles 200 modules anew.
unexport PYTHONDONTWRITEBYTECODE
# The files that match each of these patterns. A pattern that matches none is an error, so that no
# lint and no test passes on an empty list; only a sandbox (READY=1) does not show every file.
some = $(foreach p,$(1),$(or $(wildcard $p),$(if $(READY),,$(error no file matches $p))))
.SUFFIXES:
.DELETE_ON_ERROR:
# An older build/ depends on files that have moved to labs/runtime and labs/sim/include/sim.
labs/common/% labs/sim/include/sim_%: ;

# ---------------------------------------------------------------- what a person types

.PHONY: help help-all
help:
	@echo 'convlabs: eight labs on image convolution, from a CPU loop to tuned CUDA'
	@echo
	@echo '  make labN            build your starter/labN_*/ (N: $(subst lab,,$(LABS)))'
	@echo '  ./grade labN         grade it; ./grade --help lists the other commands'
	@echo '  make labN-test       build your file and run the unit tests of the lab on it'
	@echo '  make handouts        the handouts as a site that needs no network, and as PDFs'
	@echo '  make test            does everything work here? It says first how long it takes'
	@echo '  make clean           remove build products; keep set-up and your progress'
	@echo '  make help-all        every other target'
	@echo
	@echo '  SRC=PATH  a folder other than starter   BACKEND=auto|cpu|sim|gpu    V=1  show commands'

# Every target with a description: `target: ... ## what it does`.
help-all:
	@sed -nE 's/^([a-z0-9-]+)( [a-z0-9-]+)*:[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 27 | sort

NO_LAB := $(filter-out labs/% $(LABS) $(LABS:%=%-test),$(filter lab%,$(MAKECMDGOALS)))
ifneq ($(NO_LAB),)
  $(error there is no $(NO_LAB); the labs are $(LABS))
endif

.PHONY: $(LABS)
$(LABS):
	@./grade build $@ --src '$(SRC)' --backend $(BACKEND) $(if $(filter 1,$(V)),--verbose)

.PHONY: $(LABS:%=%-test)
$(LABS:%=%-test): setup-check
	@./grade build $(@:-test=) --src '$(SRC)' --backend $(BACKEND) --unit-tests $(if $(filter 1,$(V)),--verbose)

.PHONY: setup setup-check
setup: ## install what is missing, and do nothing else
	@./grade setup
setup-check:
	@./grade setup --check

# The repository tests everything (grader/tests/rules.mk); a student's copy tests the simulator.
.PHONY: test test-simulator
test: $(if $(wildcard grader/tests/rules.mk),test-part,test-simulator) ## does everything work here? FAST=1: the quick tests alone
test-simulator: ## the simulator's unit tests, and its counters against those of a GPU (1 minute)
	@echo 'make test: the simulator on this machine, about 1 minute on 2 cores'
	@$(MAKE) setup-check
	@$(MAKE) -j$$(nproc) unit-one-flavour
	$(say) CHECK 'the counters of this simulator against a GPU'
	$(Q)$(PYTHON) labs/studies/nsight/accuracy.py --check

.PHONY: clean distclean
clean: ## remove build products; keep the Python environment, the photograph, the site and your progress
	$(say) CLEAN '$(BUILD) (the Python environment, the photograph, the site and your progress stay)'
	$(Q)if [ -d $(BUILD) ]; then find $(BUILD) -mindepth 1 -maxdepth 1 ! -name venv ! -name datasets ! -name handouts ! -name progress -exec rm -rf {} +; fi
distclean: ## remove build/ with all that set-up made, and your progress
	rm -rf $(BUILD)

# ---------------------------------------------------------------- flags

STRICT := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
CPPFLAGS := -Ilabs/runtime -Ilabs/sim/include
# Our own files, too, name a header of labs/sim/src by its folder: "evidence/evidence.h".
SIM_CPPFLAGS := -Ilabs/sim/include -Ilabs/sim/src
DEPS = -MMD -MP

# Our own code: strict C11. FLAVOUR is plain or asan; each has its own folder in build/.
CFLAGS_plain := -O2 -g1
CFLAGS_asan  := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
OUR_CFLAGS    = -std=c11 -D_GNU_SOURCE $(STRICT) $(CFLAGS_$(FLAVOUR)) -fPIC -pthread
FLAVOUR ?= plain
LIB := $(BUILD)/lib/$(FLAVOUR)

include labs/sim/flags.mk

# The student's code: warnings are shown, never fatal. DWARF 4, because addr2line finds the file that a
# #line names in it, but not in gcc's DWARF 5.
# Removes the byte order mark that editors on Windows write: after a #line it is a stray character.
AS_TEXT := sed "1s/^$$(printf '\357\273\277')//"
# NATIVE is empty when gcc compiles for another machine.
NATIVE := -march=native
# For what is timed on the CPU. Otherwise, where in a cache line a loop begins depends on
# link order: the same machine code of lab 1 B earned 7 points in one file and 14 in another.
PLACED := -falign-functions=64 -falign-loops=64
STUDENT_CFLAGS := -std=gnu11 -O3 $(NATIVE) -fopenmp -g1 $(INIT) $(STUDENT_WARN)
# Of all builds of a file: the text that they share may have a processor's vectors.
MACHINE         = $(filter -march=%,$(STUDENT_CFLAGS))
# The checked build of a C file: a stray access or undefined behaviour ends the run with a report.
ASAN_CFLAGS     = -std=gnu11 $(MACHINE) -O1 -g -gdwarf-4 -fopenmp -fno-omit-frame-pointer -w $(INIT) \
                  -fsanitize=address,undefined -fno-sanitize=object-size -fno-sanitize-recover=all
# For races between OpenMP's threads, gcc reports each access to labs/runtime/openmp_race/.
RACE_CFLAGS     = -std=gnu11 $(MACHINE) -O0 -g -gdwarf-4 -fopenmp -w $(INIT) -fsanitize=thread \
                  --param tsan-instrument-func-entry-exit=0 $(if $(filter x86_64,$(shell uname -m)),-mno-red-zone)
RACE_WRAPPED   := malloc calloc realloc aligned_alloc posix_memalign memcpy memmove memset
NVCCFLAGS      := -std=c++17 -O3 -arch=$(GPU_ARCH) -lineinfo
# Makes $(1).sass of $(1).cu, and $@: nvcc's messages and, in the last line, the exit status. $(2):
# more flags. nvdisasm of the same version reads what nvcc writes.
CODE_SECONDS := 60
define machine-code
	$(Q){ ulimit -S -t $(CODE_SECONDS); $(NVCC) $(patsubst -arch=%,-arch=sm_90,$(NVCCFLAGS)) -Xptxas=-v $(2) \
	    -cubin $(1).cu -o $(1).cubin && nvdisasm -gi -c $(1).cubin > $(1).sass; echo "exit $$?"; } > $@.part 2>&1
	$(Q)rm -f $(1).cubin && mv $@.part $@
endef

# ---------------------------------------------------------------- the runtime: labs/runtime, labs/sim

# libruntime.a has what several programs use: not what defines main() or is compiled for one backend.
COMMON_C := $(call some,labs/runtime/*.c labs/runtime/*/*.c)
NOT_IN_LIBRARY := runner/runner.c runner/device_case.c runner/tls_mark.c bench/bench.c bench/bench_cpu.c
RACE_C := $(filter labs/runtime/openmp_race/%,$(COMMON_C))
# Of the simulator, programs in C need what judges calls through pointers and records evidence.
EVIDENCE_OBJ := $(patsubst labs/sim/src/%.c,$(LIB)/sim/%.o,$(call some,labs/sim/src/evidence/*.c labs/sim/src/calls/*.c)) \
                $(LIB)/sim/calls/indirect_calls.o
COMMON_OBJ := $(patsubst labs/%.c,$(LIB)/%.o,$(filter-out $(RACE_C) $(NOT_IN_LIBRARY:%=labs/runtime/%),$(COMMON_C))) \
              $(EVIDENCE_OBJ)
# What gcc does not report is, as in a traced program, by its machine code.
RACE_OBJ := $(RACE_C:labs/%.c=$(LIB)/%.o) $(LIB)/sim/trace/access_calls.o
SIM_OBJ := $(patsubst labs/sim/src/%.c,$(LIB)/sim/%.o,$(call some,labs/sim/src/*/*.c)) \
           $(patsubst labs/sim/src/%.S,$(LIB)/sim/%.o,$(call some,labs/sim/src/*/*.S))
# No call finds a thread's own variable, for which gcc would save registers in each callback: in
# programs the linker writes its place, in shared objects (bench) it is looked up.
$(LIB)/sim/%.o: OUR_CFLAGS += -ftls-model=initial-exec
RUNNER_OBJ := $(LIB)/runtime/runner/runner.o
TLS_MARK := $(LIB)/runtime/runner/tls_mark.o
# The simulator's header, of which g++ would read 28,000 lines for each graded file.
PRECOMPILED := $(LIB)/header/plain/sim/first.h.gch $(LIB)/header/traced/sim/first.h.gch

.PHONY: runtime libraries
LIBRARIES := $(LIB)/libruntime.a $(LIB)/libsim.a $(LIB)/libopenmp_race.a $(RUNNER_OBJ) $(TLS_MARK)
libraries: $(LIBRARIES)
runtime: libraries $(PRECOMPILED)
	@chmod -f a+r $(LIBRARIES) $(PRECOMPILED) || :  # for the sandbox's user, whatever the umask

ifeq ($(READY),)
# Newer when a compiler has another version than before: what the old one made is made again.
.PHONY: always
GCC_VERSION := $(BUILD)/gcc.version
$(GCC_VERSION): COMPILER = $(CXX)
$(BUILD)/%.version: always
	@mkdir -p $(@D) && $(COMPILER) --version > $@.$$$$ 2>&1; cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@

# Calibration means the most that this machine can do; timing knows OpenMP's team of threads, and its
# inputs must cost little beside what is timed.
$(LIB)/runtime/bench/timed_inputs.o: OUR_CFLAGS += -O3 $(NATIVE)
$(LIB)/runtime/bench/calibrate.o: OUR_CFLAGS += -O3 $(NATIVE) -ffp-contract=fast -fopenmp $(PLACED)
$(LIB)/runtime/bench/bench_cpu.o: OUR_CFLAGS += -fopenmp
$(LIB)/runtime/openmp_race/%.o: OUR_CFLAGS += -O2 -fopenmp -Wno-missing-prototypes
$(LIB)/header/plain/%.gch: PRECOMPILED_FLAGS = $(SIM_CXXFLAGS) $(JUDGED_CALLS)
$(LIB)/header/traced/%.gch: PRECOMPILED_FLAGS = $(TRACE_CXXFLAGS) $(CHECKED_CALLS)
$(PRECOMPILED): $(REWRITER) $(SIM_HEADERS) Makefile $(GCC_VERSION)
	@mkdir -p $(@D)
	$(say) CXX '$(@:$(LIB)/%=%)'
	$(Q)$(TRANSLATE) --header $@ -- $(CXX) $(PRECOMPILED_FLAGS) -Ilabs/sim/include
$(LIB)/runtime/%.o: labs/runtime/%.c $(GCC_VERSION)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(OUR_CFLAGS) $(CPPFLAGS) $(SIM_CPPFLAGS) $(DEPS) -c $< -o $@
$(LIB)/sim/%.o: labs/sim/src/%.c $(GCC_VERSION)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(OUR_CFLAGS) $(SIM_CPPFLAGS) $(DEPS) -c $< -o $@
$(LIB)/sim/%.o: labs/sim/src/%.S $(GCC_VERSION)
	@mkdir -p $(@D)
	$(say) AS $<
	$(Q)$(CC) $(DEPS) -c $< -o $@
# No pointer of a submission leads near what these allocate: labs/sim/src/base/own_heap.h. Sanitizers
# check the C library's heap only.
OWN_HEAP := $(filter-out %/heap_calls.o,$(filter $(foreach f,profile check memory exec,$(LIB)/sim/$(f)/%.o) \
            $(LIB)/sim/trace/tsan_callbacks.o,$(SIM_OBJ)))
ifeq ($(FLAVOUR),plain)
$(OWN_HEAP): SIM_CPPFLAGS += -include base/own_heap.h
endif
$(LIB)/libruntime.a: $(COMMON_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(LIB)/libopenmp_race.a: $(RACE_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(LIB)/libsim.a: $(SIM_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
-include $(wildcard $(BUILD)/lib/*/*/*.d $(BUILD)/lib/*/*/*/*.d)
endif

# ---------------------------------------------------------------- unit tests of the runtime

# test_*.c use Check; test_*.cu are CUDA programs for the simulator. Folders are those of labs/.
# KIND=c: only the first, which need no Python.
TEST_SOURCES := $(call some,$(addprefix labs/tests/,runtime/test_*.c runtime/*/test_*.c \
                                         sim/*/test_*.c $(if $(filter c,$(KIND)),,sim/*/test_*.cu)))
TESTS := $(patsubst labs/tests/%,%,$(basename $(TEST_SOURCES)))
TESTDIR := $(BUILD)/tests/$(FLAVOUR)
CHECK_LIBS := -lcheck -lsubunit -lrt -lm -pthread -lgomp

.PHONY: unit unit-one-flavour
unit: setup-check ## the runtime's unit tests, plain and under AddressSanitizer and UBSan
	@$(MAKE) unit-one-flavour FLAVOUR=plain
	@$(MAKE) unit-one-flavour FLAVOUR=asan

# The sanitized run has more threads than most machines have cores, so that a bug which needs many
# threads shows on every machine.
TEST_THREADS = $(if $(filter asan,$(FLAVOUR)),CONVLABS_SIM_THREADS=8)
unit-one-flavour: $(TESTS:%=run-$(FLAVOUR)/%)
	$(say) CHECK '$(words $^) suites, $(FLAVOUR)'
.PHONY: $(TESTS:%=run-$(FLAVOUR)/%)
$(TESTS:%=run-$(FLAVOUR)/%): run-$(FLAVOUR)/%: $(TESTDIR)/%
	$(Q)CK_DEFAULT_TIMEOUT=60 $(TEST_THREADS) $< > $<.log 2>&1 || { cat $<.log; exit 1; }

$(TESTDIR)/%.o: labs/tests/%.c $(GCC_VERSION)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(filter-out -Werror -Wpedantic -Wconversion,$(OUR_CFLAGS)) -Werror $(CPPFLAGS) $(SIM_CPPFLAGS) $(DEPS) -c $< -o $@
# A program of CUDA has the flags of a submission, and is translated once for both flavours.
TEST_CXXFLAGS := $(SIM_CXXFLAGS) -Werror $(CPPFLAGS)
$(BUILD)/tests/translated/%.ii: labs/tests/%.cu $(REWRITER) $(SIM_HEADERS) $(GCC_VERSION)
	@mkdir -p $(@D)
	$(Q)$(TRANSLATE) --lock-step $< -o $@ -- $(CXX) $(TEST_CXXFLAGS) $(DEPS) -MF $(@:.ii=.d) -MT $@
$(TESTDIR)/%.o: $(BUILD)/tests/translated/%.ii $(LOCK_STEP_SED)
	@mkdir -p $(@D)
	$(say) CXX labs/tests/$*.cu
	$(call compile-translated,$(TEST_CXXFLAGS) $(filter-out -O2 -g,$(CFLAGS_$(FLAVOUR))))
$(TESTDIR)/%: $(TESTDIR)/%.o $(LIB)/libsim.a $(LIB)/libruntime.a
	$(Q)$(CXX) $(CFLAGS_$(FLAVOUR)) $^ $(CHECK_LIBS) -o $@
-include $(wildcard $(BUILD)/tests/*/*.d $(BUILD)/tests/*/*/*.d $(BUILD)/tests/*/*/*/*.d)
.SECONDARY:

# One submission to one lab: called by ./grade build, and when something is timed.
include labs/runtime/submission.mk

# ---------------------------------------------------------------- the user's own program

# Called by `./grade run` with PROGRAM=build/program/<key> FILES='0.cu 1.c'; the files are staged in
# $(PROGRAM)/src. The environment has NAME0, NAME1, ..., their names in messages, and CPATH, where their
# headers are. TRACED=1 compiles them for counters and checks, OPENMP=1 with OpenMP. The others are
# those of ProgramOptions in grader/compile/make.py.
ifneq ($(PROGRAM),)
PROGRAM_OBJ := $(addprefix $(PROGRAM)/,$(addsuffix .o,$(basename $(FILES))))
PROGRAM_OPENMP := $(if $(OPENMP),-fopenmp)
# Many programs check their results with loops on the host, which take longer than their kernels:
# -O3 vectorizes them, and adds a seventh to the time of the compiler.
# Warnings as for most programs: not those of -Wextra, and the same ones for a traced program.
PROGRAM_WARN := -Wall -Wno-unknown-pragmas
PROGRAM_CFLAGS := $(filter-out -w -Wextra,$(STUDENT_CFLAGS)) $(PROGRAM_WARN) $(REMAP) -Ilabs/sim/include $(PROGRAM_FLAGS)
PROGRAM_CXXFLAGS := $(filter-out -w -Wextra,$(if $(TRACED),$(TRACE_CXXFLAGS),$(SIM_CXXFLAGS) -O3)) \
    $(PROGRAM_WARN) $(PROGRAM_OPENMP) -Ilabs/sim/include $(PROGRAM_STD) $(PROGRAM_FLAGS)

.PHONY: program program-code
program: $(PROGRAM)/program
$(PROGRAM)/program: $(PROGRAM_OBJ) $(LIB)/libsim.a
	$(Q)$(CXX) $^ -o $@ -Wl,--wrap=fflush $(PROGRAM_OPENMP) $(PROGRAM_LIBRARIES) -lm -pthread
program-code: $(patsubst %.cu,$(PROGRAM)/%.txt,$(filter %.cu,$(FILES)))
$(PROGRAM)/%.txt: $(PROGRAM)/src/%.cu Makefile
	$(Q)name=NAME$*; { printf '#line 1 "%s"\n' "$${!name}"; $(AS_TEXT) $<; } > $(PROGRAM)/$*.cu
	$(call machine-code,$(PROGRAM)/$*,$(PROGRAM_STD) $(PROGRAM_FLAGS) $(PROGRAM_HOST_DEFINES))
$(PROGRAM)/%.ii: $(PROGRAM)/src/%.cu $(REWRITER) $(SIM_HEADERS) Makefile
	$(Q)name=NAME$*; $(TRANSLATE) --shown "$${!name}" $(if $(TRACED),,--lock-step) \
	    $(if $(OWN_COPIES),--own-copies) $(if $(COLUMNS),--columns) $(PROGRAM_DEFINES) $< -o $@ -- \
	    $(CXX) $(PROGRAM_CXXFLAGS)
# Errors are shown of the program's own text. A valid one that the watch of exchanges or of vectors
# has spoilt runs without it.
UNWATCHED := 's/\(sim_exchange\{"([^"\\]|\\.)*", [0-9]+, [0-9]\}->\*|::sim_vectors(<true>)?\(/(/g'
$(PROGRAM)/%.o: $(PROGRAM)/%.ii $(LOCK_STEP_SED)
	$(Q){ $(call translated-commands,$(PROGRAM_CXXFLAGS)); } 2> $@.log && { cat $@.log >&2; exit; }; \
	    grep -q 'sim_exchange{"\|::sim_vectors' $< || { cat $@.log >&2; exit 1; }; \
	    sed -i -E $(UNWATCHED) $<; $(call translated-commands,$(PROGRAM_CXXFLAGS))
# What the simulator does not have makes g++ complain of much else: the reason alone is shown then.
# $(1): the language, $(2): the compiler with its flags.
define compile-host
	$(Q)name=NAME$*; { printf '#line 1 "%s"\n' "$${!name}"; $(AS_TEXT) $<; } | \
	    $(2) -x $(1) - -c -o $@ 2> $@.log && { cat $@.log >&2; exit; }; \
	    $(TRANSLATE) --host --shown "$${!name}" $< -- $(2) && cat $@.log >&2; exit 1
endef
$(PROGRAM)/%.o: $(PROGRAM)/src/%.cpp
	$(call compile-host,c++,$(CXX) $(PROGRAM_CXXFLAGS) $(PROGRAM_HOST_DEFINES))
$(PROGRAM)/%.o: $(PROGRAM)/src/%.c
	$(call compile-host,c,$(CC) $(PROGRAM_CFLAGS) $(PROGRAM_HOST_DEFINES))
endif

# ---------------------------------------------------------------- tests, measurements, releases

ifeq ($(READY),)
include $(wildcard $(addsuffix /rules.mk,grader/* grader/classroom/* grader/tests/* grader/tests/classroom/* handouts/* labs/* labs/studies/* labs/tests/* solutions))
endif
