"""Writes speed.c: what is timed, which are the calls whose arrays are where the timing program has
them."""

from collections.abc import Iterator

from grader.drivers.calls import BY, Call, has_baseline, of_lab
from grader.model.lab import Lab
from grader.model.part_call import OUT, Argument

HELD = ("d_first", "job->d_mask")  # where the timing program has the inputs
HEAD = """\
#include "bench/bench.h"
#include "lab.h"

#include <stdlib.h>
#include <string.h>

static inline int number(const struct bench_job *job, const char *name) {
    return atoi(bench_option(job, name, "0"));
}

"""


def text(lab: Lab) -> str:
    """speed.c. Raises SpecError."""
    timed = [call for call in of_lab(lab) if is_timed(call)]
    lines = [
        BY.format(folder=lab.folder, kind="speed"),
        HEAD,
        "const struct bench_part lab_parts[] = {\n",
    ]
    for call in timed:
        name = call.call.function
        slow = f'"baseline_{name}"' if has_baseline(lab, name) else "NULL"
        lines.append(f'    {{"{call.part.id}", {{{{"{name}"}}, {{{slow}}}}}, 0}},\n')
    lines += ["    {0},\n};\n\n"]
    lines += ["int lab_call(const struct bench_side *side, const struct bench_job *job,\n"]
    lines += ["             const void *d_first, void *d_out) {\n"]
    lines += ["    (void)side, (void)job, (void)d_first, (void)d_out;\n"] if not timed else []
    lines += [line for call in timed for line in _branch(call)]
    return "".join([*lines, "    return 1;\n}\n"])


def is_timed(call: Call) -> bool:
    """Has the timing program a place for the arrays? A host function that copies has none."""
    on_device = all(a.on_device for a in call.call.arguments if a.array)
    return (call.in_c or on_device) and len(call.operation.inputs) <= len(HELD)


def _branch(call: Call) -> Iterator[str]:
    """The call of a part."""
    places = dict(zip(call.operation.inputs, HELD, strict=False))
    words = ", ".join(_passed(a, places) for a in call.call.arguments)
    made = f"((__typeof__({call.call.function}) *)side->function[0])({words})"
    yield f'    if (strcmp(job->part, "{call.part.id}") == 0) {{\n'
    if call.in_c:
        yield f"        {made};\n        return 0;\n    }}\n"
    else:
        yield f"        return (int){made};\n    }}\n"


def _passed(argument: Argument, places: dict[str, str]) -> str:
    if argument.array:
        return "d_out" if argument.array == OUT else places[argument.array]
    if argument.is_axis or argument.is_setting:
        return f'number(job, "--{argument.text}")'
    return argument.text
