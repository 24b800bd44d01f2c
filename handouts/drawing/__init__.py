"""The scripts that draw the figures of the handouts: `python -m handouts.drawing` runs them."""
