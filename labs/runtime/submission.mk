# ---------------------------------------------------------------- one lab, one submission

# Included by the Makefile, which has the flags and the runtime. Called by `./grade build` only:
#   LAB=lab3_constant_mask BACKEND=sim FILES='constant_mask.cu' OUT=build/lab3/<key>
# with the submitted files in $(OUT)/src and, in the environment, SHOWN_constant_mask_cu: how messages
# name the student's own file, which may have another name.
# VARIANT='-DPHASES=5' and GIVEN_OF, the folder below build/given/: the values of a student's variant.
# READY=1: all that comes with the course is made, and may be neither looked for nor made again; so
# a sandbox shows a submission's compiler the headers, the objects to link and nothing else.
# run is the plain build; checked has the submitted files traced (sim) or under sanitizers (cpu), and
# raced has the C files under the check for races.
STUDENT_OBJ := $(FILES:%=$(OUT)/%.o)
CHECKED_OBJ := $(STUDENT_OBJ:.o=.checked.o)
GIVEN := $(BUILD)/given/$(or $(GIVEN_OF),$(LAB))/$(BACKEND)
BASELINE := $(notdir $(wildcard labs/$(LAB)/baseline.c labs/$(LAB)/baseline.cu))
GIVEN_OBJ := $(GIVEN)/driver.o $(if $(filter cpu,$(BACKEND)),,$(GIVEN)/device_case.o) \
             $(addprefix $(GIVEN)/,$(addsuffix .o,$(basename $(BASELINE))))
LABINC := $(CPPFLAGS) -Ilabs/$(LAB) $(VARIANT)
# A lab may compile C files with flags of its own; its flags.mk says why.
-include $(wildcard labs/$(LAB)/flags.mk)

# An object may ask for a stack that can be executed; no program gets one. Nor a table of the
# addresses of others' functions that it can write to.
STACK := -Wl,-z,noexecstack,-z,relro,-z,now
LINK_cpu = $(CC) -fopenmp $(STACK)
LIBS_cpu = $(LIB)/libruntime.a -lm
LINK_sim = $(CXX) -fopenmp $(STACK)
LIBS_sim = $(LIB)/libruntime.a $(LIB)/libsim.a -lm -pthread
LINK_gpu = $(NVCC) -arch=$(GPU_ARCH) -Xlinker=-z,noexecstack,-z,relro,-z,now
LIBS_gpu = $(LIB)/libruntime.a -lgomp -lm

CHECKED_LINK_cpu = $(LINK_cpu) -fsanitize=address,undefined
# What is confined must be in sections of its own: labs/runtime/course.ld.
CHECKED_LINK_sim = $(LINK_sim) -Wl,-T,labs/runtime/course.ld
CHECKED_MARK := $(if $(filter sim,$(BACKEND)),$(TLS_MARK))

# What of the C library is called through the confinement instead.
CONFINED_CALLS := labs/sim/src/trace/confined_calls.symbols
OBJCOPY ?= objcopy
# In a traced program the accesses of a file in C are reported for the confinement alone.
CONFINED_CFLAGS = $(STUDENT_CFLAGS) -w -fsanitize=thread --param tsan-instrument-func-entry-exit=0 \
                  $(addprefix -fno-builtin-,$(WRITES_TEXT)) $(CHECKED_CALLS)
# A call through a pointer goes to labs/sim/src/calls/indirect_calls.S, which ends the run if the target
# is not in the object's list. A switch has no table, whose jumps would go the same way. Other machines
# have no such option of gcc: there such calls are free. So are they in what is timed.
ifeq ($(shell uname -m),x86_64)
JUDGED_CALLS := -mindirect-branch=thunk-extern -mindirect-branch-register -fno-jump-tables -fplt
CHECKED_CALLS := $(JUDGED_CALLS) -fno-optimize-sibling-calls -mno-red-zone -fstack-clash-protection
# The machine code reports the accesses that gcc does not; nothing may lie below the stack pointer then.
# A frame larger than the stack touches the page behind it, and so ends there.
machine-accesses = $(Q)$(PYTHON) -m labs.sim.translate.machine_accesses $(1) < $(@:.o=.s) > $(@:.o=.part) && \
    mv $(@:.o=.part) $(@:.o=.s)
endif
CALL_TARGETS := labs/sim/src/calls/call_targets.sed
GIVEN_CALLS := labs/runtime/runner/given_calls.symbols
# Makes an object of assembly, $(@:.o=.s), with the list. $(1): which functions have another name.
define assemble-with-targets
	$(Q)LC_ALL=C sed -n -E -f $(CALL_TARGETS) $(@:.o=.s) > $(@:.o=.targets) && \
	    { printf '\t.section\tsim_call_targets,"aw",@progbits\n\t.balign\t8\n'; \
	      LC_ALL=C sort -u $(@:.o=.targets); } >> $(@:.o=.s) && \
	    $(CXX) -c $(@:.o=.s) -o $@ && rm $(@:.o=.s) $(@:.o=.targets) && \
	    $(OBJCOPY) --redefine-syms=$(1) $@
endef

# NAME-given is what NAME needs of the course's own: made first, by one grader at a time.
.PHONY: run-binary checked-binary unit-binary nvcc-report code-report
nvcc-report: $(OUT)/nvcc.txt
code-report: $(OUT)/code.txt
run-binary: $(OUT)/run
checked-binary: $(OUT)/checked $(if $(filter %.c,$(FILES)),$(OUT)/raced)
unit-binary: $(OUT)/unit
.PHONY: run-binary-given checked-binary-given unit-binary-given
run-binary-given: $(GIVEN_OBJ) $(RUNNER_OBJ)
unit-binary-given: $(GIVEN)/unit.o

$(OUT)/run: $(STUDENT_OBJ) $(GIVEN_OBJ) $(RUNNER_OBJ) $(LIB)/libruntime.a $(if $(filter sim,$(BACKEND)),$(LIB)/libsim.a)
	$(Q)$(LINK_$(BACKEND)) $(STUDENT_OBJ) $(GIVEN_OBJ) $(RUNNER_OBJ) $(LIBS_$(BACKEND)) -o $@

# On the simulator the version to beat is traced as well: its counters are worth a comparison.
CHECKED_GIVEN = $(patsubst $(GIVEN)/baseline.o,$(GIVEN)/baseline$(if $(filter %.cu,$(BASELINE)),.checked).o,$(GIVEN_OBJ))
checked-binary-given: $(CHECKED_GIVEN)
$(OUT)/checked: $(CHECKED_OBJ) $(CHECKED_MARK) $(CHECKED_GIVEN) $(RUNNER_OBJ) $(LIB)/libruntime.a $(if $(filter sim,$(BACKEND)),$(LIB)/libsim.a)
	$(Q)$(CHECKED_LINK_$(BACKEND)) $(CHECKED_OBJ) $(CHECKED_MARK) $(CHECKED_GIVEN) $(RUNNER_OBJ) $(LIBS_$(BACKEND)) -o $@

# The simulator has functions of its own for accesses: here the first that are found are the check's.
# No function of a CUDA file is called: its traced object is there.
RACED_LINK_cpu = $(CC) $(STACK)
RACED_LINK_sim = $(CXX) $(STACK) -Wl,-z,muldefs
RACED_OBJ = $(patsubst %.cu.o,%.cu.checked.o,$(STUDENT_OBJ:.c.o=.c.raced.o))
$(OUT)/raced: $(RACED_OBJ) $(GIVEN_OBJ) $(RUNNER_OBJ) $(LIB)/libopenmp_race.a $(LIB)/libruntime.a $(if $(filter sim,$(BACKEND)),$(LIB)/libsim.a)
	$(Q)$(RACED_LINK_$(BACKEND)) $(RACE_WRAPPED:%=-Wl,--wrap=%) $^ -lm -pthread -o $@

$(OUT)/unit: $(STUDENT_OBJ) $(GIVEN)/unit.o $(LIB)/libruntime.a $(if $(filter sim,$(BACKEND)),$(LIB)/libsim.a)
	$(Q)$(LINK_$(BACKEND)) $(STUDENT_OBJ) $(GIVEN)/unit.o $(LIBS_$(BACKEND)) \
	    $(if $(filter gpu,$(BACKEND)),-lcheck -lsubunit -lrt,$(CHECK_LIBS)) -o $@

ifneq ($(OUT),)
SHOWN = $${SHOWN_$(subst -,_,$(subst .,_,$(<F)))}
# What is compiled is the preprocessed text, .i, which stays beside each object: the grader judges it
# (grader/compile/permitted/source_check.py), and a second preprocessor could leave another text, as
# after #pragma GCC target. It has no comments: none says any more where a case may fall through.
# Its macros are those of the timed build in all builds: none tells a program in which it is. Without
# __OPTIMIZE__, since only the macros of immintrin.h, and not its functions, compile at -O0.
FALLS := grep -qiE 'fall(s|en|ing)?[ -]?thr(ough|u)'
# $(1): the flags. DWARF 4, because addr2line finds the file that a #line names in it alone.
define compile-c
	$(Q){ printf '#line 1 "%s"\n' "$(SHOWN)"; $(AS_TEXT) $<; } | \
	    $(CC) $(STUDENT_CFLAGS) -O0 $(filter -w,$(1)) $(LABINC) -x c - -E -o $(@:.o=.i) && \
	    $(CC) $(1) -gdwarf-4 $$($(FALLS) $< && echo -Wno-implicit-fallthrough) -x cpp-output $(@:.o=.i) -c -o $@
endef
define compile-judged-c
	$(call compile-c,$(1) $(JUDGED_CALLS) -S)
	$(Q)mv $@ $(@:.o=.s)
	$(if $(2),$(call machine-accesses,$(2)))
	$(call assemble-with-targets,$(GIVEN_CALLS))
endef
define compile-confined-c
	$(call compile-c,$(CONFINED_CFLAGS) -S)
	$(Q)mv $@ $(@:.o=.s)
	$(call machine-accesses)
	$(call assemble-with-targets,$(CONFINED_CALLS))
endef
# nvcc keeps the text that it gives to the host's compiler.
KEPT = -keep -keep-dir $(@:.o=.kept)
define keep-text
	$(Q)mv $(@:.o=.kept)/*.cpp4.ii $(@:.o=.i) && rm -r $(@:.o=.kept)
endef
$(OUT)/%.c.o: $(OUT)/src/%.c
	$(say) CC "$(SHOWN)"
	$(call compile-judged-c,$(STUDENT_CFLAGS))
$(OUT)/%.c.checked.o: $(OUT)/src/%.c
	$(if $(filter cpu,$(BACKEND)),$(call compile-judged-c,$(ASAN_CFLAGS)),$(compile-confined-c))
$(OUT)/%.c.raced.o: $(OUT)/src/%.c
	$(call compile-judged-c,$(RACE_CFLAGS),threads)
ifeq ($(BACKEND),gpu)
$(OUT)/%.cu.o: $(OUT)/src/%.cu
	$(say) NVCC "$(SHOWN)"
	$(Q){ printf '#line 1 "%s"\n' "$(SHOWN)"; $(AS_TEXT) $<; } > $(OUT)/$*.gpu.cu
	$(Q)mkdir -p $(@:.o=.kept)
	$(Q)$(NVCC) $(NVCCFLAGS) $(KEPT) -Ilabs/runtime -Ilabs/$(LAB) $(VARIANT) -c $(OUT)/$*.gpu.cu -o $@
	$(keep-text)
else
# nvcc's word on a file that the simulator takes. An error fails no build here: it is reported apart.
# Nothing runs what comes out, so it is not optimized (-G): lab 4 takes 1 second instead of 5. Nor is
# the host's part compiled (-cuda): g++ compiles the same for the simulator.
# Each of its compilers may use NVCC_SECONDS of processor time; `timeout` ends one that only waits.
# grader/compile/nvcc_check.py explains both, and needs the last line to be the exit status.
NVCC_SECONDS := 60
NVCC_WAITING := 600
$(OUT)/nvcc.txt: $(patsubst %,$(OUT)/src/%,$(filter %.cu,$(FILES)))
	$(say) NVCC "$(SHOWN)"
	$(Q){ printf '#line 1 "%s"\n' "$(SHOWN)"; $(AS_TEXT) $<; } > $(OUT)/nvcc.cu
	$(Q){ ulimit -S -t $(NVCC_SECONDS); timeout $(NVCC_WAITING) $(NVCC) -std=c++17 -G -arch=$(GPU_ARCH:native=$(NVCC_ARCH)) -Ilabs/runtime \
	    -Ilabs/$(LAB) $(VARIANT) -cuda $(OUT)/nvcc.cu -o $(OUT)/nvcc.o; echo "exit $$?"; } > $@.part 2>&1
	$(Q)rm -f $(OUT)/nvcc.o && mv $@.part $@
# The machine code of an H200 as a GPU's build has it, for grader/machine_code: code.sass, and what
# ptxas says of each kernel among nvcc's messages.
$(OUT)/code.txt: $(patsubst %,$(OUT)/src/%,$(filter %.cu,$(FILES)))
	$(say) NVCC "$(SHOWN)"
	$(Q){ printf '#line 1 "%s"\n' "$(SHOWN)"; $(AS_TEXT) $<; } > $(OUT)/code.cu
	$(call machine-code,$(OUT)/code,-Ilabs/runtime -Ilabs/$(LAB) $(VARIANT))
precompiled = -fpch-preprocess -I$(LIB)/header/$(1)
$(OUT)/%.cu.ii: $(OUT)/src/%.cu $(REWRITER) $(SIM_HEADERS)
	$(say) CXX "$(SHOWN)"
	$(Q)$(TRANSLATE) --shown "$(SHOWN)" --own $(@:.ii=.i) $< -o $@ -- $(CXX) $(SIM_CXXFLAGS) $(JUDGED_CALLS) $(call precompiled,plain) $(LABINC)
$(OUT)/%.cu.o: $(OUT)/%.cu.ii
	$(Q)$(CXX) $(SIM_CXXFLAGS) $(JUDGED_CALLS) -S $< -o $(@:.o=.s)
	$(call assemble-with-targets,$(GIVEN_CALLS))
$(OUT)/%.cu.checked.ii: $(OUT)/src/%.cu $(REWRITER) $(SIM_HEADERS)
	$(Q)$(TRANSLATE) --shown "$(SHOWN)" --own $(@:.ii=.i) $< -o $@ -- $(CXX) $(TRACE_CXXFLAGS) $(CHECKED_CALLS) $(call precompiled,traced) $(LABINC)
$(OUT)/%.cu.checked.o: $(OUT)/%.cu.checked.ii
	$(Q)$(CXX) $(TRACE_CXXFLAGS) $(CHECKED_CALLS) -S $< -o $(@:.o=.s)
	$(call machine-accesses)
	$(call assemble-with-targets,$(CONFINED_CALLS))
endif
endif

ifeq ($(READY),)
NVCC_VERSION := $(BUILD)/nvcc.version
$(NVCC_VERSION): COMPILER = $(NVCC)
GIVEN_INC = $(VARIANT) -Ilabs/$(LAB) $(if $(filter gpu,$(BACKEND)),-Ilabs/runtime -I$(dir $(shell command -v $(NVCC)))../include,$(CPPFLAGS)) -Ilabs/sim/src
define given-cc
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(OUR_CFLAGS) -fopenmp $(GIVEN_INC) $(DEPS) -c $< -o $@
endef
$(GIVEN)/%.o: labs/$(LAB)/%.c $(GCC_VERSION)
	$(given-cc)
# What a lab has no file for is written from its lab.toml: driver.c, speed.c, test.c.
$(GIVEN)/driver.c $(GIVEN)/speed.c $(GIVEN)/test.c: $(GIVEN)/%.c: labs/$(LAB)/lab.toml labs/$(LAB)/lab.h
	@mkdir -p $(@D)
	$(Q)$(PYTHON) -m grader.drivers $(LAB) $* > $@.part && mv $@.part $@
$(GIVEN)/%.o: $(GIVEN)/%.c $(GCC_VERSION)
	$(given-cc)
$(GIVEN)/device_case.o: labs/runtime/runner/device_case.c $(GCC_VERSION)
	$(given-cc)
$(GIVEN)/unit.o: $(or $(wildcard labs/$(LAB)/test_$(firstword $(subst _, ,$(LAB))).c),$(GIVEN)/test.c) $(GCC_VERSION)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g $(LABINC) $(DEPS) -c $< -o $@
ifeq ($(BACKEND),gpu)
$(GIVEN)/%.o: labs/$(LAB)/%.cu $(NVCC_VERSION)
	@mkdir -p $(@D)
	$(say) NVCC $<
	$(Q)$(NVCC) $(NVCCFLAGS) -Ilabs/runtime -Ilabs/$(LAB) $(VARIANT) -c $< -o $@
else
GIVEN_CXXFLAGS = $(SIM_CXXFLAGS) -Werror $(LABINC)
GIVEN_TRACED = $(TRACE_CXXFLAGS) $(LABINC)
$(GIVEN)/%.ii: labs/$(LAB)/%.cu $(REWRITER) $(SIM_HEADERS) $(GCC_VERSION)
	@mkdir -p $(@D)
	$(Q)$(TRANSLATE) $< -o $@ -- $(CXX) $(GIVEN_CXXFLAGS) $(DEPS) -MF $(@:.ii=.d) -MT $@
$(GIVEN)/%.o: $(GIVEN)/%.ii
	$(say) CXX labs/$(LAB)/$*.cu
	$(Q)$(CXX) $(GIVEN_CXXFLAGS) -c $< -o $@
$(GIVEN)/%.checked.ii: labs/$(LAB)/%.cu $(REWRITER) $(SIM_HEADERS) $(GCC_VERSION)
	@mkdir -p $(@D)
	$(Q)$(TRANSLATE) $< -o $@ -- $(CXX) $(GIVEN_TRACED) $(DEPS) -MF $(@:.ii=.d) -MT $@
$(GIVEN)/%.checked.o: $(GIVEN)/%.checked.ii
	$(Q)$(CXX) $(GIVEN_TRACED) -c $< -o $@
endif
-include $(wildcard $(BUILD)/given/*/*/*.d)
endif

# ---------------------------------------------------------------- one lab, timed

# Called as run-binary is, for what a lab and a backend have to be timed. Student,
# baseline and reference are compiled alike, each into a shared object of its own that binds its
# symbols to itself: labs/runtime/bench/bench.h says why. A student's copy has no solution to compile,
# but may have REFERENCE_OBJECT, the same compiled in advance for machines of this kind. It does not
# link with every version of CUDA; then there is no reference.so, and make says nothing.
ifneq ($(OUT),)
REFERENCE := $(notdir $(wildcard $(addprefix solutions/$(LAB)/,$(FILES))))
SLOW := $(notdir $(wildcard labs/$(LAB)/baseline.$(if $(filter gpu,$(BACKEND)),cu,c)))
PIC := -w -fPIC -fno-semantic-interposition $(PLACED)
PIC_NVCC := $(NVCC) $(NVCCFLAGS) -w -Xcompiler=-fPIC,-fno-semantic-interposition,-fno-gnu-unique \
            -Ilabs/runtime -Ilabs/$(LAB) $(VARIANT)
SHARED_cpu = $(CC) -shared -fopenmp $(STACK) -Wl,-Bsymbolic,-z,now
SHARED_gpu = $(NVCC) -arch=$(GPU_ARCH) -shared -Xlinker=-Bsymbolic,-z,now,-z,noexecstack,--exclude-libs=ALL
NO_UNDEFINED_cpu = -Wl,-z,defs -lm
NO_UNDEFINED_gpu = -Xlinker=-z,defs
# grayscale.c and grayscale.cu are side by side, so an object's name keeps the suffix of its source.
pic = $(addprefix $(1)/pic/,$(addsuffix .o,$(2)))

.PHONY: speed-binary speed-binary-given
speed-binary-given: $(if $(SLOW),$(GIVEN)/baseline.so) $(if $(REFERENCE)$(REFERENCE_OBJECT),$(GIVEN)/reference.so) $(GIVEN)/bench
speed-binary: $(OUT)/student.so

$(OUT)/student.so: $(call pic,$(OUT),$(FILES))
$(GIVEN)/baseline.so: $(call pic,$(GIVEN),$(SLOW))
$(OUT)/student.so $(GIVEN)/baseline.so:
	$(Q)$(SHARED_$(BACKEND)) $^ -o $@
ifneq ($(REFERENCE),)
$(GIVEN)/reference.so: $(call pic,$(GIVEN)/reference,$(REFERENCE))
	$(Q)$(SHARED_$(BACKEND)) $^ -o $@
else
$(GIVEN)/reference.so: $(REFERENCE_OBJECT)
	$(Q)$(SHARED_$(BACKEND)) $^ $(NO_UNDEFINED_$(BACKEND)) -o $@ 2> $@.log || rm -f $@
endif

# The Makefile has the flags, which must be the same on all sides.
$(OUT)/pic/%.c.o: $(OUT)/src/%.c
	@mkdir -p $(@D)
	$(say) CC '$(SHOWN) (timed)'
	$(call compile-c,$(STUDENT_CFLAGS) $(PIC))
$(GIVEN)/pic/%.c.o: labs/$(LAB)/%.c Makefile $(GCC_VERSION)
	$(pic-cc)
$(GIVEN)/reference/pic/%.c.o: solutions/$(LAB)/%.c Makefile $(GCC_VERSION)
	$(pic-cc)
$(OUT)/pic/%.cu.o: KEEP = $(KEPT)
$(OUT)/pic/%.cu.o: $(OUT)/src/%.cu
	$(Q)mkdir -p $(@:.o=.kept)
	$(pic-nvcc)
	$(keep-text)
$(GIVEN)/pic/%.cu.o: labs/$(LAB)/%.cu $(NVCC_VERSION)
	$(pic-nvcc)
$(GIVEN)/reference/pic/%.cu.o: solutions/$(LAB)/%.cu $(NVCC_VERSION)
	$(pic-nvcc)

define pic-cc
	@mkdir -p $(@D)
	$(say) CC '$< (timed)'
	$(Q)$(CC) $(STUDENT_CFLAGS) $(PIC) $(LABINC) $(DEPS) -c $< -o $@
endef
define pic-nvcc
	@mkdir -p $(@D)
	$(say) NVCC '$< (timed)'
	$(Q)$(PIC_NVCC) $(KEEP) -MMD -MF $(@:.o=.d) -c $< -o $@
endef

BENCH_LIBS := $(LIB)/libruntime.a -lm -ldl
ifeq ($(BACKEND),gpu)
$(GIVEN)/bench: $(GIVEN)/speed.o $(GIVEN)/bench_gpu.o $(LIB)/runtime/bench/bench.o $(LIB)/libruntime.a
	$(Q)$(NVCC) -arch=$(GPU_ARCH) $(filter %.o,$^) $(BENCH_LIBS) -lgomp -Xlinker=-z,now -o $@
$(GIVEN)/bench_gpu.o: labs/runtime/bench/bench_gpu.cu $(NVCC_VERSION)
	@mkdir -p $(@D)
	$(say) NVCC $<
	$(Q)$(NVCC) $(NVCCFLAGS) -Ilabs/runtime -MMD -MF $(@:.o=.d) -c $< -o $@
else
$(GIVEN)/bench: $(GIVEN)/speed.o $(LIB)/runtime/bench/bench_cpu.o $(LIB)/runtime/bench/bench.o $(LIB)/libruntime.a
	$(Q)$(CC) -fopenmp $(filter %.o,$^) $(BENCH_LIBS) -Wl,-z,now -o $@
endif
-include $(wildcard $(GIVEN)/pic/*.d $(GIVEN)/reference/pic/*.d)
endif
