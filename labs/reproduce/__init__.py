"""The sources' experiments, measured here, beside their published figures: `make reproduce`."""
