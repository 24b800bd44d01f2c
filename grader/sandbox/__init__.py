"""Runs untrusted commands within limits, and leaves nothing of them behind.

Environment variables:

CONVLABS_NO_SANDBOX        set by a user: programs run within limits but without the sandbox, as
                           where bubblewrap is missing. A bulk run refuses to grade then.
CONVLABS_SANDBOX_REQUIRED  set by a bulk run for its workers, once it has probed the sandbox: they
                           use it without probing again, and run nothing where it fails.
CONVLABS_GRADER            set for each command: the mark of the grader that started it, by which
                           the watchdog finds it when that grader is killed. Not visible inside the
                           sandbox.
"""
