"""What is right: the inputs of a check, the float64 results, and how an output compares."""
