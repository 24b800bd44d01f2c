"""Runs untrusted commands within limits, and leaves nothing of them behind.

launcher.py runs a command; choice.py decides in which of the sandboxes of tiers.py: bubblewrap.py
makes the first, confined.py the others.

Environment variables:

CONVLABS_NO_SANDBOX        set by a user: programs run within limits but without a sandbox, as
                           where none works. A bulk run refuses to grade then.
CONVLABS_SANDBOX_REQUIRED  set by a bulk run for its workers, once it has probed a sandbox: as JSON
                           its tier, the number of probes and the day. They use it without probing
                           again, and run nothing where it fails.
CONVLABS_GRADER            set for each command: the tag of the grader that started it, by which
                           the watchdog finds it when that grader is killed. Not visible inside
                           tiers 1 and 2.
"""
