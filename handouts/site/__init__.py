"""Makes a site and PDFs of the handouts' Markdown, with pandoc and typst: `make handouts`.

Why no kept generator? The PDFs need pandoc and typst, and what changes pandoc's tree for them, in
any case: of the 2,030 lines here, a generator would replace 1,000 (web.py, search_index.py,
glossary.py, contents.py, the templates and scripts). The checks of links, anchors, alt texts and of
what a page loads from elsewhere would stay, too. It would add 104 MB of packages (zensical), 126 MB
(mkdocs-material) or 78 MB (sphinx with myst-parser and furo), a second reader of Markdown beside
pandoc's, and a script for formulas, which are MathML here. The search must work in a page that was
opened as a file, without a server.
"""
