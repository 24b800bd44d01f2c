"""`make reproduce`: runs every experiment that this machine can, then writes the report."""

import json
import sys
from collections.abc import Sequence

from labs.studies.reproduce import measure, programs, report


def main(arguments: Sequence[str]) -> int:
    chosen = measure.parser(__doc__).parse_args(arguments)
    try:
        document = measure.measure(chosen.gpu, chosen.fresh, "make reproduce")
    except measure.PROBLEMS as problem:
        print(f"reproduce: {problem}", file=sys.stderr)
        return 1
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    (programs.FOLDER / "measurement.json").write_text(text, encoding="utf-8")
    reference = report.read(report.REFERENCE) if report.REFERENCE.exists() else None
    pictures = sorted(measure.PICTURES.glob("result-*.png"))
    report.write(document, reference, pictures, programs.FOLDER)
    print((programs.FOLDER / "report.html").relative_to(programs.ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
