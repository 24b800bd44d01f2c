"""Why an output is wrong: the known mistakes, and which of them explains it."""
