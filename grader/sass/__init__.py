"""Reads the machine code that nvcc makes for an sm_90, and follows it through a launch."""
