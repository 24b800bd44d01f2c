"""Edits the code of a device: variables, qualifiers, arithmetic, the order of evaluation."""
