"""Compiles what a student hands in, and explains why it does not compile."""
