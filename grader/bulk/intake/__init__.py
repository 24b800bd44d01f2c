"""Takes submissions in: which files belong to whom, and unpacking archives safely."""
