"""Measures how fast a function is, and how certain the measurement is."""
