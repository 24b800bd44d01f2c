"""What nvcc makes of each source line: compiles, reads the listing, finds facts, says them."""
