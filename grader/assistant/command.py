"""`./grade mcp`: serves a student's own runs to an assistant, over standard input and output."""

import os
import sys


def mcp() -> None:
    """Serve your own grades, findings and hints to an assistant, by MCP; see
    handouts/assistants.md."""
    if sys.stdin.isatty():
        print(
            "grade: this speaks to a program, which starts it; handouts/assistants.md says how "
            "(Ctrl-D ends it)",
            file=sys.stderr,
        )
    from grader.assistant.server import Server  # no other command needs it

    target = os.dup(1)
    os.dup2(2, 1)  # what prints by mistake is no message
    Server(0, target).serve()
