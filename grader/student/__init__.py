"""What belongs to a student's copy: the record of grades, the starter files, the file to hand in."""
