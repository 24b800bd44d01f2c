"""What nvcc makes of each line of a program: its machine code for an H200, counted and in words."""
