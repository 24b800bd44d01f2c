# The sources' experiments. labs/studies/bench builds and times the labs' functions for them.

.PHONY: reproduce
reproduce: setup-charts ## the sources' experiments on this machine, next to their published figures (5 minutes)
	$(Q)$(PYTHON) -m labs.studies.reproduce $(if $(FRESH),--fresh)

# Only the report needs matplotlib.
.PHONY: setup-charts
setup-charts:
	@./grade setup --charts

.PHONY: lint-reproduce
lint-c: lint-reproduce
lint-reproduce: $(patsubst labs/studies/reproduce/%.c,lint-reproduce-%,$(call some,labs/studies/reproduce/*.c))
lint-reproduce-%: labs/studies/reproduce/%.c
	$(Q)clang -fsyntax-only -fopenmp -std=c11 -D_GNU_SOURCE $(STRICT) $(CPPFLAGS) \
	    -Ilabs/lab8_grayscale $<
