# The project's own tests: lint, C, Python. A student's copy has no such file.

# `make test` runs lint, the unit tests in C, all cheap Python tests and one of 16 parts of the others:
# grader/tests/rotation.py. The part is the number of commits modulo 16; PART=5 asks for another.
PART ?= $(shell echo $$(($$(git rev-list --count HEAD 2> /dev/null || echo 0) % 16)))
# The tests of part 0 include those that need a browser and what makes the handouts.
FLAVOUR_OF_PART = $(if $(filter 0,$(PART)),pages,dev)
# Folders whose tests take little, for FAST=1.
QUICK := contract datasets diagnose model oracle student

STEPS := lint unit-plain $(if $(FAST),python-quick,unit-asan python-part)
TIME_lint := 30 s
WHAT_lint := ruff, mypy, clang and clang-format on every file; the layers of grader/ and labs/sim
TIME_unit-plain := 30 s
WHAT_unit-plain := unit tests of the runtime and the simulator, in C and CUDA
TIME_python-quick := 30 s
WHAT_python-quick := Python tests of $(QUICK)
TIME_unit-asan := 40 s
WHAT_unit-asan := the C unit tests again, with AddressSanitizer and UBSan
TIME_python-part := 6 min
WHAT_python-part := the cheap Python tests, and part $(PART) of 16 of the others
LEFT_OUT = $(if $(FAST),C under sanitizers and all other Python tests,15 of 16 parts of the costly Python tests; \
           `make test-all` runs everything)

.PHONY: test-part test-plan test-all test-changed test-costs
test-plan:
	@echo 'make test: on 2 cores it takes about 10 minutes (FAST=1: only lint, C and the quick Python tests)'
	@$(foreach step,$(STEPS),printf '  %-12s %6s  %s\n' $(step) '$(TIME_$(step))' '$(WHAT_$(step))';)
test-part: test-plan
	@./grade setup --$(FLAVOUR_OF_PART) --system
	@$(MAKE) setup-$(FLAVOUR_OF_PART) & setup=$$!; $(MAKE) unit-c || { wait $$setup; exit 1; }; wait $$setup
	+@python3 grader/tests/steps.py --stop 'make test' $(STEPS)
	@echo 'make test: passed. Left out: $(LEFT_OUT)'

# SHARD=3/8 runs the third of 8 shards of the Python tests.
test-all: ## all tests (SHARD=3/8: an eighth of them)
	@./grade setup --pages
	+@python3 grader/tests/steps.py 'make test-all' lint unit-plain unit-asan python-all
	@echo 'make test-all: $(if $(SHARD),shard $(SHARD) passed,all tests passed)'
test-changed: setup-dev runtime ## the tests of what differs from the last commit (BASE=COMMIT: from another)
	$(Q)$(PYTEST) --changed $(or $(BASE),HEAD)
test-costs: setup-pages runtime ## measure what each test costs: which are cheap
	$(Q)$(PYTEST) --write-costs

.PHONY: setup-dev setup-pages lint unit-plain unit-asan unit-c
setup-dev: ## install what `make test` needs, too
	@./grade setup --dev
setup-pages: ## install what all tests need: a browser, what makes the handouts
	@./grade setup --pages

.PHONY: lint-types lint-python
lint: setup-dev ## ruff, mypy and clang on every file
	@$(MAKE) -j$$(nproc) lint-types lint-python lint-c lint-format lint-layers
lint-types: # takes longest, so it begins first
	$(say) LINT 'types of Python'
	$(Q)$(PYTHON) -m mypy
lint-python:
	$(say) LINT python
	$(Q)$(PYTHON) -m ruff check --no-cache grader solutions datasets handouts labs grade
	$(Q)$(PYTHON) -m ruff format --check -q grader solutions datasets handouts labs grade
	$(say) LINT 'imports between packages'
	$(Q)$(BUILD)/venv/bin/lint-imports --no-cache --no-logo > $(BUILD)/imports.log || { cat $(BUILD)/imports.log; exit 1; }
	$(say) LINT 'the limits of make weight'
	$(Q)python3 grader/tests/weight.py --quiet
	$(say) LINT 'generated blocks of the handouts'
	$(Q)$(PYTHON) -m handouts.facts --check
	$(say) LINT 'pages of measured times'
	$(Q)$(PYTHON) -m labs.studies.bench pages --check

unit-plain unit-asan: setup-dev
	@$(MAKE) -j$$(nproc) unit-one-flavour FLAVOUR=$(@:unit-%=%)
# Tests in C alone need no Python package, and so do not wait for them.
unit-c:
	@$(MAKE) -j$$(nproc) unit-one-flavour FLAVOUR=plain KIND=c
	@$(MAKE) -j$$(nproc) unit-one-flavour FLAVOUR=asan KIND=c

PYTEST := $(PYTHON) -m pytest -q -n auto --no-loadscope-reorder

.PHONY: python-all python-part python-quick
python-all: setup-pages runtime
	$(say) PYTEST '$(if $(SHARD),shard $(SHARD),all Python tests)'
	$(Q)$(PYTEST) $(if $(SHARD),--shard $(SHARD))
python-part: setup-$(FLAVOUR_OF_PART) runtime
	$(say) PYTEST 'cheap tests, and part $(PART)'
	$(Q)$(PYTEST) --part $(PART)
python-quick: setup-dev runtime
	$(say) PYTEST '$(QUICK)'
	$(Q)$(PYTEST) $(call some,$(QUICK:%=grader/tests/%))

.PHONY: weight
weight: ## files and lines by wing and folder, and their limits
	@python3 grader/tests/weight.py

# ---- the grader measured: commands, not tests

# The tables of what the grader says of programs with a known verdict, and of slips in the solutions.
.PHONY: known known-table mutation
known: setup-dev runtime ## programs with a known verdict: all are graded (20 minutes; `make test` grades a part of them)
	$(Q)$(PYTEST) grader/tests/known_submissions
known-table: setup-dev runtime ## what the grader says of programs with a known verdict: its table (30 minutes)
	$(Q)$(PYTHON) -m grader.tests.known_submissions table
mutation: setup-dev runtime ## what the grader says of slips in the solutions: its table (40 to 60 minutes on two cores; ID=... for one)
	$(Q)$(PYTHON) -m grader.tests.mutation $(ID)

# A class of 300 graded in bulk, killed 20 times on the way: grader/classroom/bulk/RESULTS.md. With
# STUDENTS=30 KILLS=4 it takes a tenth of the time, and its table goes to build/prove-bulk/, as
# that of another lab, PROVED_LAB=lab3, or without the class page, PAGE=no.
.PHONY: prove-bulk
prove-bulk: setup ## ./grade bulk on a generated class with hostile submissions: its table (30 minutes; STUDENTS=30 KILLS=4: 4)
	$(Q)$(PYTHON) -m grader.tests.classroom.bulk.prove_bulk $(STUDENTS:%=--students %) $(KILLS:%=--kills %) $(PAGE:no=--no-page)

# What each sandbox costs a launch, and how long programs that resist outlive their limit.
.PHONY: sandbox-times
sandbox-times: setup-dev ## start times of the three sandboxes, and the times of death in them
	$(Q)$(PYTHON) -m grader.tests.sandbox.times

# Three reports, light and dark, as build/screenshots/*.png: look at them after a change of one.
.PHONY: screenshots
screenshots: setup-dev ## pictures of three reports, to be looked at
	$(Q)$(PYTHON) -m grader.tests.render.browser
