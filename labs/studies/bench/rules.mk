# Builds what labs/studies/bench times.
#
#   make bench        labs 1 and 8 on the CPU: labs/studies/bench/results/cpu.json, RESULTS.md, README.md
#   make bench-gpu    labs 2 to 8 on a GPU: results/gpu.json, and the same pages
#
# `python -m labs.studies.bench` builds with `make bench-side LAB=... BACKEND=cpu|sim|gpu SOURCE=... OUT=...
# SIDE=...` one source of a lab to OUT/SIDE.so, with the flags of a submission that is timed (and FLAGS),
# and with `make bench-device` what allocates and times on a GPU.

.PHONY: bench bench-gpu setup-bench
setup-bench:
	@./grade setup --bench
bench: setup-bench ## labs 1 and 8 on this CPU against OpenCV and SciPy: their tables (10 minutes)
	$(Q)$(PYTHON) -m labs.studies.bench cpu
bench-gpu: setup-bench ## labs 2 to 8 on this GPU against cuDNN and CuPy: their tables (4 minutes; BENCH_PYTHON: one that has PyTorch)
	$(Q)$(or $(BENCH_PYTHON),$(PYTHON)) -m labs.studies.bench gpu

BENCH_OBJECT := $(OUT)/$(SIDE)$(suffix $(SOURCE)).o
# On the simulator each side contains a device of its own: the simulator finds __constant__ variables
# by the sections of the object that it is linked into. What lies between two addresses is code to it.
BENCH_SIM = $(CXX) $(SIM_CXXFLAGS) -w -fPIC $(LABINC)
SHARED_sim = $(CXX) -shared -fopenmp -Wl,-Bsymbolic \
             -Wl,--defsym=__executable_start=0,--defsym=etext=0x7fffffffffff
BENCH := $(BUILD)/bench
LIBS_OF_SIM := -Wl,--whole-archive $(LIB)/libsim.a -Wl,--no-whole-archive -lm

.PHONY: bench-side bench-device bench-calibrate bench-copies
ifneq ($(SIDE),)
bench-side: $(OUT)/$(SIDE).so
$(OUT)/$(SIDE).so: $(BENCH_OBJECT) $(if $(filter sim,$(BACKEND)),$(BENCH)/sim/device.o $(LIB)/libsim.a)
	$(Q)$(SHARED_$(BACKEND)) $(filter %.o,$^) $(if $(filter sim,$(BACKEND)),$(LIBS_OF_SIM)) -o $@
# Another make may have made it for other flags: they are in the Makefiles.
$(BENCH_OBJECT): $(SOURCE) $(wildcard labs/$(LAB)/*.h labs/runtime/*.h) Makefile labs/runtime/submission.mk labs/studies/bench/rules.mk
	@mkdir -p $(@D)
	$(say) $(if $(filter %.c,$<),CC,$(if $(filter gpu,$(BACKEND)),NVCC,CXX)) '$< ($(BACKEND))'
ifeq ($(suffix $(SOURCE)),.c)
	$(Q)$(CC) $(STUDENT_CFLAGS) $(PIC) $(LABINC) $(FLAGS) -c $< -o $@
else ifeq ($(BACKEND),gpu)
	$(Q)$(PIC_NVCC) $(FLAGS) -c $< -o $@
else
	$(Q)$(TRANSLATE) $< -o $(@:.o=.ii) -- $(BENCH_SIM) $(FLAGS)
	$(Q)$(BENCH_SIM) $(FLAGS) -c $(@:.o=.ii) -o $@
endif
endif

bench-device: $(BENCH)/gpu/device.so
$(BENCH)/gpu/device.so: labs/studies/bench/device.cu labs/studies/bench/device.h labs/runtime/bench/multiply_add.cuh
	@mkdir -p $(@D)
	$(say) NVCC $<
	$(Q)$(NVCC) $(NVCCFLAGS) -Ilabs/runtime -Xcompiler=-fPIC,-Wall,-Wextra -shared $< -o $@
$(BENCH)/sim/device.o: labs/studies/bench/device.cu labs/studies/bench/device.h labs/runtime/bench/multiply_add.cuh $(REWRITER) $(SIM_HEADERS)
	@mkdir -p $(@D)
	$(say) CXX $<
	$(Q)$(TRANSLATE) $< -o $(@:.o=.ii) -- $(CXX) $(SIM_CXXFLAGS) -fPIC $(CPPFLAGS)
	$(Q)$(BENCH_SIM) -c $(@:.o=.ii) -o $@
# The copy and the multiply-adds of the CPU that the grader calibrates with.
BENCH_CALIBRATE := $(patsubst %,$(LIB)/runtime/bench/%.o,calibrate clock)
bench-calibrate: $(BENCH)/cpu/calibrate.so
$(BENCH)/cpu/calibrate.so: $(BENCH_CALIBRATE)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fopenmp $^ -o $@
bench-copies: $(BENCH)/cpu/copies.so
$(BENCH)/cpu/copies.so: labs/studies/bench/grey_copies.c labs/studies/bench/plain_copies.c
	@mkdir -p $(@D)
	$(say) CC '$^'
	$(Q)$(CC) -std=gnu11 -O3 -fno-tree-vectorize -fPIC -shared $^ -o $@
