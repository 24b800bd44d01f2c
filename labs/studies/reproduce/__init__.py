"""`make reproduce`: the sources' experiments, measured here, next to their published figures."""
