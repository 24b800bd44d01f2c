"""What the threads of OpenMP's teams did in a run under the race detector (labs/runtime/
openmp_race), where they take turns: so it is the same in every run."""

from typing import Annotated

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 62)]

# Part of what all threads wrote that one must have written to count as one that worked. A flag that
# a thread sets is less; an even share of 64 threads is more.
SHARE = 0.01
# Part of all that threads wrote that was written by one at a time. Of two that share the work it is
# a half.
TURNS = 0.9


class Team(msgspec.Struct, frozen=True):
    """largest: threads of the largest team, 1 where none was started. written: bytes outside of its
    own stack, by each thread of all teams; 0 for one that worked under a lock. alone: those that
    were written outside of teams. teams: how many of several threads were started. read: bytes,
    by all threads of teams together. one_by_one: bytes written by the thread that wrote most,
    between two synchronizations of its team, of all such times together."""

    largest: Count
    written: list[Count]
    alone: Count = 0
    teams: Count = 0
    read: Count = 0
    one_by_one: Count = 0

    def takes_turns(self) -> bool:
        """Did one thread at a time do nearly all that was done until all had waited for it, and not
        the same one each time? That would be an uneven share."""
        most = TURNS * sum(self.written)
        return self.one_by_one > most >= max(self.written, default=0)

    def working(self, share: float = SHARE) -> int:
        """How many threads did work. One that got nothing of a loop that is too short did none."""
        least = max(1.0, share * (sum(self.written) + self.alone))
        return sum(count >= least for count in self.written)
