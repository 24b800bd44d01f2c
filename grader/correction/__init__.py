"""The one change that makes a file right: it is tried, and told only if each check passes."""
