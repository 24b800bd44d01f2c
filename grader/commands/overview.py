"""All commands of ./grade with a line on each, for `./grade --help` and to suggest one for a
misspelt command. The standard library alone."""

import difflib
import re

from grader import paths
from grader.commands.errors import UsageError
from grader.model import outline

STUDENT = {
    "list": "your best score in each lab so far, and the next step",
    "hint": "a hint for a part of a lab: the first is a question, the last is nearly the code",
    "reset": "put the unsolved starter of a lab back; your file is kept in backup-DATE/",
    "submit": "make the zip to hand in, once the files have the right names and build",
    "solution": "the course's solution, after full marks, if your instructor allows it",
    "build": "build your file of a lab; `make labN` does the same",
    "run": "run a CUDA program that has its own main() on the simulator",
    "ask": "questions about your own program, answered by its runs",
    "exam": "take part in an exam: every save is handed in until it ends",
    "log": "the history of a lab: each grade, what changed and why, and the points gained",
    "mcp": "a server for your assistant: your own grades, findings, hints (MCP)",
    "doctor": "what this machine has, what is missing, and what to do about it",
    "setup": "install what is missing; a command that needs it does this by itself",
}
INSTRUCTOR = {  # of IN_CLASSROOM, which a student's copy has not
    "bulk": "grade a folder of submissions, each in its own sandbox",
    "export": "write the grades of a bulk run for another program",
    "merge": "fill in the speed that a run on a machine with a GPU measured",
    "override": "set a student's points by hand, in a way that survives every regrade",
    "report": "the class as a page: points, checks, mistakes, and every student's report",
    "forget": "delete all that a run has of one student",
    "letters": "a letter to each student of a run: grades, what changed, what to do",
    "diff": "whose grade changed between two runs of a class, by how much, and why",
    "similarity": "rank pairs of submissions that are alike, side by side",
    "proctor": "hold an exam: collect every save, and show who works",
    "variants": "write each student's variant of the labs, for course.toml's variants",
    "new-lab": "make the folders of a new lab, which works from the start",
    "audit": "how many slips, cheats and right variants of a solution a lab's checks judge right",
    "calibrate": "how the speed checks behave on this machine, and thresholds that fit it",
}
IN_CLASSROOM = paths.ROOT / "grader" / "classroom" / "commands"
TAKE_A_LAB = ("hint", "ask", "log", "reset", "submit", "solution", "build")
COMPLETION_VARIABLE = "_GRADE_COMPLETE"  # a shell sets it to ask for completions

USAGE = """\
usage: ./grade COMMAND [OPTION]...

Grade a lab, and find out why. Start with:  make lab1 && ./grade lab1
./grade COMMAND --help lists the options of a command.
"""
SETTINGS = """\
options
  -h, --help             print this text
  --install-completion   let Tab complete commands, labs, parts and options (bash, zsh, fish)
  --show-completion      print the script that --install-completion installs

environment variables
  NO_COLOR=1             no colour
  CONVLABS_NO_SANDBOX=1  run your own programs without a sandbox, if it fails
  CONVLABS_NVCC=own      prefer the nvcc of ./grade setup --nvcc to the system's
  PIP_INDEX_URL=URL      a mirror for ./grade setup; all settings of pip and apt-get apply to it

exit status
  0 full marks on everything measured, 1 less, 2 usage error, 3 grader or machine failure,
  4 nothing but leaks (run --check), 130 interrupted
"""


def commands() -> dict[str, str]:
    """Every command except the labs, with its line of help."""
    return STUDENT | (INSTRUCTOR if IN_CLASSROOM.is_dir() else {})


def sentence(command: str) -> str:
    """The line of help of a command or a lab as a sentence."""
    line = commands()[command] if command in commands() else purpose(command)
    return f"{line[0].upper()}{line[1:]}."


def purpose(lab_id: str) -> str:
    """What the command of a lab does, or that its lab.toml is damaged."""
    try:
        return f"grade {lab_id}: {outline.load(lab_id).title}"
    except outline.SpecError:
        return f"{lab_id} cannot be graded; ./grade {lab_id} says why"


def help_text() -> str:
    """What `./grade --help` prints, without a newline at its end."""
    labs = [f"  {lab_id:10}  {purpose(lab_id)}" for lab_id in outline.available()]
    others = [f"  {name:10}  {line}" for name, line in commands().items()]
    return "\n".join([USAGE, "labs", *labs, "", "commands", *others, "", SETTINGS.rstrip()])


def require_command(name: str) -> None:
    """Raises UsageError where `name` is neither a command nor a lab; the message suggests one."""
    names = [*outline.available(), *commands()]
    if name in names:
        return
    if re.fullmatch(r"lab\d*", name):
        require_lab(name)
    similar = difflib.get_close_matches(name.lower(), names, n=1)
    advice = f"did you mean {similar[0]}? " if similar else ""
    raise UsageError(f"there is no command {name!r}; {advice}./grade --help lists all")


def require_lab(lab_id: str) -> None:
    """Raises UsageError where there is no such lab; the message names those there are."""
    labs = outline.available()
    if lab_id not in labs:
        raise UsageError(f"there is no {lab_id}; the labs are {', '.join(labs)}")
