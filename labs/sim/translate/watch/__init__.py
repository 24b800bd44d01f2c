"""Has a run look at accesses that a device would not bear, or would make together."""
