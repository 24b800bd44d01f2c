"""Questions about the student's own program, with answers that its runs give"""
