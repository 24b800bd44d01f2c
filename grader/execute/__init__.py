"""Runs a compiled program once, and reads what it left."""
