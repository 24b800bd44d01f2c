"""What belongs to a student's copy: grades so far, starter files, the file to hand in."""
