"""`python -m grader.drivers labN_* driver|speed|test`: prints that file; called by make."""

import sys

from grader.drivers import driver, speed, unit_test
from grader.model import spec
from grader.model.outline import SpecError

KINDS = {"driver": driver.text, "speed": speed.text, "test": unit_test.text}


def main() -> int:
    folder, kind = sys.argv[1:]
    try:
        print(KINDS[kind](spec.load(folder.partition("_")[0], hidden=False)), end="")
    except SpecError as problem:
        print(problem, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
