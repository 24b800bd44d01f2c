# The project's own tests: lint, C, Python. A student's copy has no such file.

# Folders of grader/tests whose tests compile little.
PYTHON_FAST := datasets diagnose export fuzz model oracle release similarity student timing

# The steps of `make test`: what is cheap and fails most often comes first. TIME_*: on 2 cores.
STEPS := lint unit-plain python-fast $(if $(FAST),,unit-asan python-slow)
TIME_lint := 15 s
WHAT_lint := ruff, mypy and clang on every file; the layers of grader/ and labs/sim
TIME_unit-plain := 1 min
WHAT_unit-plain := unit tests of the runtime and the simulator, in C
TIME_python-fast := 90 s
WHAT_python-fast := grader tests of $(PYTHON_FAST)
TIME_unit-asan := 1 min
WHAT_unit-asan := the C unit tests again, with AddressSanitizer and UBSan
TIME_python-slow := 73 min
WHAT_python-slow := all other Python tests: they build and grade submissions; of the zoo, a part
LEFT_OUT := the other Python tests (make python-slow), C under sanitizers (make unit-asan)

.PHONY: test-all test-plan
test-plan:
	@echo 'make test: $(if $(FAST),the quick tests,all tests (FAST=1: the first three steps)); on 2 cores it takes about'
	@$(foreach step,$(STEPS),printf '  %-12s %6s  %s\n' $(step) '$(TIME_$(step))' '$(WHAT_$(step))';)
test-all: test-plan
	@$(MAKE) setup-dev
	@number=0; for step in $(STEPS); do \
	    number=$$((number + 1)); SECONDS=0; echo "[$$number/$(words $(STEPS))] $$step"; \
	    $(MAKE) $$step || { echo "make test: failed; 'make $$step' repeats this step alone"; exit 1; }; \
	    echo "[$$number/$(words $(STEPS))] $$step passed in $$SECONDS s"; done
	@echo 'make test: passed$(if $(FAST),. Left out: $(LEFT_OUT))'

.PHONY: setup-dev lint unit-plain unit-asan
setup-dev: ## install what the project's own tests need, too
	@./grade setup --dev

lint: setup-dev ## ruff, mypy and clang on every file
	$(say) LINT python
	$(Q)$(PYTHON) -m ruff check --no-cache grader solutions datasets handouts labs grade
	$(Q)$(PYTHON) -m ruff format --check -q grader solutions datasets handouts labs grade
	$(Q)$(PYTHON) -m mypy
	$(say) LINT 'imports between packages'
	$(Q)$(BUILD)/venv/bin/lint-imports --no-cache --no-logo > $(BUILD)/imports.log || { cat $(BUILD)/imports.log; exit 1; }
	$(say) LINT 'generated blocks of the handouts'
	$(Q)$(PYTHON) -m handouts.facts --check
	$(say) LINT 'pages of measured times'
	$(Q)$(PYTHON) -m labs.bench pages --check
	@$(MAKE) -j$$(nproc) lint-c lint-layers

unit-plain unit-asan: setup-dev
	@$(MAKE) -j$$(nproc) unit-one-flavour FLAVOUR=$(@:unit-%=%)

FAST_FOLDERS := $(PYTHON_FAST:%=grader/tests/%)
PYTEST := $(PYTHON) -m pytest -q -n auto --dist loadfile

.PHONY: grader-test python-fast python-slow
grader-test: setup-dev runtime $(BUILD)/reproduce-venv/made ## all Python tests (75 minutes; of the zoo, a part)
	$(say) PYTEST 'all Python tests'
	$(Q)$(PYTEST)
python-fast: setup-dev runtime
	$(say) PYTEST '$(PYTHON_FAST)'
	$(Q)$(PYTEST) $(call some,$(FAST_FOLDERS))
python-slow: setup-dev runtime $(BUILD)/reproduce-venv/made
	$(say) PYTEST 'all other Python tests'
	$(Q)$(PYTEST) $(FAST_FOLDERS:%=--ignore=%)

# ---- the grader measured: commands, not tests

# The tables of what the grader says of programs with a known verdict, and of slips in the solutions.
.PHONY: zoo zoo-table mutation
zoo: setup-dev runtime ## programs with a known verdict: all are graded (30 minutes; `make test` grades nearly half of them, another part for each commit)
	$(Q)ZOO=all $(PYTHON) -m pytest -q grader/tests/zoo
zoo-table: setup-dev runtime ## what the grader says of programs with a known verdict: its table (30 minutes)
	$(Q)$(PYTHON) -m grader.tests.zoo table
mutation: setup-dev runtime ## what the grader says of slips in the solutions: its table (40 to 60 minutes on two cores; ID=... for one)
	$(Q)$(PYTHON) -m grader.tests.mutation $(ID)

# A class of 300 graded in bulk, killed 20 times on the way: grader/bulk/RESULTS.md. With
# STUDENTS=30 KILLS=4 it takes a tenth of the time, and its table goes to build/prove-bulk/.
.PHONY: prove-bulk
prove-bulk: setup ## ./grade bulk on a generated class with hostile submissions: its table (30 minutes; STUDENTS=30 KILLS=4: 4)
	$(Q)$(PYTHON) -m grader.tests.bulk.prove_bulk $(STUDENTS:%=--students %) $(KILLS:%=--kills %)

# What each sandbox costs a launch, and how long programs that resist outlive their limit.
.PHONY: sandbox-times
sandbox-times: setup-dev ## start times of the three sandboxes, and the times of death in them
	$(Q)$(PYTHON) -m grader.tests.sandbox.times

# Three reports, light and dark, as build/screenshots/*.png: look at them after a change of one.
.PHONY: screenshots
screenshots: setup-dev ## pictures of three reports, to be looked at
	$(Q)$(PYTHON) -m grader.tests.render.browser
