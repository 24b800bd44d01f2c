"""The command line of the translator.

    python -m labs.sim.translate [--shown NAME] [--lock-step] [--own-copies] [--columns]
                                 [--define NAME=VALUE] [--own OWN]
                                 IN.cu -o OUT.ii -- COMPILER FLAG...
    python -m labs.sim.translate [--shown NAME] --host IN.cpp -- COMPILER FLAG...
    python -m labs.sim.translate --header OUT.h.gch -- COMPILER FLAG...

--lock-step: where device code has volatile accesses, its control flow is marked, and the first
line of OUT.ii is LOCK_STEP: the compiler must then report these accesses, for the runtime's
exec/lock_step.h. Where its lanes may exchange values in other ways, sim/exchange.h watches, and
sim/vectors.h looks at the addresses of vectors.
--own-copies: the program's other files do not use the variables of this one.
--columns: a traced program checks the columns of __shared__ arrays, which may change its counters.
--define: a macro of the program alone, not of the headers before it.
--own: the text of the program and of its headers, preprocessed and not yet translated, is written
there as well, with the preprocessor's line markers. The grader judges it
(grader/compile/permitted/source_check.py).
--host: says what is refused of a file that g++ compiles as it is.
--header: precompiles the simulator's header.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from labs.sim.translate.reader.declared import INCLUDE
from labs.sim.translate.reader.expanded import Refusal
from labs.sim.translate.reader.preprocess import PreprocessorError, precompile
from labs.sim.translate.translation import refuse_host_code, translate


def main() -> int:
    parser = argparse.ArgumentParser(
        description="CUDA C++ to C++ for the simulator.",
        prog="labs.sim.translate",
        usage="%(prog)s [--shown NAME] [--lock-step] [--own-copies] [--columns] "
        "[--define NAME=VALUE] [--own OWN] IN.cu -o OUT.ii -- COMPILER FLAG...\n"
        "       %(prog)s [--shown NAME] --host IN.cpp -- COMPILER FLAG...\n"
        "       %(prog)s --header OUT.h.gch -- COMPILER FLAG...",
    )
    parser.add_argument("--shown", help="the file's name in messages")
    parser.add_argument("--lock-step", action="store_true", help="of volatile accesses")
    parser.add_argument("--own-copies", action="store_true", help="of variables, for this file")
    parser.add_argument("--columns", action="store_true", help="check those of __shared__ arrays")
    parser.add_argument("--define", action="append", default=[], help="a macro of the program")
    parser.add_argument("--host", action="store_true", help="say what is refused of a host file")
    parser.add_argument("--own", type=Path, help="where to write the program's own text")
    parser.add_argument("--header", type=Path, help="precompile the simulator's header")
    parser.add_argument("-o", dest="output", type=Path)
    parser.add_argument("input", type=Path, nargs="?")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:at])
    shown = options.shown or str(options.input)
    compiler = sys.argv[at + 1 :] or ["g++", "-std=c++17", "-remap", f"-I{INCLUDE}"]
    if options.header:
        return precompile(compiler, options.header)
    if bool(options.output) == options.host or not options.input:
        parser.error("a .cu file needs -o, and a host file takes none")
    try:
        if options.host:
            refuse_host_code(options.input, shown, compiler)
            return 0
        code, warnings = translate(
            options.input,
            shown,
            compiler,
            options.lock_step,
            options.own,
            options.own_copies,
            options.define,
            options.columns,
        )
        options.output.write_bytes(code)
        # For a build that finds this file ready.
        options.output.with_name(f"{options.output.name}.warnings").write_bytes(warnings)
        sys.stderr.write(warnings.decode(errors="replace"))
    except (Refusal, PreprocessorError) as problem:
        print(str(problem).rstrip("\n"), file=sys.stderr)
        return 1
    except OSError as problem:
        where = problem.filename or options.output  # a full disk names no file
        print(f"{shown}: {where}: {problem.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
