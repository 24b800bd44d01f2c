"""Changed sequences of calls: one function for each form.

A call here is a statement: f(); or error = f(); or return f(); or cudaError_t error = f(); where f
is a function of the CUDA runtime, a helper or a kernel. A function gets a node of the syntax tree
and yields the changes that start there.
"""

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from grader.classroom.audit.slips import Change
from grader.classroom.audit.syntax import enclosing, nodes
from grader.source.tree import text_of as text

# Functions that do something else the second time. To copy, to wait or to launch twice only takes
# longer, which is for the speed check.
NOT_TWICE = re.compile(r"[aA]lloc|[fF]ree|Register|Unregister|Create|Destroy|^(un)?pin$|^add")
# Calls that programs make on the first use only, as if their arguments never changed.
ONCE = re.compile(r"^cudaMemcpy|^cudaFuncSetAttribute|^cudaDeviceGetAttribute|^memcpy$")
# Functions of which a student may forget the call but not the argument: clamp(x, ...) becomes x.
WRAPPERS = ("clamp", "min", "max", "fabs", "fabsf")


def dropped(node: Node) -> Iterator[Change]:
    call = _call(node)
    if call is None or _name(call) in ("__syncthreads", "cudaGetLastError"):
        return  # the one is a kind by itself; the other, dropped, is the same as ignored
    if node.type == "expression_statement":
        yield [(node, "")]
    else:
        yield [(call, "cudaSuccess")]


def twice(node: Node) -> Iterator[Change]:
    call = _call(node)
    if call is not None and NOT_TWICE.search(_name(call)):
        if node.type == "expression_statement":
            yield [(node, f"{text(node)} {text(node)}")]
        else:
            yield [(node, f"(void){text(call)}; {text(node)}")]


def exchanged(node: Node) -> Iterator[Change]:
    """With the statement after it, unless both call the same function or share no variable."""
    after = node.next_named_sibling
    while after is not None and after.type == "comment":
        after = after.next_named_sibling
    if after is None or not {node.type, after.type} <= STATEMENTS:
        return
    called = [{_name(call) for call in _calls(statement)} for statement in (node, after)]
    related = "__syncthreads" in called[0] | called[1] or _variables(node) & _variables(after)
    if any(called) and not called[0] & called[1] and related:
        yield [(node, text(after)), (after, text(node))]


def ignored(node: Node) -> Iterator[Change]:
    """The call is made, and its error is lost."""
    call = _call(node)
    if call is None:
        return
    if node.type == "return_statement":
        yield [(node, f"{text(call)}; return cudaSuccess;")]
    elif node.type == "declaration":
        yield [(node, f"{text(call)}; {text(node).replace(text(call), 'cudaSuccess')}")]
    elif text(node).startswith("error = "):
        yield [(node, f"{text(call)};")]


def early_return(node: Node) -> Iterator[Change]:
    if node.type == "return_statement" and enclosing(node, "if_statement") is not None:
        yield [(node, "")]


def once(node: Node) -> Iterator[Change]:
    call = _call(node)
    if call is None or not ONCE.search(_name(call)):
        return
    if node.type == "return_statement":
        yield [(node, f"static int called; if (called++) return cudaSuccess; {text(node)}")]
    elif node.type == "expression_statement":
        yield [(node, f"{{ static int called; if (!called++) {text(node)} }}")]


def directive(node: Node) -> Iterator[Change]:
    if node.type == "preproc_call" and text(node).startswith("#pragma omp"):
        yield [(node, "\n" * text(node).count("\n"))]


def unwrapped(node: Node) -> Iterator[Change]:
    if node.type == "call_expression" and _name(node) in WRAPPERS:
        arguments = node.child_by_field_name("arguments")
        if arguments is not None:
            yield [(node, f"({text(arguments.named_children[0])})")]


def rounded_down(node: Node) -> Iterator[Change]:
    if node.type == "call_expression" and _name(node) == "ceil_div":
        arguments = node.child_by_field_name("arguments")
        if arguments is not None:
            count, size = arguments.named_children
            yield [(node, f"(({text(count)}) / ({text(size)}))")]


STATEMENTS = {"expression_statement", "if_statement", "for_statement", "while_statement"}
FORMS: dict[str, Callable[[Node], Iterator[Change]]] = {
    "dropped": dropped,
    "twice": twice,
    "exchanged": exchanged,
    "ignored": ignored,
    "early-return": early_return,
    "once": once,
    "directive": directive,
    "unwrapped": unwrapped,
    "rounded-down": rounded_down,
}
# What the table says of a form, where the text before and after would say less.
WORDS = {
    "twice": "twice",
    "exchanged": "exchanged with",
    "ignored": "but its error ignored",
    "once": "on the first call only",
    "directive": "dropped",
}


def _call(statement: Node) -> Node | None:
    """The call that a statement consists of."""
    node: Node | None = None
    if statement.type == "expression_statement" and statement.named_children:
        node = statement.named_children[0]
        if node.type == "assignment_expression" and "=" in [text(c) for c in node.children]:
            node = node.child_by_field_name("right")
    elif statement.type == "declaration":
        if text(statement.child_by_field_name("type")) == "cudaError_t":
            declarator = statement.child_by_field_name("declarator")
            node = declarator.child_by_field_name("value") if declarator is not None else None
    elif statement.type == "return_statement" and statement.named_children:
        function = enclosing(statement, "function_definition")
        if function is not None and text(function.child_by_field_name("type")) == "cudaError_t":
            node = statement.named_children[0]
    return node if node is not None and node.type == "call_expression" else None


def _calls(statement: Node) -> Iterator[Node]:
    """The calls that a statement consists of or contains, but not those that fill an array."""
    call = _call(statement)
    if call is not None and call.parent is not None:
        target = call.parent.child_by_field_name("left")
        if target is None or target.type == "identifier":
            yield call
    for child in statement.named_children:
        yield from _calls(child)


def _variables(statement: Node) -> set[str]:
    return {text(node) for node, _, _ in nodes(statement) if node.type == "identifier"}


def _name(call: Node) -> str:
    """Without template arguments."""
    return text(call.child_by_field_name("function")).split("<")[0]
