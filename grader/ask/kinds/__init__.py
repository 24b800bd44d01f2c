"""The kinds of questions, one module each; CONTRIBUTING.md says what a module has."""
