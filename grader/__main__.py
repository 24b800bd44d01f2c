"""`python -m grader`, which ./grade calls."""

import sys

from grader.cli import main

sys.exit(main())
