# The site and the PDFs of the handouts.

.PHONY: handouts
handouts: ## these pages as a site to open in a browser, and as PDFs (half a minute)
	@echo 'make handouts: a site and PDFs of the pages in handouts/'
	@./grade setup --handouts
	$(Q)$(PYTHON) -m handouts.site
