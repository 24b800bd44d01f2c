"""How good the checks of a lab are: slips in its solution, cheats and right variants, graded."""
