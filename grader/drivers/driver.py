"""Writes driver.c: from one case of the runner to one call of the student's function."""

from collections.abc import Iterator

from grader.drivers.calls import BY, DESCRIPTORS, Call, has_baseline, of_lab
from grader.model.lab import Lab
from grader.model.part_call import OUT, Argument


def text(lab: Lab) -> str:
    """driver.c. Raises SpecError."""
    calls = list(of_lab(lab))
    headers = ["lab.h", "runner/runner.h"]
    headers += ["runner/openmp_threads.h"] if any(call.in_c for call in calls) else []
    headers += ["runner/device_case.h"] if not all(call.in_c for call in calls) else []
    lines = [BY.format(folder=lab.folder, kind="driver")]
    lines += [f'#include "{header}"\n' for header in headers]
    lines += ["\n#include <stdlib.h>\n#include <string.h>\n"]
    parts = [(call.part.id, call, call.call.function) for call in calls]
    first = calls[0]
    if has_baseline(lab, first.call.function):
        parts.append(("baseline", first, f"baseline_{first.call.function}"))
    for name, call, function in parts:
        refuses = next((c.refuses for c in lab.contract if c.part == name), "")
        lines.append("\n" + "\n".join(_function(name, call, function, refuses)) + "\n")
    lines.append("\nvoid lab_run(struct runner *r) {\n")
    for number, (name, *_) in enumerate(parts):
        word = "} else if" if number else "    if"
        lines.append(f'{"    " * (number > 0)}{word} (strcmp(runner_part(r), "{name}") == 0) {{\n')
        lines.append(f"        run_{name}(r);\n")
    return "".join([*lines, "    } else {\n        runner_no_such_part(r);\n    }\n}\n"])


def _function(name: str, call: Call, function: str, refuses: str) -> Iterator[str]:
    """The function of a part."""
    arguments = call.call.arguments
    yield f"static void run_{name}(struct runner *r) {{"
    for array in call.operation.inputs:
        kind = DESCRIPTORS[call.kind(array)]
        yield f'    const struct npy *{array} = runner_input(r, "{array}", "{kind}");'
    for axis in dict.fromkeys([*(a.text for a in arguments if a.is_axis), *_of_output(call)]):
        yield f"    const int {axis} = {_axis(axis, call)};"
    for setting in call.call.settings():
        yield f'    const int {setting} = atoi(runner_setting(r, "{setting}", "0"));'
    sides = "".join(f" * (size_t){side}" for side in call.operation.output.shape)
    yield f"    const size_t bytes = sizeof({call.c_type(OUT)}){sides};"
    yield f'    {call.c_type(OUT)} *out = runner_output(r, "out", bytes);'
    yield ""
    made = f"{function}({', '.join(_passed(a) for a in arguments)})"
    if call.in_c:
        yield from ("    openmp_threads(r);", "    runner_calls_student();", f"    {made};", "}")
        return
    yield from _on_device(call, function, made, refuses)


def _on_device(call: Call, function: str, made: str, refuses: str) -> Iterator[str]:
    """The rest of the function of a part in CUDA."""
    arguments = call.call.arguments
    refused = next((a for a in arguments if a.text == refuses and not a.array), None)
    if refused:
        yield '    const int refused = atoi(runner_setting(r, "refuse", "0"));'
    yield "    struct device_case c = {.runner = r};"
    for a in (a for a in arguments if a.on_device and a.array != OUT):
        kind = call.c_type(a.array)
        yield f"    const {kind} *{a.text} ="
        yield f'        device_case_input(&c, "{a.text}", {a.array}->data, {a.array}->bytes);'
    out = next(a for a in arguments if a.array == OUT)
    if out.on_device:
        yield f'    {call.c_type(OUT)} *{out.text} = device_case_output(&c, "{out.text}", bytes);'
    yield ""
    yield "    if (!runner_failed(r)) {"
    yield "        device_case_students_turn(&c);"
    yield "    }"
    if refused:
        words = [_passed(a) if a is not refused else "refused" for a in arguments]
        yield "    if (refused != 0 && !runner_failed(r)) {"
        yield f'        device_case_must_refuse(&c, "{function}", {function}({", ".join(words)}),'
        why = "which lab.h does not allow"
        yield f'                                "{refused.text}", refused, "{why}");'
        yield "    }"
    yield "    if (!runner_failed(r)) {"
    yield f'        device_case_called(&c, "{function}", {made});'
    yield "    }"
    if out.on_device:
        yield f"    device_case_end(&c, {out.text}, out, bytes);"
    else:
        yield "    device_case_end(&c, NULL, NULL, 0);"
    yield "}"


def _of_output(call: Call) -> Iterator[str]:
    """The named axes of the output: its bytes follow from them."""
    return (axis for axis in call.operation.output.shape if isinstance(axis, str))


def _axis(axis: str, call: Call) -> str:
    """Where the size of an axis is."""
    for name, array in call.operation.inputs.items():
        if axis in array.shape:
            return f"{name}->shape[{array.shape.index(axis)}]"
    raise AssertionError(axis)  # spec_problems.py has looked


def _passed(argument: Argument) -> str:
    if not argument.array or argument.on_device:
        return argument.text
    return OUT if argument.array == OUT else f"{argument.array}->data"
