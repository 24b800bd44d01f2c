"""The kinds of questions, one module each.

A module has ABOUT, a few words on what is asked; REBUILDS, whether its second computation compiles
a changed program; and ask(), which makes a draft or raises CannotTell.
"""
