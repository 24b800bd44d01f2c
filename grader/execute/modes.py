"""The ways in which a case can be run: which checks are on, and what the run records."""

from dataclasses import dataclass, field

from grader.sandbox.limits import ADDRESS_SPACE


@dataclass(frozen=True, eq=False)
class Mode:
    """How a program is run. Each of the modes below is equal to itself only.

    env: variables for the simulator or the sanitizers.
    profiled: a program built for it reports its counters.
    debugger: it uses ptrace on its own threads.
    openmp_races: its threads run one at a time; races between them are reported, and what each
        thread did.
    output: it is kept; it takes time where it is large.
    stepped: the AVX instructions that a function in C executes are reported.
    """

    env: dict[str, str] = field(default_factory=dict)
    profiled: bool = False
    address_space: int | None = ADDRESS_SPACE
    debugger: bool = False
    openmp_races: bool = False
    output: bool = True
    stepped: bool = False

    def variables(self) -> dict[str, str]:
        """The environment of a graded run in this mode."""
        asked = {
            "CONVLABS_SIM_PROFILE": self.profiled,
            "CONVLABS_INSTRUCTIONS": self.stepped,
        }
        return self.env | {name: "1" for name, is_asked in asked.items() if is_asked}


# With one host thread, what a run counts and finds does not depend on the number of cores.
_CHECKED = {"CONVLABS_SIM_THREADS": "1", "CONVLABS_SIM_CHECK": "1"}
_REVERSE = {"CONVLABS_SIM_ORDER": "reverse"}  # of the threads and blocks of every kernel

# How OpenMP's threads wait in every run that is not timed. On a busy machine, one that spins would
# use up the processor time of the case while the thread that it waits for does not get a core.
WITHOUT_SPINNING = {"OMP_WAIT_POLICY": "passive"}

PLAIN = Mode()
# One thread of the host: what the simulator runs and in which order is then the same each time.
IN_ORDER = Mode({"CONVLABS_SIM_THREADS": "1", "OMP_NUM_THREADS": "1"})
REVERSED = Mode({"CONVLABS_SIM_THREADS": "1"} | _REVERSE)
PROFILED = Mode(_CHECKED, profiled=True)
# And one warp of each memory access is recorded: the costliest.
SAMPLED = Mode(_CHECKED | {"CONVLABS_SIM_STEPS": "costliest"}, profiled=True)
# For a prediction of the time on a GPU: only the block in the middle of each grid runs, and stands
# for all others; and the same counts where all blocks run.
_COUNTED = {"CONVLABS_SIM_THREADS": "1", "CONVLABS_SIM_PREDICT": "1"}
COUNTED_BLOCK = Mode(_COUNTED | {"CONVLABS_SIM_SAMPLE": "1"}, profiled=True, output=False)
COUNTED_WHOLE = Mode(_COUNTED, profiled=True)
CHECKED = Mode(_CHECKED)
CHECKED_REVERSED = Mode(_CHECKED | _REVERSE)
# The first and the last block of each launch alone, for images of any size.
CHECKED_ENDS = Mode(_CHECKED | {"CONVLABS_SIM_BLOCKS": "ends"}, address_space=None, output=False)
# Every access is reported, for questions about a small run: grader/execute/accesses.py.
TRACED = Mode(_CHECKED | {"CONVLABS_SIM_STEPS": "all"}, profiled=True)
TRACED_C = Mode({"CONVLABS_ACCESSES": "1"}, openmp_races=True)
OPENMP_RACES = Mode(openmp_races=True)
STEPPED = Mode({"OMP_NUM_THREADS": "1"}, stepped=True)
# AddressSanitizer reserves terabytes of addresses for its shadow memory.
SANITIZED = Mode({"ASAN_OPTIONS": "detect_leaks=1"}, address_space=None, debugger=True)
