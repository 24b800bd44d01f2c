# convlabs. `make` alone prints help; `make V=1 ...` shows the commands.
#
# Two halves: what a person types (top), and the rules behind it (bottom). A student's file is
# staged by `./grade build`, which then calls the rule `run-binary` with only plain names.

SHELL   := /bin/bash
BUILD   := build
PYTHON  := $(BUILD)/venv/bin/python
SRC     ?= starter
BACKEND ?= auto
CC      := gcc
CXX     := g++
NVCC    ?= nvcc
GPU_ARCH ?= native
# In place of native, where there is no GPU: nvcc 10 to 13 have it.
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
# The files that match each of these patterns. A pattern that matches none is an error, so that no
# lint and no test passes on an empty list; only a sandbox (READY=1) does not show every file.
some = $(foreach p,$(1),$(or $(wildcard $p),$(if $(READY),,$(error no file matches $p))))
.SUFFIXES:
.DELETE_ON_ERROR:

# ---------------------------------------------------------------- what a person types

.PHONY: help
help:
	@echo 'convlabs: eight labs on image convolution, from a CPU loop to tuned CUDA'
	@echo
	@echo '  make labN            build your starter/labN_*/ (N: $(subst lab,,$(LABS)))'
	@echo '  ./grade labN         grade it; ./grade --help lists the rest'
	@echo '  make labN-test       build and run the unit tests of one lab on your file'
	@echo '  ./grade labN --watch grade again at each save; ./grade list says how far you are'
# BEGIN INSTRUCTOR
	@echo '  make test            every test of the project (lint, C unit tests, grader)'
	@echo '  make reproduce       the sources'\'' experiments here, beside their published figures (5 minutes)'
	@echo '  make release         the students'\'' archive in dist/, and proof that nothing secret is in it;'
	@echo '                       LABS="lab1 lab2": these alone; DIRTY=1: of what is not committed, too'
	@echo '  make gradescope      an autograder of the public checks for Gradescope, in dist/'
	@echo '  make prove-bulk      ./grade bulk on a generated class, hostile ones among it (half an hour)'
# STUDENT: 	@echo '  make test            does all work here? the simulator'\''s unit tests, its counters (1 minute)'
# END INSTRUCTOR
	@echo '  make check-zoo       what the simulator finds in programs with planted bugs (2 minutes)'
	@echo '  make zoo-table       what the grader says of programs with a known verdict (10 minutes)'
	@echo '  make mutation        what it says of slips in the solutions (40 minutes; ID=... for one)'
	@echo '  make setup           install what is missing, and nothing else'
	@echo '  make clean           remove products, keep what set-up made'
	@echo '  make distclean       remove build/ whole'
	@echo
	@echo '  SRC=PATH  other folder than starter    BACKEND=auto|cpu|sim|gpu    V=1  show commands'

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

.PHONY: setup setup-check test
setup:
	@./grade setup
setup-check:
	@./grade setup --check
# BEGIN INSTRUCTOR
.PHONY: setup-dev lint grader-test starters
setup-dev:
	@./grade setup --dev

test: setup-dev
	@$(MAKE) lint unit grader-test

lint: setup-dev
	$(say) LINT python
	$(Q)$(PYTHON) -m ruff check --no-cache grader solutions datasets handouts labs grade
	$(Q)$(PYTHON) -m ruff format --check -q grader solutions datasets handouts labs grade
	$(Q)$(PYTHON) -m mypy
	$(say) LINT 'imports between packages'
	$(Q)$(BUILD)/venv/bin/lint-imports --no-cache --no-logo > $(BUILD)/imports.log || { cat $(BUILD)/imports.log; exit 1; }
	@$(MAKE) lint-c lint-layers

grader-test: setup-dev runtime $(BUILD)/reproduce-venv/made
	$(say) PYTEST grader
	$(Q)$(PYTHON) -m pytest -q -n auto --dist loadfile

# Three reports, light and dark, as build/screenshots/*.png: look at them after a change of one.
.PHONY: screenshots
screenshots: setup-dev
	$(Q)$(PYTHON) -m grader.tests.render.browser

# Gradescope's autograder of the public checks; LABS="lab1 lab2": these alone.
.PHONY: gradescope
gradescope: setup
	$(Q)$(PYTHON) -m grader.export.autograder_zip dist/convlabs-gradescope.zip \
	    $(if $(findstring command,$(origin LABS)),'$(LABS)')

# A class of 120 graded in bulk, killed three times on the way: grader/bulk/RESULTS.md (half an hour).
.PHONY: prove-bulk
prove-bulk: setup
	$(Q)$(PYTHON) -m grader.tests.bulk.prove_bulk

# The tables of what the grader says of programs with a known verdict, and of slips in the solutions.
.PHONY: zoo-table mutation
zoo-table: setup-dev runtime
	$(Q)ZOO_WRITE=1 $(PYTHON) -m pytest -q grader/tests/zoo/test_zoo.py -k 'test_zoo['
mutation: setup-dev runtime
	$(Q)$(PYTHON) -m grader.tests.mutation $(ID)

starters: setup
	$(Q)$(PYTHON) solutions/starters.py

# The students' archive and its gate: grader/release/. DIRTY=1 takes what is not committed as well.
.PHONY: release release-check
release release-check: setup
	$(Q)$(PYTHON) -m grader.release $(if $(filter release-check,$@),--check) $(if $(DIRTY),--dirty) \
	    $(if $(findstring command,$(origin LABS)),--labs '$(LABS)')
# STUDENT: test: setup-check
# STUDENT: 	@$(MAKE) unit-one-flavour
# STUDENT: 	$(say) CHECK 'the counters of this simulator against a GPU'
# STUDENT: 	$(Q)$(PYTHON) labs/tests/nsight/accuracy.py --check
# END INSTRUCTOR

# Tables of the simulator's checks: what is found in labs/tests/checks, and on another processor.
.PHONY: check-zoo
check-zoo: setup runtime
	$(Q)$(PYTHON) labs/tests/checks/table.py --write
# BEGIN INSTRUCTOR
.PHONY: aarch64
aarch64: setup
	$(Q)$(PYTHON) labs/tests/aarch64.py
# END INSTRUCTOR

# The counters against Nsight Compute's, value by value: labs/tests/nsight/ACCURACY.md.
.PHONY: accuracy
accuracy: setup runtime
	$(Q)$(PYTHON) labs/tests/nsight/accuracy.py

# BEGIN INSTRUCTOR
# What the simulator costs, against a loop in C and against Numba's: a command, not a test.
.PHONY: bench-sim
bench-sim: setup runtime
	$(Q)$(PYTHON) -m labs.tests.bench.bench_sim
# END INSTRUCTOR

.PHONY: clean distclean
clean:
	$(say) CLEAN '$(BUILD) (the Python environment, the photograph and your progress stay)'
	$(Q)if [ -d $(BUILD) ]; then find $(BUILD) -mindepth 1 -maxdepth 1 ! -name venv ! -name datasets ! -name progress -exec rm -rf {} +; fi
distclean:
	rm -rf $(BUILD)

# ---------------------------------------------------------------- flags

STRICT := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
CPPFLAGS := -Ilabs/common -Ilabs/sim/include
DEPS = -MMD -MP

# Ours: strict, C11. `flavour` is plain or asan; everything of one flavour lives in its own folder.
CFLAGS_plain := -O2 -g
CFLAGS_asan  := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
OUR_CFLAGS    = -std=c11 -D_GNU_SOURCE $(STRICT) $(CFLAGS_$(FLAVOUR)) -fPIC -pthread
FLAVOUR ?= plain
LIB := $(BUILD)/lib/$(FLAVOUR)

# The student's: warnings are shown, never fatal. An uninitialised local gets a fixed wrong value
# (on a GPU it holds what the register held), so that a forgotten `sum = 0` cannot pass by luck;
# a*b+c is contracted to one rounding as nvcc does by default (--fmad=true), where the CPU can.
# DWARF 4, because addr2line takes #line's file from it, and from gcc's DWARF 5 it does not.
FMA := $(shell grep -qsw -m1 fma /proc/cpuinfo && echo -mfma)
REWRITER := $(call some,labs/sim/translate/*.py)
STUDENT_WARN := -Wall -Wextra -Wno-unknown-pragmas
INIT := -ftrivial-auto-var-init=pattern
# Without the mark that Windows' editors begin a file with: after a #line it is a stray character.
AS_TEXT := sed "1s/^$$(printf '\357\273\277')//"
# NATIVE is empty where gcc makes programs for another machine.
NATIVE := -march=native
STUDENT_CFLAGS := -std=gnu11 -O3 $(NATIVE) -fopenmp -g1 $(INIT) $(STUDENT_WARN)
# -O1 and what contraction and short helpers need of -O2: half the time of a build, as fast to run.
SIM_CXXFLAGS   := -std=c++17 -O1 -fexpensive-optimizations -finline-small-functions -g1 -gdwarf-4 \
                  -ffp-contract=fast $(FMA) $(INIT) -pthread $(STUDENT_WARN)
# A traced program reports every access and basic block of its kernels (labs/sim/src/trace). The
# -fno flags keep g++ from changing accesses where nvcc does not, and (-fno-thread-jumps) from copying
# what follows a branch into its arms, where on the device the lanes have met again. As nvcc does,
# g++ inlines all functions of the device: it does not report the store of `s_tile[i] = function()`
# when the function returns a struct and is called. -g1 and -fno-schedule-insns2 only save time: a
# third of what lab 4 takes.
TRACE_CXXFLAGS := -std=c++17 -O2 -g1 -gdwarf-4 -ffp-contract=fast $(FMA) $(INIT) -pthread -w \
                  -fno-schedule-insns2 -fno-tree-sra -fno-tree-vectorize -fno-tree-slp-vectorize \
                  -finline-limit=20000 --param inline-unit-growth=1000 \
                  --param large-function-growth=1000 \
                  -fno-optimize-sibling-calls -fno-thread-jumps -fsanitize=thread \
                  --param tsan-instrument-func-entry-exit=0 -fsanitize-coverage=trace-pc
# The checked build of a C file: a stray access or undefined behaviour ends the run with a report.
ASAN_CFLAGS    := -std=gnu11 -O1 -g -gdwarf-4 -fopenmp -fno-omit-frame-pointer -w $(INIT) \
                  -fsanitize=address,undefined -fno-sanitize=object-size -fno-sanitize-recover=all
# For races between OpenMP's threads, gcc reports each access to labs/common/openmp_race/.
RACE_CFLAGS    := -std=gnu11 -O0 -g -gdwarf-4 -fopenmp -w $(INIT) -fsanitize=thread \
                  --param tsan-instrument-func-entry-exit=0
RACE_WRAPPED   := malloc calloc realloc aligned_alloc posix_memalign memcpy memmove memset
NVCCFLAGS      := -std=c++17 -O3 -arch=$(GPU_ARCH) -lineinfo

# ---------------------------------------------------------------- the runtime: labs/common, labs/sim

# libcommon.a has what several programs use: not what defines main() or is compiled for one backend.
COMMON_C := $(call some,labs/common/*.c labs/common/*/*.c)
NOT_IN_LIBRARY := runner/runner.c runner/device_case.c bench/bench.c bench/bench_cpu.c
RACE_C := $(filter labs/common/openmp_race/%,$(COMMON_C))
COMMON_OBJ := $(patsubst labs/%.c,$(LIB)/%.o,$(filter-out $(RACE_C) $(NOT_IN_LIBRARY:%=labs/common/%),$(COMMON_C)))
RACE_OBJ := $(RACE_C:labs/%.c=$(LIB)/%.o)
SIM_OBJ := $(patsubst labs/sim/src/%.c,$(LIB)/sim/%.o,$(call some,labs/sim/src/*/*.c)) \
           $(patsubst labs/sim/src/%.S,$(LIB)/sim/%.o,$(call some,labs/sim/src/*/*.S))
# The simulator's own files name a header by its folder: "exec/fiber.h".
SIM_CPPFLAGS := $(CPPFLAGS) -Ilabs/sim/src
RUNNER_OBJ := $(LIB)/common/runner/runner.o

.PHONY: runtime
runtime: $(LIB)/libcommon.a $(LIB)/libsim.a $(LIB)/libopenmp_race.a $(RUNNER_OBJ)
	@chmod -f a+r $^ || :  # whatever the umask: behind walls a submission is linked by another user

ifeq ($(READY),)
# Calibration means the most that this machine can do; timing knows OpenMP's team of threads, and its
# inputs must cost little beside what is timed.
$(LIB)/common/bench/noise.o: OUR_CFLAGS += -O3 $(NATIVE)
$(LIB)/common/bench/calibrate.o: OUR_CFLAGS += -O3 $(NATIVE) -ffp-contract=fast -fopenmp
$(LIB)/common/bench/bench_cpu.o: OUR_CFLAGS += -fopenmp
$(LIB)/common/openmp_race/race_detector.o: OUR_CFLAGS += -O2 -Wno-missing-prototypes
$(LIB)/common/openmp_race/gomp.o: OUR_CFLAGS += -fopenmp -Wno-missing-prototypes
$(LIB)/common/%.o: labs/common/%.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(OUR_CFLAGS) $(CPPFLAGS) $(DEPS) -c $< -o $@
$(LIB)/sim/%.o: labs/sim/src/%.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(OUR_CFLAGS) $(SIM_CPPFLAGS) $(DEPS) -c $< -o $@
$(LIB)/sim/%.o: labs/sim/src/%.S
	@mkdir -p $(@D)
	$(say) AS $<
	$(Q)$(CC) $(DEPS) -c $< -o $@
$(LIB)/libcommon.a: $(COMMON_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(LIB)/libopenmp_race.a: $(RACE_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
# With json.o: a program of one's own is linked with nothing else of ours.
$(LIB)/libsim.a: $(SIM_OBJ) $(LIB)/common/json.o
	$(Q)rm -f $@ && $(AR) rcs $@ $^
-include $(wildcard $(BUILD)/lib/*/*/*.d $(BUILD)/lib/*/*/*/*.d)
endif

# ---------------------------------------------------------------- unit tests of the runtime

# test_*.c use Check; test_*.cu are CUDA programs for the simulator. Folders are those of labs/.
TEST_SOURCES := $(call some,$(addprefix labs/tests/,common/test_*.c common/*/test_*.c \
                                         sim/*/test_*.c sim/*/test_*.cu))
TESTS := $(patsubst labs/tests/%,%,$(basename $(TEST_SOURCES)))
TESTDIR := $(BUILD)/tests/$(FLAVOUR)
CHECK_LIBS := -lcheck -lsubunit -lrt -lm -pthread -lgomp

.PHONY: unit unit-one-flavour
unit: setup-check
	@$(MAKE) unit-one-flavour FLAVOUR=plain
	@$(MAKE) unit-one-flavour FLAVOUR=asan

# The sanitised run has more threads than most machines have cores: what needs them shows anywhere.
TEST_THREADS = $(if $(filter asan,$(FLAVOUR)),CONVLABS_SIM_THREADS=8)
unit-one-flavour: $(TESTS:%=$(TESTDIR)/%)
	$(say) CHECK '$(words $^) suites, $(FLAVOUR)'
	$(Q)for t in $^; do CK_DEFAULT_TIMEOUT=60 $(TEST_THREADS) $$t 2> $$t.log || { cat $$t.log; exit 1; }; done

$(TESTDIR)/%.o: labs/tests/%.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(filter-out -Werror -Wpedantic -Wconversion,$(OUR_CFLAGS)) -Werror $(SIM_CPPFLAGS) $(DEPS) -c $< -o $@
$(TESTDIR)/%.cpp: labs/tests/%.cu $(REWRITER) $(wildcard labs/sim/include/*.h)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) labs/sim/translate/rewrite.py $(CPPFLAGS) $< -o $@
$(TESTDIR)/%.o: $(TESTDIR)/%.cpp
	$(say) CXX $<
	$(Q)$(CXX) $(SIM_CXXFLAGS) -Werror $(CFLAGS_$(FLAVOUR)) $(CPPFLAGS) $(DEPS) -c $< -o $@
$(TESTDIR)/%: $(TESTDIR)/%.o $(LIB)/libsim.a $(LIB)/libcommon.a
	$(Q)$(CXX) $(CFLAGS_$(FLAVOUR)) $^ $(CHECK_LIBS) -o $@
-include $(wildcard $(BUILD)/tests/*/*.d $(BUILD)/tests/*/*/*.d $(BUILD)/tests/*/*/*/*.d)
.SECONDARY:

# BEGIN INSTRUCTOR
# clang reads every C file of ours with the same strict flags; gcc has done so while building.
.PHONY: lint-c
OUR_C := $(COMMON_C) $(call some,labs/sim/src/*/*.c) $(call some,labs/lab*/*.c)
lint-c:
	$(say) LINT 'C with clang'
	$(Q)for f in $(OUR_C); do \
	    clang -fsyntax-only -std=c11 -D_GNU_SOURCE $(STRICT) -Wno-unknown-pragmas $(SIM_CPPFLAGS) $$f || exit 1; done

# In the simulator's runtime a layer includes and calls only what is above it.
.PHONY: lint-layers
lint-layers: $(SIM_OBJ)
	$(say) LINT 'layers of labs/sim/src'
	$(Q)$(PYTHON) labs/sim/check_layers.py --objects $(LIB)/sim
# END INSTRUCTOR

# One lab, one submission: called by ./grade build and when something is timed.
include labs/common/submission.mk

# ---------------------------------------------------------------- a program of one's own

# Called by `./grade run`: PROGRAM=build/program/<key> FILES='0.cu 1.c', staged in $(PROGRAM)/src;
# in the environment, NAME0, NAME1, ..., what messages call them, and CPATH for their #includes.
# TRACED=1 compiles them for the counters.
ifneq ($(PROGRAM),)
PROGRAM_OBJ := $(addprefix $(PROGRAM)/,$(addsuffix .o,$(basename $(FILES))))
PROGRAM_CXXFLAGS := $(if $(TRACED),$(TRACE_CXXFLAGS),$(SIM_CXXFLAGS)) -Ilabs/sim/include

.PHONY: program
program: $(PROGRAM)/program
$(PROGRAM)/program: $(PROGRAM_OBJ) $(LIB)/libsim.a
	$(Q)$(CXX) $^ -o $@ -lm -pthread
$(PROGRAM)/%.cpp: $(PROGRAM)/src/%.cu $(REWRITER) $(wildcard labs/sim/include/*.h)
	$(Q)name=NAME$*; IFS=:; set --; for d in $$CPATH; do set -- "$$@" -I "$$d"; done; \
	    $(PYTHON) labs/sim/translate/rewrite.py "$$@" --shown "$${!name}" $< -o $@
$(PROGRAM)/%.o: $(PROGRAM)/%.cpp
	$(Q)$(CXX) $(PROGRAM_CXXFLAGS) -c $< -o $@
$(PROGRAM)/%.o: $(PROGRAM)/src/%.cpp
	$(Q)name=NAME$*; { printf '#line 1 "%s"\n' "$${!name}"; $(AS_TEXT) $<; } | \
	    $(CXX) $(PROGRAM_CXXFLAGS) -x c++ - -c -o $@
$(PROGRAM)/%.o: $(PROGRAM)/src/%.c
	$(Q)name=NAME$*; { printf '#line 1 "%s"\n' "$${!name}"; $(AS_TEXT) $<; } | \
	    $(CC) $(STUDENT_CFLAGS) -Ilabs/sim/include -x c - -c -o $@
endif
ifeq ($(READY),)
# BEGIN INSTRUCTOR
include labs/reproduce/rules.mk
-include grader/tests/timing/rules.mk
# END INSTRUCTOR
endif
