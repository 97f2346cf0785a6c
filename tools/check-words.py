#!/usr/bin/env python3
"""Rejects words and phrases that plain technical English does not need.

usage: check-words.py [ROOT]

Reads the comments and strings of every tracked source file and the text of every Markdown page. WORDS lists the
rejected patterns, each with its replacement. Text in `backquotes` is code and is skipped, and so are recordings and
strings without a space, which are keys or paths.

Prints `file:line: the words: the replacement` for each of them, and exits with 1 if there is any.
"""

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

SKIPPED = ("test/data/", "fuzz/corpus/", "tools/check-words.py")
C_LIKE = {".c", ".h", ".ts", ".tsx", ".js", ".mjs", ".css"}
HASH_COMMENTS = {".sh", ".build"}

PERSONS = r"(?<!user )(?<!users )(?<!person )(?<!people )(?<!reader )(?<!readers )(?<!developer )(?<!engineer )"
WORDS = [(re.compile(pattern, re.IGNORECASE), advice) for pattern, advice in [
    (r"\b(?:no|some|any|every)body\b", "name the reader, caller, process, or use the passive"),
    (r"\bnone +of\b", "'no' or 'not any' and the noun"),
    (r"\b(?:is|are|was|were) +none\b", "'no' and the noun, 'NULL', 'absent', 'empty'"),
    (r"\b(?:is|are|was|were|be|been|being) +told\b", "'receives', 'gets', 'is notified', 'is stored'"),
    (r"(?<!-)\b(?:stand|stands|stood|standing)\b(?!-?alone| for\b| out\b)", "'is', 'is stored', 'is at', 'follows'"),
    (r"(?<!there )\b(?:is|are|was|were) +no\b(?! +(?:longer|more|less|fewer|larger|smaller|other)\b)",
     "'is not a', or the expected form"),
    (r"\bwhat\b(?!=|[^.]*\?)", "a noun: the bytes, the name, the state"),
    (PERSONS + r"\bwho(?:m|ever)?\b(?![^.]*\?)", "a noun: the caller, the thread, the reader"),
    (r"\b(?:that|those) +(?:which|that|who|whose)\b", "a noun: the slices that"),
    (r"\b(?:stands?|stood|standing) +for\b", "'represents', 'means'"),
    (r"\b(?:goes|go|going) +by +(?:its|one|an?|the|their)\b", "'has the id', 'has the name', 'is identified by'"),
    (r"\b(?:told|tell|tells) +apart\b", "'distinguished', 'distinguishes'"),
    (r"\bto +be +had\b", "'available'"),
    (r"\bever +new\b", "'always new', 'different each time'"),
    (r"\b(?:let|lets) +go\b", "'releases', 'removes'"),
    (r"/\*+ +Whether\b", "'True if'"),
    (r"\bwish(?:es|ed)?\b", "tile request"),
    (r"\bstrands?\b", "async id"),
    (r"\bcarriers?\b", "transport"),
    (r"\btwins?\b", "accessible mirror"),
    (r"\bbeds?\b", "destination"),
    (r"\btrails?\b", "sidecar"),
]]

C_TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)"""
                     r"""|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
HASH_TOKEN = re.compile(r"(?:(?<=\s)|^)#[^\n]*", re.MULTILINE)
CODE_SPAN = re.compile(r"`[^`]*`")
EXPRESSION = re.compile(r"\$?\{[^{}]*\}")  # in a template of JavaScript or an f-string


def blank(match):
    """The match's lines without their characters, so that offsets hold."""
    return re.sub(r"[^\n]", " ", match.group())


def c_like_parts(text):
    for match in C_TOKEN.finditer(text):
        if match["comment"]:
            yield match.start(), CODE_SPAN.sub(blank, match.group()).replace("\n *", "\n  ")
        elif match["string"] and " " in match["string"]:
            is_template = match.group().startswith("`")
            yield match.start(), EXPRESSION.sub(blank, match.group()) if is_template else match.group()


def python_parts(text):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if tokenize.tok_name[token.type] in ("COMMENT", "STRING", "FSTRING_MIDDLE"):
            row, column = token.start
            has_expressions = re.match(r"[rR]?[fF]", token.string) is not None
            string = EXPRESSION.sub(blank, token.string) if has_expressions else token.string
            yield starts[row - 1] + column, CODE_SPAN.sub(blank, string)


def hash_parts(text):
    for match in HASH_TOKEN.finditer(text):
        yield match.start(), match.group()


def is_text_table(path):
    """True for the English texts of the page."""
    return path.parts[-3:] == ("web", "texts", "en.json")


def parts(path, text):
    """[(offset, text)] of the comments, strings and prose of a file; nothing for other kinds of file."""
    if path.suffix in C_LIKE or is_text_table(path):
        return c_like_parts(text)
    if path.suffix == ".py":
        return python_parts(text)
    if path.suffix == ".md":
        return [(0, CODE_SPAN.sub(blank, text))]
    if path.suffix in HASH_COMMENTS or path.name == "Makefile":
        return hash_parts(text)
    return []


def words_of(path, text):
    """[(line, words, advice)] in the order of the file."""
    found = []
    for offset, part in parts(path, text):
        for pattern, advice in WORDS:
            for match in pattern.finditer(re.sub(r"\s", " ", part)):
                line = text.count("\n", 0, offset + match.start()) + 1
                found.append((line, match.group(), advice))
    return sorted(found)


def tracked_files(root):
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    names = sorted(name.decode() for name in listing.split(b"\0") if name)
    return [name for name in names if not name.startswith(SKIPPED) and (root / name).is_file()]


def collect(root):
    """The message about every rejected word, in the order of the files."""
    found = []
    for name in tracked_files(root):
        path = Path(name)
        if not (path.suffix in C_LIKE | HASH_COMMENTS | {".py", ".md"} or path.name == "Makefile" or is_text_table(path)):
            continue
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        for line, words, advice in words_of(Path(name), text):
            found.append(f"{name}:{line}: '{words}': {advice}")
    return found


def main(arguments):
    if "--help" in arguments:
        print(__doc__.strip())
        return 0
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    if subprocess.run(["git", "rev-parse"], cwd=root, capture_output=True).returncode != 0:
        print("not a git checkout, nothing is tracked")
        return 77  # meson: skipped
    found = collect(root)
    print("\n".join(found + [f"{len(found)} words to replace"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
