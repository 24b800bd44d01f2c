"""The sandbox of a grade, in words."""

from grader.model.result import Sandbox


def sandbox_in_words(sandbox: Sandbox) -> str:
    """ "tier 1 (bubblewrap, own user), 68 probes passed on 2026-01-31"."""
    if sandbox.tier is None:
        return "none: the programs ran without a sandbox"
    text = f"tier {sandbox.tier} ({sandbox.name})"
    if not sandbox.probes:
        return f"{text}, not probed"
    return f"{text}, {sandbox.probes} probes passed on {sandbox.probed}"
