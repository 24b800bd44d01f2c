# Fuzzing of what reads bytes that a student may have made. `make test` replays the corpus alone.

FUZZ := $(BUILD)/fuzz
FUZZ_HERE := grader/tests/fuzz
SECONDS_A_TARGET := $(if $(filter command line,$(origin SECONDS)),$(SECONDS),600)

.PHONY: fuzz
fuzz: setup $(BUILD)/fuzz-venv/made ## fuzz each parser with coverage, 10 minutes each (SECONDS=600, TARGET="npy archive"); needs clang
	$(Q)$(BUILD)/fuzz-venv/bin/python -m grader.tests.fuzz --seconds $(SECONDS_A_TARGET) $(TARGET)

# atheris has packages for x86-64 alone.
$(BUILD)/fuzz-venv/made: grader/setup/requirements-fuzz.lock | setup
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv --clear $(@D)
	$(Q)$(@D)/bin/pip install -q --disable-pip-version-check --require-hashes -r $<
	$(Q)touch $@

# The readers in C, with a target and either libFuzzer (clang) or replay.c. stb's code is not ours
# to make strict, and steps.c is included whole, so that its static state can be reset.
FUZZ_npy := runtime/io/npy runtime/io/file
FUZZ_image := runtime/io/image runtime/io/stb runtime/io/file
FUZZ_steps := runtime/runner/fence runtime/io/npy runtime/io/file sim/src/evidence/json
FUZZ_CFLAGS := -std=c11 -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -Ilabs/runtime -Ilabs/sim/src \
    -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_LINK_steps := -Wl,--wrap=fence_make,--wrap=file_read
FUZZ_C := npy image steps
FUZZ_HEADERS := $(call some,$(FUZZ_HERE)/c/*.h labs/runtime/*.h labs/runtime/*/*.h labs/sim/src/evidence/*.h labs/runtime/runner/steps.c)

define FUZZ_PROGRAM
$(FUZZ)/$(1): $(FUZZ_HERE)/c/$(1).c $(FUZZ_$(1):%=labs/%.c) $(FUZZ_HEADERS)
	@mkdir -p $$(@D)
	$$(say) CLANG $$@
	$$(Q)clang $(FUZZ_CFLAGS) -fsanitize=fuzzer $$(filter $(FUZZ_HERE)/c/%.c $(FUZZ_$(1):%=labs/%.c),$$^) $(FUZZ_LINK_$(1)) -lm -o $$@
$(FUZZ)/replay-$(1): $(FUZZ_HERE)/c/$(1).c $(FUZZ_HERE)/c/replay.c $(FUZZ_$(1):%=labs/%.c) $(FUZZ_HEADERS)
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)$(CC) $(FUZZ_CFLAGS) $$(filter $(FUZZ_HERE)/c/%.c $(FUZZ_$(1):%=labs/%.c),$$^) $(FUZZ_LINK_$(1)) -lm -o $$@
endef
$(foreach t,$(FUZZ_C),$(eval $(call FUZZ_PROGRAM,$(t))))
