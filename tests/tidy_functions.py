"""Where functions begin and end in C++ text, and how many code lines they have; for tidy_test.py.

No parser: comments, literals and preprocessor lines are blanked, then braces are followed. A brace opens a
function when what stands before it is a parameter list with its qualifiers, which holds for lambdas too.
"""

import dataclasses
import re

TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|(?<![A-Za-z0-9_])(?:u8|[uUL])?R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![A-Za-z0-9_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'",
    re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.M | re.S)
CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum)\b(?!.*\)\s*(const|noexcept)?\s*$)|\bextern\s*$", re.S)
SIGNATURE_END = re.compile(
    r"\)\s*((const|noexcept(\s*\([^()]*\))?|override|final|mutable|volatile|try|&&?|requires\b[^{};]*|"
    r"->\s*[\w:<>,&*\s\[\]()]+?)\s*)*$", re.S)


@dataclasses.dataclass
class Function:
    name: str
    line: int
    lines: int


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The same text, every character in its place, with the comments blanked."""
    return TOKEN.sub(lambda match: blank(match[0]) if match[0].startswith("/") else match[0], text)


def bare(text):
    """Comments and preprocessor lines blanked; the inside of literals made harmless, lines kept."""
    def literal(match):
        if match[0].startswith("/"):
            return blank(match[0])
        return re.sub(r"[^\n]", "_", match[0])
    return DIRECTIVE.sub(lambda match: blank(match[0]), TOKEN.sub(literal, text))


def code_lines(text):
    return sum(1 for line in without_comments(text).splitlines() if line.strip())


def is_function(head):
    head = head.strip()
    return bool(head) and not CONTAINER.search(head) and bool(SIGNATURE_END.search(head))


def name_of(head):
    head = re.sub(r"\s+", " ", head.strip())
    # The first name that stands before a parenthesis, which is no macro of attributes.
    match = re.search(r"([~\w:]+|operator[^\w\s(]+|\[[^\]]*\])\s*\(", head)
    if not match:
        return "?"
    if re.fullmatch(r"TEST(_[FP])?|TYPED_TEST", match[1]):
        inside = re.match(r"\s*(\w+)\s*,\s*(\w+)", head[match.end():])
        return f"{inside[1]}.{inside[2]}" if inside else match[1]
    return "lambda" if match[1].startswith("[") else match[1]


def functions(text):
    """Every outermost function: those inside another belong to its length."""
    shown, lines = bare(text), without_comments(text).splitlines()
    depth, inside, start, found = 0, None, 0, []
    for match in re.finditer(r"[{};]", shown):
        position, sign = match.start(), match[0]
        if sign == "{":
            if inside is None and is_function(shown[start:position]):
                head = shown[start:position]
                first = start + len(head) - len(head.lstrip())
                inside = (depth, first, name_of(head))
            depth += 1
        elif sign == "}":
            depth -= 1
            if inside is not None and depth == inside[0]:
                first, last = shown.count("\n", 0, inside[1]), shown.count("\n", 0, position)
                count = sum(1 for line in lines[first:last + 1] if line.strip())
                found.append(Function(inside[2], first + 1, count))
                inside = None
        start = position + 1
    return found
