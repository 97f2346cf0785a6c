#!/usr/bin/env python3
"""Compares the Markdown pages with the program.

usage: check-docs.py ROOT VARVE

- Runs the commands on the pages and compares their output: in a fenced block whose first line begins with `$ varve
  `, lines that begin with `$ ` are commands, run by a shell in ROOT, and the lines after each are its output,
  stderr included. A line `...` matches any number of lines. A picture that a command writes with `-o
  docs/images/NAME.svg` must equal the one in the repository.
- Expects a command, SQL and a picture on each page of docs/how-to.
- Follows every link inside the repository, anchors included.
- Compares the commands, options, formats, keys of `info --json` and kinds of warnings on the pages with those of
  the program.

Prints a line for each fault; the exit status is 1 if there is any.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT, VARVE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
FORMAT_PAGES = ROOT / "docs" / "formats"
SECONDS = 60
NO_DUCKDB = "SQL needs DuckDB's library"  # the begin of the message without the library
faults = []


def fault(path, line, text):
    faults.append(f"{path.relative_to(ROOT)}:{line}: {text}" if line else f"{path.relative_to(ROOT)}: {text}")


def pages():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--", "*.md"], capture_output=True)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).exists()]
    return [path for path in sorted(ROOT.rglob("*.md")) if not {"node_modules", ".git"} & set(path.relative_to(ROOT).parts)]


def text_of(path):
    """Returns the page's text; a missing page is a fault and has none."""
    if path.exists():
        return path.read_text()
    fault(path, 0, "there is no such page")
    return ""


def run(command):
    """Returns the output of a shell in ROOT, stderr included; `varve` is the built program."""
    environment = {**os.environ, "PATH": f"{VARVE.parent}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS)
    return done.stdout.decode(errors="replace")


# -- commands and their output --


def matches(expected, actual):
    """True if the lines are the same; "..." represents any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and expected[0].rstrip() == actual[0].rstrip() and matches(expected[1:], actual[1:])


def fenced_blocks(lines):
    """Returns (number of the first line, lines) of every fenced block."""
    begin = None
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith("```"):
            continue
        if begin is None:
            begin = number
        else:
            yield begin + 1, lines[begin:number - 1]
            begin = None


def check_commands(path, lines):
    for number, block in fenced_blocks(lines):
        if not block or not block[0].startswith("$ varve "):
            continue
        starts = [i for i, line in enumerate(block) if line.startswith("$ ")]
        for start, end in zip(starts, starts[1:] + [len(block)]):
            actual = run_with_picture(path, number + start, block[start][2:]).splitlines()
            if actual and actual[0].startswith("varve: SQL: ") and NO_DUCKDB in actual[0]:
                continue  # its library is optional
            if not matches(block[start + 1:end], actual):
                fault(path, number + start, f"{block[start][2:]} prints:\n" + "\n".join(f"    {line}" for line in actual[:40]))


def run_with_picture(path, number, command):
    """Runs a command as run() does, but writes a picture outside ROOT, and compares it with the existing one."""
    picture = re.search(r" -o (docs/images/\S+\.svg)", command)
    if picture is None:
        return run(command)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / Path(picture[1]).name
        printed = run(command.replace(picture[1], str(made)))
        if not made.exists() or made.read_bytes() != (ROOT / picture[1]).read_bytes():
            fault(path, number, f"{command} makes another picture")
    return printed


# -- links --


def anchors(path):
    """Returns the anchors of a page's headings, as GitHub makes them."""
    found, fenced = {}, False
    for line in path.read_text().splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        heading = re.match(r"#+ +(.*)", line)
        if fenced or not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        slug = re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")
        count = found[slug] = found.get(slug, -1) + 1
        if count > 0:
            found[f"{slug}-{count}"] = 0
    return set(found)


def check_links(path, lines):
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.exists():
                fault(path, number, f"there is no {name}")
            elif anchor and anchor not in anchors(file):
                fault(path, number, f"{file.relative_to(ROOT)} has no heading #{anchor}")


# -- lists --


def commands():
    return re.findall(r"^  ([a-z]+) +[A-Z]", run("varve --help"), re.M)


def options(command):
    """Returns (its own options, those of all commands) as {--name}, from its help."""
    own, _, common = run(f"varve {command} --help").partition("\noptions of all commands:\n")
    pattern = re.compile(r"^  (?:-\w, )?(--[a-z-]+)", re.M)
    return set(pattern.findall(own)), set(pattern.findall(common))


def names_in_error(command):
    """Returns the names at the end of a message."""
    listed = re.search(r"(?:there are|one of) ([a-z0-9, -]+)", run(command))
    if listed is None:
        faults.append(f"{command}: the message lists no names")
        return []
    return listed[1].strip().split(", ")


def check_options(page, own, common, expected):
    """The page must name the expected options and have no row for an option that does not exist."""
    text = text_of(page)
    for option in sorted(expected):
        if not re.search(rf"{option}(?![a-z-])", text):
            fault(page, 0, f"{option} is missing")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("| "):
            continue
        for option in re.findall(r"`(?:[^`]*, )?(--[a-z-]+)", line.split(" | ")[0]):
            if option not in own | common:
                fault(page, number, f"there is no option {option}")


def check_commands_listed():
    readme = text_of(ROOT / "README.md")
    for command in commands():
        page = ROOT / "docs" / f"{command}.md"
        if f"docs/{command}.md" not in readme:
            fault(ROOT / "README.md", 0, f"varve {command} is missing")
        own, common = options(command)
        check_options(page, own, common, own)
    own, common = options("info")
    check_options(ROOT / "docs" / "options.md", set(), common, common)


def check_row(page, start, names):
    """The first row of a table that begins with this text must have exactly these names in its second cell."""
    rows = [(number, line) for number, line in enumerate(text_of(page).splitlines(), 1) if line.startswith(start)]
    if not rows:
        fault(page, 0, f"there is no row {start}")
        return
    number, line = rows[0]
    found = set(re.findall(r"`([a-z][a-z0-9-]+)`", line.removeprefix(start)))
    for name in sorted(set(names) - found):
        fault(page, number, f"`{name}` is missing")
    for name in sorted(found - set(names)):
        fault(page, number, f"there is no `{name}`")


def check_formats():
    readers = names_in_error("varve info --format=nope x")
    writers = names_in_error("varve convert --to=nope x -o x")
    check_row(ROOT / "docs" / "options.md", "| `--format=NAME` |", readers)
    check_row(ROOT / "docs" / "info.md", "| `format.name` |", readers)
    check_row(ROOT / "docs" / "convert.md", "| `--to=FORMAT` |", writers)
    for name in readers:
        text_of(FORMAT_PAGES / f"{name}.md")
        for lister, prefix in (("README.md", "docs/formats"), ("docs/check.md", "formats")):
            if f"({prefix}/{name}.md" not in text_of(ROOT / lister):
                fault(ROOT / lister, 0, f"the page of the format {name} is not linked")


def check_info_keys():
    """Every key of the object of `varve info --json` has a row in the page."""
    page = ROOT / "docs" / "info.md"
    text = text_of(page)
    shown = run("varve info --json --quiet --range=0.. test/data/cli/odd_kinds.json")
    groups = json.loads(shown[shown.index("{"):]) if "{" in shown else {}
    for group, value in groups.items():
        has_keys = isinstance(value, dict) and group not in ("source_events", "properties")
        for name in [f"{group}.{key}" for key in value] if has_keys else [group]:
            if f"`{name}`" not in text and not (group == "counts" and f"`{name.split('.')[1]}`" in text):
                fault(page, 0, f"the key {name} is missing")


# The first text in a call of a function that warns, reports or notes.
WARNS = re.compile(r"\b\w*(?:warn|report|note)\w*\((?:[^\";]|\([^)]*\))*?\"([a-z][a-z0-9]*(?:-[a-z0-9]+)+)\"")


def kinds_of_sources():
    """Returns {kind: the folders of src/format whose sources contain it; "" for all others}."""
    kinds = {}
    for source in sorted((ROOT / "src").rglob("*.c")):
        parts = source.relative_to(ROOT / "src").parts
        if parts[0] not in ("format", "trace"):
            continue
        folder = parts[1] if parts[0] == "format" and len(parts) == 3 else ""
        for kind in WARNS.findall(source.read_text()):
            kinds.setdefault(kind, set()).add(folder)
    return kinds


def kinds_of_pages():
    """Returns {page: {kind: line}} from the tables of kinds."""
    found = {}
    for page in sorted((ROOT / "docs").rglob("*.md")):
        in_table = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            in_table = line.startswith("| kind |") or (in_table and line.startswith("|"))
            if in_table:
                for kind in re.findall(r"`([a-z][a-z0-9-]*)`", line.split(" | ")[0]):
                    found.setdefault(page, {})[kind] = number
    return found


def check_warnings():
    sources, listed = kinds_of_sources(), kinds_of_pages()
    texts = {text for source in (ROOT / "src").rglob("*.c") for text in re.findall(r"\"([a-z][a-z0-9-]*)\"", source.read_text())}
    for kind, folders in sorted(sources.items()):
        for folder in sorted(folders):
            own = [page for page in listed if page.stem == folder.replace("_", "-") or (folder == "trace_event" and page.stem in ("cpuprofile", "firefox", "speedscope"))]
            if not any(kind in listed[page] for page in (own or listed)):
                fault(own[0] if own else ROOT / "docs" / "check.md", 0, f"the warning `{kind}` has no line")
    for page, kinds in listed.items():
        for kind, number in kinds.items():
            if kind not in texts:
                fault(page, number, f"there is no warning `{kind}`")


HOW_TO = {"command": r"^\$ varve ", "SQL": r"^\$ varve query ", "picture": r"^!\[[^\]]+\]\(\.\./images/"}


def check_how_to(path):
    text = path.read_text()
    for part, pattern in HOW_TO.items():
        if not re.search(pattern, text, re.M):
            fault(path, 0, f"the page has no {part}")


def main():
    for path in pages():
        if path.parent == ROOT / "docs" / "how-to" and path.name != "README.md":
            check_how_to(path)
        lines = path.read_text().splitlines()
        check_links(path, lines)
        check_commands(path, lines)
    check_commands_listed()
    check_formats()
    check_info_keys()
    check_warnings()
    print("\n".join(faults) if faults else "every page agrees with the program")
    return 1 if faults else 0


sys.exit(main())
