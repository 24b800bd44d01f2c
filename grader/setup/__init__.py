"""Installs what is missing: system packages, Python packages, the photograph. Runs on the system's
Python 3.11 or later before anything is installed: the standard library alone."""
