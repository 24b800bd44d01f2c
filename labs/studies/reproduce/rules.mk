# The programs of `make reproduce`: build/reproduce/bin/{cpu,sim,gpu}/NAME. Each links the solution
# and the baseline of one lab with a program of this folder that times them, all compiled as for
# grading.
#
#   make reproduce                          measure, and write build/reproduce/report.{html,md}
#   make reproduce-programs BACKEND=gpu     build every program of one backend: cpu, sim or gpu
#
# If a lab has no solution, its programs are not built, and the report says so.

.PHONY: reproduce
reproduce: setup $(BUILD)/reproduce-venv/made ## the sources' experiments on this machine, beside their published figures (5 minutes)
	$(Q)PYTHONDONTWRITEBYTECODE=1 $(BUILD)/reproduce-venv/bin/python -m labs.studies.reproduce $(if $(FRESH),--fresh)

# Only the report needs matplotlib and Jinja.
$(BUILD)/reproduce-venv/made: grader/setup/requirements-reproduce.lock | setup
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv --clear $(@D)
	$(Q)$(@D)/bin/pip install -q --disable-pip-version-check --require-hashes -r $<
	$(Q)touch $@

REP := $(BUILD)/reproduce/bin
REP_LAB = $(notdir $(firstword $(wildcard labs/lab$(1)_*)))
REP_FILES = $(filter-out %/expert.$(2),$(wildcard solutions/$(call REP_LAB,$(1))/*.$(2)))
REP_HAVE = $(foreach n,$(1),$(if $(call REP_FILES,$(n),$(2)),$(n)))

# Only files that need no picture library: these programs are also built without stb.
REP_COMMON := $(patsubst %,$(LIB)/runtime/%.o,bench/clock io/file io/npy)
REP_SIM_LABS := 2 4
REP_GPU_LABS := 2 3 4 5 6 7 8
REP_PROGRAMS_cpu = cpu_filter cpu_filter_exact cpu_separable $(if $(call REP_HAVE,8,c),cpu_grey)
# The simulator gives results but no times, so only labs whose results are compared are built for it.
REP_PROGRAMS_sim = $(foreach n,$(call REP_HAVE,$(REP_SIM_LABS),cu),device_lab$(n)) device_lab2_unfused
REP_PROGRAMS_gpu = $(foreach n,$(call REP_HAVE,$(REP_GPU_LABS),cu),device_lab$(n)) device_lab2_unfused

.PHONY: reproduce-programs
reproduce-programs:
	@$(MAKE) $(REP_PROGRAMS_$(BACKEND):%=$(REP)/$(BACKEND)/%)

# ---- our programs: strict C, with the lab.h of their lab

REP_INC_cpu := -Ilabs/runtime
REP_INC_sim := $(CPPFLAGS)
REP_INC_gpu = -Ilabs/runtime -isystem $(dir $(shell command -v $(NVCC)))../include
REP_LAB_OF_cpu_filter := 1
REP_LAB_OF_cpu_grey := 8
REP_LAB_OF_grey_fma := 8
$(foreach n,$(REP_GPU_LABS),$(eval REP_LAB_OF_device_lab$(n) := $(n)))

define REP_OURS
$(REP)/$(1)/%.o: labs/studies/reproduce/%.c
	@mkdir -p $$(@D)
	$$(say) CC '$$< ($(1))'
	$$(Q)$(CC) $(OUR_CFLAGS) -fopenmp $(REP_INC_$(1)) $(DEPS) $$(if $$(REP_LAB_OF_$$*),-Ilabs/$$(call REP_LAB,$$(REP_LAB_OF_$$*))) -c $$< -o $$@
endef
$(foreach b,cpu sim gpu,$(eval $(call REP_OURS,$(b))))
# Its loops are measured, so they are optimized like those of lab 1.
$(REP)/cpu/cpu_separable.o: labs/studies/reproduce/cpu_separable.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(OUR_CFLAGS) -O3 -march=native -fopenmp $(REP_INC_cpu) $(DEPS) -c $< -o $@

.PHONY: lint-reproduce
lint-c: lint-reproduce
lint-reproduce: $(patsubst labs/studies/reproduce/%.c,lint-reproduce-%,$(call some,labs/studies/reproduce/*.c))
lint-reproduce-%: labs/studies/reproduce/%.c
	$(Q)$(if $(REP_LAB_OF_$*),$(if $(call REP_LAB,$(REP_LAB_OF_$*)),,: no lab $(REP_LAB_OF_$*) yet:)) clang \
	    -fsyntax-only -std=c11 -D_GNU_SOURCE $(STRICT) -Wno-unknown-pragmas $(CPPFLAGS) \
	    $(if $(REP_LAB_OF_$*),-Ilabs/$(call REP_LAB,$(REP_LAB_OF_$*))) $<

# ---- solutions and baselines: REP_SOURCE is compiled to REP_OBJECT in a separate make with LAB set,
# because a lab may have its own flags (flags.mk)

.PHONY: reproduce-solution
reproduce-solution:
	@mkdir -p $(dir $(REP_OBJECT))
	$(say) $(if $(filter %.cu,$(REP_SOURCE)),$(if $(filter gpu,$(BACKEND)),NVCC,CXX),CC) '$(REP_SOURCE) ($(BACKEND))'
ifeq ($(suffix $(REP_SOURCE)),.c)
	$(Q)$(CC) $(STUDENT_CFLAGS) $(REP_EXTRA) -w $(LABINC) -c $(REP_SOURCE) -o $(REP_OBJECT)
else ifeq ($(BACKEND),gpu)
	$(Q)$(NVCC) $(NVCCFLAGS) $(REP_EXTRA) -Ilabs/runtime -Ilabs/$(LAB) -c $(REP_SOURCE) -o $(REP_OBJECT)
else
	$(Q)$(TRANSLATE) $(REP_SOURCE) -o $(REP_OBJECT:.o=.ii) -- $(CXX) $(SIM_CXXFLAGS) $(REP_EXTRA) $(LABINC)
	$(Q)$(CXX) $(SIM_CXXFLAGS) $(REP_EXTRA) -c $(REP_OBJECT:.o=.ii) -o $(REP_OBJECT)
endif

# $(1) backend, $(2) number of the lab, $(3) c or cu, $(4) a suffix, $(5) additional flags
define REP_SOLUTION
$(REP)/$(1)/lab$(2)$(4).$(3).o: $(call REP_FILES,$(2),$(3)) $(wildcard labs/$(call REP_LAB,$(2))/*.h)
	@$(MAKE) reproduce-solution BACKEND=$(1) LAB=$(call REP_LAB,$(2)) REP_SOURCE=$$< REP_OBJECT=$$@ REP_EXTRA='$(5)'
endef
define REP_BASELINE
$(REP)/$(1)/lab$(2)_baseline.$(3).o: $(wildcard labs/$(call REP_LAB,$(2))/baseline.$(3))
	@mkdir -p $$(@D)
	$$(say) CC '$$< ($(1))'
	$$(Q)$(if $(filter c,$(3)),$(CC) $(OUR_CFLAGS) -fopenmp $(REP_INC_$(1)),$(NVCC) $(NVCCFLAGS) -Ilabs/runtime) -Ilabs/$(call REP_LAB,$(2)) -c $$< -o $$@
endef
$(foreach n,1 8,$(eval $(call REP_SOLUTION,cpu,$(n),c))$(eval $(call REP_BASELINE,cpu,$(n),c)))
$(eval $(call REP_SOLUTION,cpu,1,c,_exact,-ffp-contract=off))
$(foreach n,$(REP_SIM_LABS),$(eval $(call REP_SOLUTION,sim,$(n),cu)))
$(foreach n,$(REP_GPU_LABS),$(eval $(call REP_SOLUTION,gpu,$(n),cu)))
$(eval $(call REP_SOLUTION,sim,2,cu,_unfused,-ffp-contract=off))
$(eval $(call REP_SOLUTION,gpu,2,cu,_unfused,--fmad=false))
$(foreach n,6 7,$(eval $(call REP_BASELINE,gpu,$(n),cu)))

# ---- programs

REP_LINK_cpu := $(CC) -fopenmp
REP_LINK_sim := $(CXX) -fopenmp
REP_LINK_gpu = $(NVCC) -arch=$(GPU_ARCH) -Xcompiler -fopenmp
REP_LIBS_cpu := -lm
REP_LIBS_sim := $(LIB)/libsim.a -lm -pthread
REP_LIBS_gpu := -lm
REP_HELP_cpu := $(patsubst %,$(REP)/cpu/%.o,timing filter)
REP_HELP_sim := $(patsubst %,$(REP)/sim/%.o,timing filter device)
REP_HELP_gpu := $(patsubst %,$(REP)/gpu/%.o,timing filter device)

# $(1) backend, $(2) program, $(3) objects besides the common ones
define REP_PROGRAM
$(REP)/$(1)/$(2): $(3:%=$(REP)/$(1)/%.o) $(REP_HELP_$(1)) $(REP_COMMON) $(if $(filter sim,$(1)),$(LIB)/libsim.a)
	$$(say) LINK $$@
	$$(Q)$$(REP_LINK_$(1)) $$(filter %.o,$$^) $$(REP_LIBS_$(1)) -o $$@
endef
$(eval $(call REP_PROGRAM,cpu,cpu_filter,cpu_filter lab1.c lab1_baseline.c))
$(eval $(call REP_PROGRAM,cpu,cpu_filter_exact,cpu_filter lab1_exact.c lab1_baseline.c))
$(eval $(call REP_PROGRAM,cpu,cpu_separable,cpu_separable))
$(eval $(call REP_PROGRAM,cpu,cpu_grey,cpu_grey grey_fma lab8.c lab8_baseline.c))
$(foreach b,sim gpu,$(foreach n,$(REP_GPU_LABS),$(eval \
    $(call REP_PROGRAM,$(b),device_lab$(n),device_lab$(n) lab$(n).cu $(if $(filter 6 7,$(n)),lab$(n)_baseline.cu)))))
$(foreach b,sim gpu,$(eval $(call REP_PROGRAM,$(b),device_lab2_unfused,device_lab2 lab2_unfused.cu)))
-include $(wildcard $(REP)/*/*.d)
