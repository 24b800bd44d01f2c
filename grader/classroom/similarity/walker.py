"""The walk over a file's syntax tree that makes its normalized tokens; normalise.py says which."""

from collections.abc import Callable

from tree_sitter import Node

from grader.classroom.similarity.names import Names
from grader.classroom.similarity.syntax import MOST_DEPTH, NUMBER, SILENT, STUDENT, Token
from grader.source.tree import levels, parse, text_of

COMMUTATIVE = frozenset(["+", "*", "==", "!=", "&&", "||", "&", "|", "^"])
FLIPPED = {">": "<", ">=": "<="}
INDICES = frozenset(["threadIdx", "blockIdx", "blockDim", "gridDim"])
QUALIFIERS = ("__global__", "__device__", "__shared__", "__constant__", "__managed__")
DROPPED = frozenset([
    "comment", "preproc_include", "type_qualifier", "primitive_type", "type_identifier",
    "sized_type_specifier", "storage_class_specifier", "type_descriptor",
    "template_parameter_list", "template_argument_list", "enum_specifier", "type_definition",
    "alias_declaration", "using_declaration", "placeholder_type_specifier",
    "lambda_capture_specifier", "attribute_specifier", "launch_bounds",
    "static_assert_declaration", "access_specifier", "qualified_type", "parameter_list",
])  # fmt: skip

Tokens = list[Token]


def _text(tokens: Tokens) -> list[str]:
    return [token.text for token in tokens]


class Walker:
    """Walks one file's tree. A method on_TYPE returns the tokens of a node of that type."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.segments: list[Tokens] = []

    # ---------------------------------------------------------------- the file

    def learn(self, nodes: list[Node]) -> None:
        """Notes the file's constants and aliases, wherever they are."""
        for node in nodes:
            if node.type == "enumerator":
                value = node.child_by_field_name("value")
                if value is None or self.names.is_constant_text(text_of(value)):
                    self.names.constants.add(text_of(node.child_by_field_name("name")))
            elif node.type == "preproc_def":
                name = text_of(node.child_by_field_name("name"))
                value_text = text_of(node.child_by_field_name("value")).strip()
                if value_text.isidentifier() and not self.names.is_constant_text(value_text):
                    self.names.aliases[name] = value_text
                elif self.names.is_constant_text(value_text):
                    self.names.constants.add(name)
            elif "const" in text_of(node)[:60]:
                self._learn_const(node)

    def _learn_const(self, node: Node) -> None:
        for child in node.children_by_field_name("declarator"):
            name = child.child_by_field_name("declarator")
            value = child.child_by_field_name("value")
            if name is None or value is None or name.type != "identifier":
                continue
            if self.names.is_constant_text(text_of(value)):
                self.names.constants.add(text_of(name))

    def top(self, node: Node) -> None:
        """Adds the segments of a file, a namespace or a condition of the preprocessor."""
        for child in node.named_children:
            if child.type in (
                "namespace_definition",
                "linkage_specification",
                "template_declaration",
                "declaration_list",
                "preproc_if",
                "preproc_ifdef",
                "preproc_else",
            ):
                self.top(child)
            elif child.type not in DROPPED:
                self.segments.append(self.walk(child))

    def walk(self, node: Node) -> Tokens:
        if node.type in DROPPED:
            return []
        method: Callable[[Node], Tokens] | None = getattr(self, f"on_{node.type}", None)
        if method is not None:
            return method(node)
        if not node.child_count:
            text = text_of(node)
            return [] if text in SILENT or not text else [Token(text, node.start_point[0])]
        return self.all(node.children)

    def all(self, nodes: list[Node]) -> Tokens:
        return [token for node in nodes for token in self.walk(node)]

    def field(self, node: Node, name: str) -> Tokens:
        child = node.child_by_field_name(name)
        return [] if child is None else self.walk(child)

    # ---------------------------------------------------------------- names and numbers

    def on_identifier(self, node: Node) -> Tokens:
        name, row = self.names.meaning(text_of(node)), node.start_point[0]
        if name in self.names.constants:
            return [Token(NUMBER, row)]
        return [Token(name, row) if self.names.stays(name) else Token(STUDENT, row, name)]

    on_field_identifier = on_identifier

    def on_number_literal(self, node: Node) -> Tokens:
        return [Token(NUMBER, node.start_point[0])]

    on_true = on_false = on_char_literal = on_number_literal

    def on_null(self, node: Node) -> Tokens:
        return [Token("NULL", node.start_point[0])]

    def on_string_literal(self, node: Node) -> Tokens:
        return [Token('"', node.start_point[0])]

    on_concatenated_string = on_raw_string_literal = on_string_literal

    # ---------------------------------------------------------------- expressions

    def on_cast_expression(self, node: Node) -> Tokens:
        is_void = text_of(node.child_by_field_name("type")) == "void"
        value = node.child_by_field_name("value")
        if is_void and value is not None and value.type != "call_expression":
            return []  # (void)x keeps a compiler quiet
        return self.field(node, "value")

    def on_binary_expression(self, node: Node) -> Tokens:
        sign = text_of(node.child_by_field_name("operator"))
        left, right = self.field(node, "left"), self.field(node, "right")
        if _text(left) == _text(right) == [NUMBER]:
            return left
        flip = sign in FLIPPED or (sign in COMMUTATIVE and _text(right) < _text(left))
        if flip:
            left, right = right, left
        return [Token(FLIPPED.get(sign, sign), node.start_point[0]), *left, *right]

    def on_unary_expression(self, node: Node) -> Tokens:
        argument = self.field(node, "argument")
        if _text(argument) == [NUMBER]:
            return argument
        return [
            Token(f"u{text_of(node.child_by_field_name('operator'))}", node.start_point[0]),
            *argument,
        ]

    def on_pointer_expression(self, node: Node) -> Tokens:
        """`*(a + i)` is a[i], `*p` is p[0], and `&a[i]` is a + i."""
        sign, row = text_of(node.child_by_field_name("operator")), node.start_point[0]
        argument = self.field(node, "argument")
        texts = _text(argument)
        if sign == "*":
            added = texts[:1] == ["+"]
            return (
                [Token("[]", row), *argument[1:]]
                if added
                else [Token("[]", row), *argument, Token(NUMBER, row)]
            )
        return (
            [Token("+", row), *argument[1:]]
            if texts[:1] == ["[]"]
            else [Token("&", row), *argument]
        )

    def on_update_expression(self, node: Node) -> Tokens:
        sign, row = text_of(node.child_by_field_name("operator"))[:1], node.start_point[0]
        return [Token(f"{sign}=", row), *self.field(node, "argument"), Token(NUMBER, row)]

    def on_assignment_expression(self, node: Node) -> Tokens:
        sign = text_of(node.child_by_field_name("operator"))
        left, right = self.field(node, "left"), self.field(node, "right")
        value = node.child_by_field_name("right")
        if sign == "=" and value is not None and value.type == "binary_expression":
            operator = text_of(value.child_by_field_name("operator"))
            first = text_of(value.child_by_field_name("left"))
            if first == text_of(node.child_by_field_name("left")):
                sign, right = f"{operator}=", self.field(value, "right")
        return [Token(sign, node.start_point[0]), *left, *right]

    def on_call_expression(self, node: Node) -> Tokens:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return self.all(node.children)
        name = text_of(function).split("<")[0].strip()
        if function.type == "primitive_type" or name.endswith("_cast"):
            return self.walk(arguments)
        count = len(arguments.named_children)
        launch = next((c for c in node.named_children if c.type == "kernel_call_syntax"), None)
        called = [Token(f"call{count}", node.start_point[0]), *self.walk(function)]
        if launch is not None:
            called += [
                Token("<<<", launch.start_point[0]),
                *self.all(launch.named_children),
                Token(">>>", launch.end_point[0]),
            ]
        return called + self.walk(arguments)

    def on_subscript_expression(self, node: Node) -> Tokens:
        """a[i]; sorted as the sum that it is, so that it equals *(a + i)."""
        parts = [self.field(node, "argument"), self.field(node, "indices")]
        parts.sort(key=_text)
        return [Token("[]", node.start_point[0]), *parts[0], *parts[1]]

    def on_field_expression(self, node: Node) -> Tokens:
        whole = self.names.meaning(text_of(node.child_by_field_name("argument")))
        row = node.start_point[0]
        if whole in INDICES:
            return [Token(f"{whole}.{text_of(node.child_by_field_name('field'))}", row)]
        return [Token(".", row), *self.field(node, "argument"), *self.field(node, "field")]

    def on_conditional_expression(self, node: Node) -> Tokens:
        return [Token("?", node.start_point[0]), *self.all(node.named_children)]

    def on_lambda_expression(self, node: Node) -> Tokens:
        return [Token("lambda", node.start_point[0]), *self.field(node, "body")]

    # ---------------------------------------------------------------- statements

    def on_expression_statement(self, node: Node) -> Tokens:
        tokens = self.all(node.children)
        return [*tokens, Token(";", node.start_point[0])] if tokens else []

    def on_declaration(self, node: Node) -> Tokens:
        """A value becomes an assignment; an array keeps its sizes; the rest says nothing."""
        before = text_of(node)[:80]
        row = node.start_point[0]
        qualifiers = [Token(each, row) for each in QUALIFIERS if each in before.split("=")[0]]
        tokens: Tokens = []
        for child in node.children_by_field_name("declarator"):
            tokens += self._declarator(child, node)
        return qualifiers + tokens

    on_field_declaration = on_declaration

    def _declarator(self, node: Node, owner: Node) -> Tokens:
        row = node.start_point[0]
        kind = text_of(owner.child_by_field_name("type"))
        inside = owner.parent is not None and owner.parent.type not in (
            "translation_unit",
            "declaration_list",
            "linkage_specification",
        )
        if node.type == "init_declarator":
            inner, value = node.child_by_field_name("declarator"), self.field(node, "value")
            name = self._declared_name(inner)
            if name and name[0].text == NUMBER:
                return []  # a constant; where it is used, it is a number
            if kind == "dim3" and "dim3" not in _text(value):
                value = [Token(f"call{_count(node)}", row), Token("dim3", row), *value]
            return [*self._sizes(inner), Token("=", row), *name, *value, Token(";", row)]
        if node.type == "array_declarator":
            return [*self._sizes(node), *self._declared_name(node), Token(";", row)]
        if node.type == "function_declarator" and inside and kind == "dim3":
            # `dim3 block(W, H);` reads like a prototype
            parameters = node.child_by_field_name("parameters")
            listed = parameters.named_children if parameters is not None else []
            values = [t for p in listed for t in self.on_identifier(p)]
            name = self._declared_name(node)
            call = [Token(f"call{len(listed)}", row), Token("dim3", row)]
            return [Token("=", row), *name, *call, *values, Token(";", row)]
        return []

    def _declared_name(self, node: Node | None) -> Tokens:
        while node is not None and node.type != "identifier":
            node = node.child_by_field_name("declarator") or next(iter(node.named_children), None)
        return [] if node is None else self.on_identifier(node)

    def _sizes(self, node: Node | None) -> Tokens:
        tokens: Tokens = []
        while node is not None and node.type == "array_declarator":
            tokens += [Token("array", node.start_point[0]), *self.field(node, "size")]
            node = node.child_by_field_name("declarator")
        return tokens

    def on_for_statement(self, node: Node) -> Tokens:
        before = self.field(node, "initializer")
        if before and before[-1].text != ";":
            before.append(Token(";", node.start_point[0]))
        step = self.field(node, "update")
        if step:
            step.append(Token(";", step[-1].row))
        return before + self._loop(node, "condition", step)

    def on_while_statement(self, node: Node) -> Tokens:
        return self._loop(node, "condition", [])

    on_do_statement = on_while_statement

    def _loop(self, node: Node, condition: str, step: Tokens) -> Tokens:
        row = node.start_point[0]
        test = self.field(node, condition) or [Token(NUMBER, row)]
        body = self.field(node, "body")
        return [
            Token("loop", row),
            *test,
            Token("{", row),
            *body,
            *step,
            Token("}", node.end_point[0]),
        ]

    def on_for_range_loop(self, node: Node) -> Tokens:
        return [
            Token("each", node.start_point[0]),
            *self.field(node, "right"),
            *self._loop(node, "condition", [])[1:],
        ]

    def on_if_statement(self, node: Node) -> Tokens:
        row = node.start_point[0]
        tokens = [Token("if", row), *self.field(node, "condition"), Token("{", row)]
        tokens += [*self.field(node, "consequence"), Token("}", row)]
        other = node.child_by_field_name("alternative")
        if other is not None:
            row = other.start_point[0]
            inner = [t for c in other.named_children for t in self.walk(c)]
            tokens += [Token("else", row), Token("{", row), *inner, Token("}", row)]
        return tokens

    def on_return_statement(self, node: Node) -> Tokens:
        row = node.start_point[0]
        return [Token("return", row), *self.all(node.named_children), Token(";", row)]

    def on_function_definition(self, node: Node) -> Tokens:
        row = node.start_point[0]
        body = node.child_by_field_name("body")
        head = text_of(node)[: (body.start_byte - node.start_byte) if body is not None else 0]
        qualifiers = [Token(each, row) for each in QUALIFIERS if each in head]
        return [*qualifiers, Token("function", row), *self.field(node, "body")]

    # ---------------------------------------------------------------- the preprocessor

    def on_preproc_call(self, node: Node) -> Tokens:
        row = node.start_point[0]
        words = text_of(node.child_by_field_name("argument")).split()
        return [Token(f"#{word}", row) for word in words[:12]]

    def on_preproc_def(self, node: Node) -> Tokens:
        value = node.child_by_field_name("value")
        name = text_of(node.child_by_field_name("name"))
        if value is None or name in self.names.aliases or name in self.names.constants:
            return []
        return self._macro(value)

    def on_preproc_function_def(self, node: Node) -> Tokens:
        value = node.child_by_field_name("value")
        return [] if value is None else self._macro(value)

    def _macro(self, value: Node) -> Tokens:
        """The body of a macro, read as statements."""
        text = text_of(value).replace("\\\n", " \n").encode()
        tree = parse(b"void f() {" + text + b";}")
        if len(levels(tree, MOST_DEPTH // 2)) > MOST_DEPTH // 2:
            return []
        first = value.start_point[0]
        return [Token(t.text, first + t.row, t.name) for t in self.walk(tree)]


def _count(node: Node) -> int:
    value = node.child_by_field_name("value")
    return len(value.named_children) if value is not None else 0
