"""Adds run-time checks for accesses that fault on a device, or that its lanes make together."""
