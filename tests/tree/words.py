"""Words that no longer stand in what people read: messages, help, reports, docs. docs/words.md says what each
thing is called; OUT says what to write instead of a word that is out.

Looked at are the literals of C, JavaScript and Python that have more than one word, lines of scripts and workflows, and
pages without what they show as code.

usage: words.py PROJECT_FOLDER
"""
import ast
import pathlib
import re
import sys
from typing import Iterator

OUT = [(re.compile(pattern, re.I), instead) for pattern, instead in (
    (r"\bknots?\b", "retain cycle"),
    (r"(?<!io_uring )(?<!max-)\brings?\b(?! buffer|, growth)", "loop, or retain cycle"),
    (r"\bcircles? of words\b|\bcircles? of memory\b", "possible cycle through untyped memory"),
    (r"\bcircles?\b", "loop, retain cycle"),
    (r"\bretain cycles \(leaks\)", "retain cycles"),
    # LeakSanitizer's word, a column, and the row of JSON's words in docs/leaks.md.
    (r"(?<!calls )(?<!AS )(?<!\| )\blost\b", "unreachable (of memory), left out (of data)"),
    (r"\bkept (?:alive )?by (?:its|the|a) timer\b", "held only by its timer"),
    (r"\bdegrees?\b", "evidence"),
    (r"(?<!12 )\bunowned\b", "pointed to but not owned (a leak), unretained (a reference)"),
    (r"\bunexplained\b|\b(?:counts?|retains?) (?:that )?do(?:es)? not fit\b", "unaccounted for, do not add up"),
    (r"\bof unknown ownership\b", "assumed"),
    (r"\bleaked or still in use\b|\bunclear\b", "unknown"),
    (r"\bhangs? on (?:it|them)\b|\bgoes? with (?:it|them)\b|\beach of these alone\b", "keeps alive, retained size, dominator"),
    (r"\bholds? on to\b|\bkeeps? (?:it |them )?for (?:it|them)self\b", "owns, retains"),
    (r"\b(?:\d+|%\w+|N|different) (?:kinds of leaks|mistakes)\b", "distinct leaks, causes"),
    (r"\bscanned\b|\blooked at\b", "searched, read"),
    (r"\bby the helper\b(?!'s)", "in-process"),
    (r"(?<!\[)\bpictures?\b(?!\.md|/)|\bdrawings?\b(?! context)", "HTML page, graph (Graphviz), hand-made heap"),
    (r"(?<!Model Context Protocol )\bthe tool\b(?!'s (?:schema|description)|,? ?loupe|  ?,)", "`loupe`, or the tool loupe"),
    (r"\bso that many\b", "so at least N"),
    (r"(?<!left )\bbehind\b", "after"),
    (r"\bunless (?:told|it is told|said)\b", "default: N"),
    (r", as (?:0x|in:)", "such as"),
    (r"\braw memory\b", "non-object memory"),
    (r"\bblocks? of memory\b|\bmemory that malloc gave\b", "allocation"),
    (r"\bmemory that is (?:no|not an) object\b|\bmemory without a class\b|(?:\d|N) bytes of memory\b", "non-object"),
    (r"\b(?:old|stale) words?\b|\bwords? (?:of memory|on (?:the )?stacks?|in registers?)\b|\bwords? (?:that )?(?:only )?(?:own|lead)", "pointer, or stack or register value"),
    (r"\bleads? there\b|\bleads? to\b", "points to, reaches"),
    (r"\bfrom outside\b(?! the)", "from LLDB (the engine), outside the cycle (an owner)"),
    (r"\bwalked\b", "searched"),
    (r"\bnobody\b", "name who does not"),
    (r"\bPossible, not certain\b", "Possible only"),
    (r"\bhas not come back\b", "hang"),
    (r"\bstalls?\b", "hang"),
    (r"\btest doubles?\b|\bdoubles? of\b|\ba double\b", "mock"),
    (r"\bdrawn heaps?\b|\bdrawings only\b", "hand-made heap"),
    (r"\bdisowned\b|\bKnown, not owned\b", "non-owning, known"),
    (r"\bremarks?\b", "note"),
    (r"\bno memory is left\b|\bmemory is used up\b|\bthe terminal.s tool\b|\bterminal tool\b", "out of memory; the command-line tool"),
    (r"(?<!there )\bis no (?:address|answer|block|file|filter|folder|name|number|object|plain|report|request|text)\b", "is not a ..."),
    (r"\bsomething is missing\b|\bone word too many\b|\bis no address\b", "missing FILE, unexpected argument, is not an address"),
    (r"\bperhaps\b|\bmaybe\b", "possible, possibly"),
    (r"\b(?:not|without|no|too little|no more) (?:enough )?memory(?! (?:that|of|is|can|was|outside|at|in))|\bmemory ran out\b", "out of memory"),
    (r"\blets? (?:it |them |\w+ )?go\b", "is freed"),
    (r"\bshould go\b|\blives? on\b", "is to be freed, stays alive"),
    (r"\bso many\b", "N"),
)]

FOLDERS = ("answers", "at_exit", "cli", "core", "docs", "editors", "examples", "helper", "lldb_commands", "packaging", "pictures",
           "plugin", "readers", "record", "run_tool", "rules", "stacks", "testing", "verbs", "watch")
PAGES = ("README.md", "CHANGELOG.md", "SECURITY.md", "action.yml", "editors/vscode/package.json", "run")
# What each thing is not called stands there.
NOT_READ = ("docs/words.md",)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
JOINED = re.compile(r'"\s*\n\s*"')
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*$", re.S | re.M)
# What programs read: a class in answers and files, a kind in tables.
DATA = ("(raw memory)", "raw memory")
# Lists of keys of the JSON, in the table of verbs.
KEYS = re.compile(r'\.keys = (?:"[^"]*"\s*)+,')


def of_c(text: str) -> Iterator[str]:
    text = KEYS.sub("", COMMENT.sub("", text))
    for match in LITERAL.finditer(JOINED.sub("", text)):
        yield match[1]


def of_javascript(text: str) -> Iterator[str]:
    for match in re.finditer(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'|`((?:[^`\\]|\\.)*)`', COMMENT.sub("", text)):
        yield match[1] or match[2] or re.sub(r"\$\{[^}]*\}", "", match[3] or "")


def of_python(text: str) -> Iterator[str]:
    """Strings but those that document a module, class or function; of an f-string what is fixed."""
    tree = ast.parse(text)
    silent = {id(node.body[0].value) for node in ast.walk(tree)
              if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
              and node.body and isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent.update(map(id, node.values))
            yield "".join(part.value if isinstance(part, ast.Constant) else "N" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


def of_markdown(text: str) -> Iterator[str]:
    """Lines without what they show as code; samples are compared with real output elsewhere."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for line in re.sub(r"`[^`\n]*`|\]\([^)\n]*\)|<!--.*?-->|^    .*$", "", text, flags=re.M).split("\n"):
        yield line


def of_lines(text: str) -> Iterator[str]:
    """Of scripts and workflows, where a comment may be the help, too. Options, paths, patterns and names are code."""
    yield from re.sub(r"(?<!\S)--[\w-]+\)?|\S*[/_.]\w\S*", "", text).split("\n")


KINDS = {".m": of_c, ".sh": of_lines, ".yml": of_lines, "": of_lines, ".c": of_c, ".h": of_c, ".cpp": of_c, ".def": of_c, ".json": of_c, ".js": of_javascript, ".ts": of_javascript,
         ".py": of_python, ".md": of_markdown}


def files(source: pathlib.Path) -> Iterator[pathlib.Path]:
    for folder in FOLDERS:
        yield from (path for path in sorted((source / folder).rglob("*"))
                    if path.suffix and path.suffix in KINDS and path.suffix != ".json" and "test" not in path.parts)
    yield from (source / name for name in PAGES)


def faults_of(path: pathlib.Path) -> Iterator[str]:
    is_page = path.suffix == ".md"
    for text in KINDS[path.suffix](path.read_text(encoding="utf-8")):
        found = next(((match[0], instead) for pattern, instead in OUT for match in [pattern.search(text)] if match), None)
        if found and text not in DATA and (is_page or " " in text.strip()):
            yield f"{found[0]!r} is out, say {found[1]}: {text.strip()[:120]!r}"


def main(source: pathlib.Path) -> int:
    faults = [f"{name}: {fault}" for path in files(source) for name in [str(path.relative_to(source))]
              if name not in NOT_READ for fault in faults_of(path)]
    print(*faults, sep="\n", end="\n" if faults else "")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
