"""How alike the submissions of a class are: a reason to look at a pair, never a verdict.

The method is winnowing (Schleimer, Wilkerson and Aiken 2003) on the normalized syntax tree. No kept
program serves: JPlag needs Java and has no CUDA; compare50 compares the tokens of a lexer in their
order, in which another loop form, a split declaration or an inlined constant hides a copy.
tree-sitter-cuda is in the lock file already, and gives the syntax tree.
"""
