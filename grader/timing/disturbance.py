"""Which rounds of a measurement count although other programs run on the machine."""

from grader.timing.statistics import F64, Timings

DISTURBED = 1.25  # wall time of the calibration kernel over its processor time, or over its best


def undisturbed(rounds: F64, calibrations: F64) -> tuple[F64, int]:
    """The rounds in which nothing else disturbed the calibration kernel, and the number of others.

    calibrations: n x 2, wall and processor time of the kernel's worst run in each of n rounds;
    empty when there was no calibration. A round is undisturbed when each thread had a core to
    itself, and the kernel was about as fast as in the best round.
    """
    if not len(calibrations):
        return rounds, 0
    wall, processor = calibrations[:, 0], calibrations[:, 1]
    calm = (wall <= DISTURBED * processor) & (wall <= DISTURBED * wall.min())
    return rounds[calm], int((~calm).sum())


def mostly_disturbed(timings: Timings) -> bool:
    """Whether more rounds were disturbed than not: then the others cannot be trusted either."""
    return timings.voided > len(timings.rounds)


def busy(timings: Timings) -> str:
    """Why no time could be measured, and what to do."""
    return (
        f"other programs kept the cores busy: {timings.voided} of "
        f"{timings.voided + len(timings.rounds)} rounds were disturbed and do not count; try again "
        "when the machine is idle"
    )
