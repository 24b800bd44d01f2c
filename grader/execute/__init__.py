"""Runs a compiled program once and reads its outputs."""
