"""How fast a function is, and how sure that is."""
