"""The notebook for a browser: handouts/convlabs.ipynb, made of cells.py."""
