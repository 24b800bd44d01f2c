"""Renders a result as text or as an HTML page. Nothing here decides a grade."""
