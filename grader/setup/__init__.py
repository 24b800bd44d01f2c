"""Installs what is missing; runs on the system's Python, with the standard library alone."""
