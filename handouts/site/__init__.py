"""Makes a site and PDFs of the handouts' Markdown, with pandoc and typst: `make handouts`."""
