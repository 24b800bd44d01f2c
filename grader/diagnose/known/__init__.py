"""The known mistakes, by what they are about, each with the output that it gives."""
