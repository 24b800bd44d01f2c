"""`python -m grader`, which ./grade calls."""

import sys

try:
    from grader.cli import main

    status = main()
except KeyboardInterrupt:  # while it is still loading
    print("grade: interrupted; nothing is left behind", file=sys.stderr)
    status = 130
sys.exit(status)
