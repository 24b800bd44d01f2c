"""`python -m grader`, which ./grade becomes once the packages are installed."""

import signal
import sys

try:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # ./grade had it wait
    from grader.cli import main

    status = main()
except KeyboardInterrupt:  # while the modules are being imported
    print("grade: interrupted; nothing is left behind", file=sys.stderr)
    status = 130
sys.exit(status)
