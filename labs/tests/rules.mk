# Checks and measurements of the C code that only the project itself needs. A student's copy has no
# such file.

# clang reads every C file of ours with the same strict flags; gcc has done so while building.
.PHONY: lint-c
OUR_C = $(COMMON_C) $(call some,labs/sim/src/*/*.c labs/lab*/*.c)
lint-c:
	$(say) LINT 'C with clang'
	$(Q)printf '%s\n' $(OUR_C) | xargs -P $$(nproc) -n 8 \
	    clang -fsyntax-only -std=c11 -D_GNU_SOURCE $(STRICT) -Wno-unknown-pragmas $(CPPFLAGS) $(SIM_CPPFLAGS)

# The layout of our C is that of .clang-format. Not so what is measured by line, and CUDA programs of
# tests, which have the layouts that students write.
.PHONY: lint-format
FORMATTED = $(OUR_C) $(call some,$(addprefix labs/,runtime/*.h runtime/*/*.h runtime/*/*.cu sim/src/*/*.h \
            sim/include/*.h sim/include/*/*.h lab*/*.h lab*/*.cu studies/bench/*.c studies/reproduce/*.c \
            tests/runtime/*.c tests/runtime/*/*.c tests/sim/*.h tests/sim/*/*.c))
lint-format:
	$(say) LINT 'layout of C'
	$(Q)$(BUILD)/venv/bin/clang-format --dry-run -Werror $(FORMATTED)

# In the simulator's runtime a layer includes and calls only the layers before it in the list of
# check_layers.py; so does labs/runtime. No two files need each other. Not looked at are the programs in
# bench/ and runner/: what their parts and the lab promise each other is in a header of the main file.
.PHONY: lint-layers
lint-layers: $(SIM_OBJ) $(COMMON_OBJ) $(RACE_OBJ)
	$(say) LINT 'layers of labs/sim/src and labs/runtime'
	$(Q)$(PYTHON) labs/sim/check_layers.py --objects $(LIB)/sim
	$(Q)$(PYTHON) labs/sim/check_layers.py --sources labs/runtime --objects $(LIB)/runtime \
	    --layers io openmp_race --skip runner bench

.PHONY: aarch64
aarch64: setup ## build and run the simulator for aarch64, in qemu
	$(Q)$(PYTHON) labs/tests/aarch64.py
