"""The one reader of C and CUDA: tokens, what brackets and directives make of them, and the tree."""
