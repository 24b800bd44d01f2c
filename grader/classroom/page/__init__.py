"""The class page: one HTML file for the instructor, with what a run says about a whole class."""
