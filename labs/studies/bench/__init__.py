"""How fast the labs are: floor, baseline, reference, expert and the libraries that do the same
work, measured side by side in one run (make bench, make bench-gpu)."""
