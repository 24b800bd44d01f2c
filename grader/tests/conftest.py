"""What all tests share."""

import signal

# A test run in the background inherits an ignored SIGINT and would hand it on; the commands that
# tests interrupt must meet the signal as on a terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)
