"""The one front end: a program's text, tokens, syntax tree and functions, and what the preprocessor
left out."""
