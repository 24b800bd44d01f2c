"""The one change of a file that makes it right: tried, and told only if every failing check passes."""
