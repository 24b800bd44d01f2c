# The sources' experiments. labs/studies/bench builds and times the labs' functions for them.

.PHONY: reproduce
reproduce: setup $(BUILD)/reproduce-venv/made ## the sources' experiments on this machine, beside their published figures (5 minutes)
	$(Q)PYTHONDONTWRITEBYTECODE=1 $(BUILD)/reproduce-venv/bin/python -m labs.studies.reproduce $(if $(FRESH),--fresh)

# Only the report needs matplotlib and Jinja.
$(BUILD)/reproduce-venv/made: grader/setup/requirements-reproduce.lock | setup
	$(say) VENV $(@D)
	$(Q)$(PYTHON) -m venv --clear $(@D)
	$(Q)$(@D)/bin/pip install -q --disable-pip-version-check --require-hashes -r $<
	$(Q)touch $@

.PHONY: lint-reproduce
lint-c: lint-reproduce
lint-reproduce: $(patsubst labs/studies/reproduce/%.c,lint-reproduce-%,$(call some,labs/studies/reproduce/*.c))
lint-reproduce-%: labs/studies/reproduce/%.c
	$(Q)clang -fsyntax-only -std=c11 -D_GNU_SOURCE $(STRICT) -Wno-unknown-pragmas $(CPPFLAGS) \
	    -Ilabs/lab8_grayscale $<
