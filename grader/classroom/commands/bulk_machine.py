"""What a machine must have before `./grade bulk` grades a class on it: room, and a sandbox."""

import shutil
import sys
from pathlib import Path

from grader.classroom.bulk.isolation import probe
from grader.commands import output
from grader.commands.errors import UsageError
from grader.sandbox import choice
from grader.sandbox.tiers import UNCONFINED

TRUSTED = "--i-trust-these-submissions"
FREE = 256 << 20  # bytes of disk that a run needs at least


def check_disk(out: Path) -> None:
    """Raises UsageError when a run in that folder would soon fill its disk."""
    there = next(folder for folder in (out, *out.resolve().parents) if folder.exists())
    if shutil.disk_usage(there).free < FREE:
        raise UsageError(f"the disk of {out} is nearly full: free at least {FREE >> 20} MB")


def check_sandbox(trusted: bool, gpu: bool) -> None:
    """Raises UsageError where a submission could escape from its sandbox. With `trusted`, a sandbox
    is used where there is one, and not tested."""
    reason, tier = choice.missing(gpu), choice.tier(gpu)
    if trusted:
        if tier is None:
            output.say(f"submissions run without a sandbox: {reason}")
            output.say(f"one of them can {UNCONFINED}")
        elif not tier.strangers:
            why = choice.chosen(gpu).refused[0]
            output.say(
                f"submissions run in a weak sandbox, tier {tier.number} ({tier.name}): {why}"
            )
        return
    if tier is not None and not tier.strangers:
        reason = f"tier {tier.number} ({tier.name}) is only for your own code"
    elif tier is not None:
        if sys.stderr.isatty():
            output.say("testing the sandbox that submissions run in (a few seconds)")
        probes = probe.run_all(gpu)
        problems = probe.problems(probes)
        if not problems:
            choice.require(probe.record(tier, probes))  # the workers inherit it
            return
        reason = "the sandbox failed its tests: " + "; ".join(problems[:3])
    raise UsageError(
        f"submissions cannot be isolated on this machine: {reason}. A submitted program could "
        "read, change and send away whatever you can. If you trust every submission, add "
        f"{TRUSTED}"
    )
