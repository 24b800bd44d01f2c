"""Draws many small calls from a part's contract, runs them in sequences and shrinks what fails."""
