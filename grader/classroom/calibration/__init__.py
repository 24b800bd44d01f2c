"""How the speed checks behave on a machine, and which thresholds fit it."""
