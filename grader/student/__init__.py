"""What belongs to a student's copy: the grades so far, the starter files, the zip to hand in."""
