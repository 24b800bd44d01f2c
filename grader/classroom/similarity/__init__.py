"""How alike the submissions of a class are: a reason to look at a pair, never a verdict.

The method is winnowing (Schleimer, Wilkerson and Aiken 2003) on the normalized syntax tree. No kept
program serves: JPlag needs Java and has no CUDA; compare50 ranks planted copies as well as this
does, but has no limit below which a pair is not shown, and cannot be installed beside jsonschema
(RESULTS.md). tree-sitter-cuda is in the lock file already, and gives the syntax tree.
"""
