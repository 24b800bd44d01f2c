"""What a command has used so far, and which of its limits that reaches."""

from dataclasses import dataclass
from typing import Literal

from grader.sandbox.limits import Limits, cores
from grader.sandbox.process_tree import Usage

# processor: of one thread; processors: of all threads together. starved: by other programs.
Reached = Literal["processor", "processors", "waiting", "starved", "memory"]
# Between two samples, no more than this counts as waiting: when a busy machine does not let the
# grader sample, it does not know what the command did.
MOST_BETWEEN = 1.0


@dataclass
class Account:
    """The resource use of one command. started_at, seen_at: times of the same clock."""

    limits: Limits
    started_at: float
    seen_at: float
    processor: float = 0.0  # seconds
    waited: float = 0.0  # seconds in which no thread ran or waited for a core

    def add(self, usage: Usage, now: float) -> Reached | None:
        """Notes what the command has used up to now. Returns the limit that it has reached."""
        if not usage.active and usage.processor <= self.processor:
            self.waited += min(now - self.seen_at, MOST_BETWEEN)
        self.seen_at = now
        self.processor = max(self.processor, usage.processor)
        if usage.memory > self.limits.memory:
            return "memory"
        if usage.busiest >= self.limits.seconds:
            return "processor"
        if self.processor >= self.limits.seconds * cores():
            return "processors" if cores() > 1 else "processor"
        if self.waited >= self.limits.longest_wait():
            return "waiting"
        return "starved" if now - self.started_at >= self.limits.longest() else None
