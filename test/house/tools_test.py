#!/usr/bin/env python3
"""Runs the checks of tools/ on small trees with planted offences. Speaks TAP.

usage: tools_test.py ROOT
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tap

ROOT = Path(sys.argv[1])
TOOLS = ROOT / "tools"


def run_on(tool, files, track=False):
    """(exit status, output) of a tool on a tree made of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        if track:
            subprocess.run(["git", "init", "-q", folder], check=True)
            subprocess.run(["git", "-C", folder, "add", "-A"], check=True)
        done = subprocess.run([sys.executable, TOOLS / tool, folder], capture_output=True, text=True)
        return done.returncode, done.stdout


def layers(files):
    return run_on("check-layers.py", files)


def hygiene(files):
    return run_on("check-hygiene.py", files, track=True)


def finds(result, words):
    status, output = result
    assert status == 1, f"exit status {status}: {output}"
    assert words in output, output


def accepts(result):
    status, output = result
    assert status == 0, f"exit status {status}: {output}"


def layers_accept_includes_of_lower_layers():
    accepts(layers({
        "src/base/arena.h": "#include <stdint.h>\n",
        "src/base/arena.c": '#include "base/arena.h"\n\n#include <stdlib.h>\n',
        "src/trace/wire/tile.h": '#include "base/arena.h"\n',
        "src/view/view.c": '#include "trace/wire/tile.h"\n#include "base/arena.h"\n',
    }))


def layers_refuse_includes_of_higher_layers():
    finds(layers({"src/base/arena.c": '#include <stdlib.h>\n\n#include "trace/store/trace.h"\n'}),
          "src/base/arena.c:3: base must not include from trace: trace/store/trace.h")


def layers_refuse_an_unrelated_layer():
    finds(layers({"src/paint/png.c": '#include "schema/schema.h"\n'}), "paint must not include from schema")


def layers_keep_the_view_from_columns():
    finds(layers({"src/view/layout.c": '#include "trace/store/trace.h"\n'}), "src/view/layout.c:1: view may include")


def layers_keep_readers_apart():
    finds(layers({"src/format/spall/read.c": '#include "format/trace_event/trace_event.h"\n'}),
          "only format/formats.c may include a reader's header")


def layers_keep_drawing_from_changing_the_view():
    finds(layers({"src/view/draw_rows.c": '#include "view/select.h"\n'}), "view/draw_rows.c shows the state of the view")


def layers_keep_the_session_below_its_transports():
    finds(layers({"src/app/session/session.c": '#include "app/server/server.h"\n'}),
          "app/session must not include from app/server")
    finds(layers({"src/trace/store/trace.c": '#include "trace/make/finish.h"\n'}),
          "trace/store must not include from trace/make")
    finds(layers({"src/format/go/v1/scan.c": '#include "format/go/stats/stats.h"\n'}),
          "format/go/v1 must not include from format/go/stats")


def layers_keep_the_columns_in_the_trace():
    column = "int64_t tick = out->trace->slices.begin_tick[0];\n"
    says = "reads columns of the trace: use trace/scan/scan.h or trace/store/lookup.h"
    for name in ("analysis/stats.c", "schema/values.c", "query/fill.c", "export/folded.c", "format/spall/reader.c",
                 "format/trace_event/write/time.c", "app/session/handlers_slice.c"):
        finds(layers({f"src/{name}": "\n" + column}), f"src/{name}:2: {says}")
        finds(layers({f"src/{name}": "const SliceColumns *slices;\n"}), f"src/{name}:1: {says}")
        finds(layers({f"src/{name}": "use(&trace->flows);\n"}), f"src/{name}:1: {says}")
        accepts(layers({f"src/{name}": "use(counts->slices, trace_slice_begin(trace, 0), trace->samples_total);\n"}))
    accepts(layers({"src/trace/scan/scan.c": column}))


def layers_keep_commands_on_the_header():
    accepts(layers({"src/app/cli/cmd_query.c": '#include "app/cli/traces.h"\n#include <varve/varve.h>\n'}))
    finds(layers({"src/app/cli/cmd_query.c": '#include "query/sql.h"\n'}), "src/app/cli/cmd_query.c: includes query/sql.h")
    finds(layers({"src/app/server/token.c": '#include "format/load.h"\n'}), "src/app/server/token.c: includes format/load.h")
    accepts(layers({"src/app/cli/traces.c": '#include "api/api.h"\n'}))
    finds(layers({"src/app/cli/traces.c": '#include "base/err.h"\n'}), "src/app/cli/traces.c: uses nothing behind")


def layers_find_a_cycle():
    finds(layers({
        "src/base/a.h": '#include "base/b.h"\n',
        "src/base/b.h": '#  include "base/c.h"\n',
        "src/base/c.h": '#include "base/a.h"\n',
    }), "base/a.h -> base/b.h -> base/c.h -> base/a.h")


def layers_want_the_own_header_first():
    finds(layers({"src/base/a.h": "", "src/base/b.h": "", "src/base/a.c": '#include "base/b.h"\n#include "base/a.h"\n'}),
          "src/base/a.c:1: its own header base/a.h")


def layers_refuse_relative_includes():
    finds(layers({"src/base/a.c": '#include "b.h"\n'}), '"b.h" does not name a layer')


def layers_want_public_headers_alone():
    finds(layers({"src/base/a.h": "", "include/varve/varve.h": '#include "base/a.h"\n'}),
          "include/varve/varve.h:1: a public header includes base/a.h")


def layers_refuse_an_empty_tree():
    finds(layers({"README.md": ""}), "no sources found")


def hygiene_accepts_a_clean_tree():
    accepts(hygiene({
        "README.md": "See ~/work/ and $HOME/root/ and a/home/b.\n",
        "web/package-lock.json": '{"funding": "https://example.org", "integrity": "sha512-x"}\n',
        "test/data/x.json": '"/' + 'home/someone/src"\n',
    }))


def hygiene_finds_a_path_of_one_machine():
    finds(hygiene({"docs/a.md": "one\nsee /" + "home/someone/notes\n"}), "docs/a.md:2: a path of one machine")


def hygiene_finds_a_comment_about_a_missing_file():
    finds(hygiene({"src/base/a.h": "/* base/a.h - of base/b.h and <base/c.h> */\n"}), "src/base/a.h:1: a file that does not exist: base/b.h")
    accepts(hygiene({"src/base/a.h": "/* base/a.h - of base/b.h, lib/c.h */\n", "src/base/b.h": 'char a[] = "/* base/d.h";\n'}))


def hygiene_finds_where_a_package_came_from():
    finds(hygiene({"web/package-lock.json": '  "resolved": "https://packages.example.org/a.tgz"\n'}),
          "web/package-lock.json:1: a lock file")


def hygiene_finds_a_registry_setting():
    finds(hygiene({"web/.npmrc": "registry=https://packages.example.org\n"}), "web/.npmrc:1: the registry")


def hygiene_finds_a_promise():
    finds(hygiene({"src/a.c": "/* TO" + "DO: finish */\n"}), "src/a.c:1: a promise of work")


def formatted(files):
    return run_on("check-format.py", dict(files, **{".clang-format": "BasedOnStyle: LLVM\nIndentWidth: 4\n"}), track=True)


def format_accepts_and_refuses():
    if shutil.which("clang-format-19") is None:
        return
    accepts(formatted({"src/a.c": "int one(void) { return 1; }\n"}))
    finds(formatted({"src/a.c": "int one( void ) { return 1; }\n"}), "src/a.c:1:9: error")


def tidy(text):
    commands = [{"directory": ".", "file": "../src/a.c", "command": "ccache gcc -I../src -c ../src/a.c"}]
    return run_on("check-tidy.py", {".clang-tidy": (ROOT / ".clang-tidy").read_text(), "src/a.c": text,
                                    "build/compile_commands.json": json.dumps(commands)})


def tidy_accepts_and_refuses():
    if shutil.which("clang-tidy-19") is None:
        return
    accepts(tidy("int one(void);\nint one(void)\n{\n    return 1;\n}\n"))
    finds(tidy("int same(int a);\nint same(int a)\n{\n    return a == a;\n}\n"), "src/a.c:4:14: error: both sides of operator")
    finds(tidy("int one(void) { return 1 }\n"), "src/a.c:1:25: error: expected ';'")


def words(files):
    return run_on("check-words.py", files, track=True)


NO_BODY = "/* No" + "body frees it. */\n"


def words_accept_plain_text_and_code():
    accepts(words({
        "src/base/a.c": "/* Returns the slice at `wh" + "at`. A person wh" + "o reads this. */\nint wh" + "at;\n",
        "tools/a.py": "w" + "ho = 1  # `w" + "ho` is the caller\n",
        "test/data/a.md": NO_BODY,
    }))


def words_find_comments_strings_and_prose():
    finds(words({"src/base/a.c": "\n" + NO_BODY}), "src/base/a.c:2: 'No" + "body': name the reader")
    finds(words({"src/base/a.c": 'say("one\\"; it is ' + 'no range");\n'}), "src/base/a.c:1: 'is " + "no'")
    finds(words({"src/base/a.h": "/* one\n * two. It is\n * told three. */\n"}), "src/base/a.h:2: 'is")
    finds(words({"tools/a.py": "x = 1\n# the caller st" + "ands\n"}), "tools/a.py:2: 'st" + "ands'")
    finds(words({"tools/a.sh": "true # no" + "body\n"}), "tools/a.sh:1: 'no" + "body'")
    finds(words({"README.md": "one\n\nkeeps wh" + "at it gets\n"}), "README.md:3: 'wh" + "at'")
    finds(words({"web/texts/en.json": '{\n  "a.b": "no' + 'body is here"\n}\n'}), "web/texts/en.json:2: 'no" + "body'")
    finds(words({"web/src/a.tsx": "/** Wh" + "ether it is open. */\n"}), "web/src/a.tsx:1: '/** Wh" + "ether'")
    accepts(words({"src/base/a.c": 'put("wh' + 'at");\n'}))


def docs(files):
    """(exit status, output) of check-docs.py on a small tree whose program is a shell script."""
    program = """#!/bin/sh
case "$*" in
--help) echo "  info     Prints a summary" ;;
"info --help") printf 'usage\\n\\noptions:\\n  --json      JSON\\n\\noptions of all commands:\\n  --format=NAME  f\\n  -h, --help  help\\n' ;;
"info --json"*) echo '{"file": {"name": "x"}}' ;;
*nope*) echo "there are one-format" ;;
"info x") echo one; echo two; echo three ;;
esac
"""
    tree = {
        "README.md": "[info](docs/info.md) [one](docs/formats/one-format.md)\n",
        "docs/info.md": "`--json`\n\n| `format.name` | `one-format` |\n| `file.name` | |\n",
        "docs/options.md": "`--help`\n\n| `--format=NAME` | `one-format` |\n",
        "docs/convert.md": "| `--to=FORMAT` | `one-format` |\n",
        "docs/check.md": "[one](formats/one-format.md)\n\n| kind | means |\n|---|---|\n| `bad-time` | |\n",
        "docs/formats/one-format.md": "# One format\n",
        "src/format/load.c": 'f(void) { builder_warn(b, "bad-time", pos, "text"); }\n',
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"varve": program, **tree, **files}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        Path(folder, "varve").chmod(0o755)
        done = subprocess.run([sys.executable, TOOLS / "check-docs.py", folder, Path(folder, "varve")], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def docs_accept_what_agrees():
    accepts(docs({"a.md": "# One, two\n\n[b](#one-two)\n\n```\n$ varve info x\none\n...\nthree\n```\n"}))


def docs_find_other_output():
    finds(docs({"a.md": "```\n$ varve info x\none\nthree\n```\n"}), "a.md:2: varve info x prints:")


def docs_find_links_to_nothing():
    finds(docs({"a.md": "\n[b](b.md)\n"}), "a.md:2: there is no b.md")
    finds(docs({"a.md": "[b](docs/info.md#one)\n"}), "a.md:1: docs/info.md has no heading #one")


def docs_find_how_to_pages_without_a_part():
    parts = {"command": "```\n$ varve info x\none\n...\nthree\n```\n", "SQL": "```\n$ varve query x\n...\n```\n", "picture": "![one](../images/one.svg)\n"}
    files = {"docs/images/one.svg": "<svg/>\n"}
    accepts(docs({**files, "docs/how-to/a.md": "".join(parts.values())}))
    for missing in ("SQL", "picture"):
        finds(docs({**files, "docs/how-to/a.md": "".join(text for part, text in parts.items() if part != missing)}),
              f"docs/how-to/a.md: the page has no {missing}")
    finds(docs({"docs/how-to/a.md": "text\n"}), "docs/how-to/a.md: the page has no command")
    finds(docs({"docs/how-to/a.md": "".join(parts.values())}), "there is no ../images/one.svg")


def docs_find_lists_that_differ():
    finds(docs({"docs/info.md": "| `format.name` | `one-format` |\n"}), "docs/info.md: --json is missing")
    finds(docs({"docs/info.md": "`--json`\n| `format.name` | `one-format` |\n"}), "docs/info.md: the key file.name is missing")
    finds(docs({"docs/options.md": "`--help`\n| `--format=NAME` | `one-format` |\n| `--old` | |\n"}), "docs/options.md:3: there is no option --old")
    finds(docs({"docs/options.md": "`--help`\n| `--format=NAME` | `two-format` |\n"}), "docs/options.md:2: `one-format` is missing")
    finds(docs({"README.md": "[one](docs/formats/one-format.md)\n"}), "README.md: varve info is missing")
    finds(docs({"src/format/load.c": 'f(void) { builder_warn(b, "bad-time", pos, ""); builder_warn(b, "bad-unit", pos, ""); }\n'}),
          "docs/check.md: the warning `bad-unit` has no line")
    finds(docs({"src/format/load.c": ""}), "docs/check.md:5: there is no warning `bad-time`")


def count(junit, log):
    return run_on("count-tests.py", {"meson-logs/testlog.junit.xml": junit,
                                     "meson-logs/testlog.json": "\n".join(json.dumps(test) for test in log)})


def count_counts_cases():
    status, output = count(
        '<testsuites><testsuite name="varve.base / arena"><testcase name="a"/><testcase name="b"/></testsuite>'
        '<testsuite name="varve"><testcase name="layers"/></testsuite></testsuites>',
        [{"name": "base / arena", "result": "OK"}, {"name": "layers", "result": "OK"}])
    assert status == 0 and output.splitlines()[-1] == "3 passed, 0 failed, 0 skipped", output


def count_counts_a_failed_case_once():
    status, output = count(
        '<testsuites><testsuite name="varve.base / arena"><testcase name="a"/>'
        '<testcase name="b"><failure/></testcase></testsuite></testsuites>',
        [{"name": "base / arena", "result": "ERROR", "returncode": 1}])
    assert status == 1 and output.splitlines()[-1] == "1 passed, 1 failed, 0 skipped", output


def count_counts_a_crash_between_cases():
    status, output = count(
        '<testsuites><testsuite name="varve.base / arena"><testcase name="a"/></testsuite></testsuites>',
        [{"name": "base / arena", "result": "ERROR", "returncode": -11}])
    assert status == 1 and output.splitlines()[-1] == "1 passed, 1 failed, 0 skipped", output


def count_says_which_case_failed_and_why():
    status, output = count(
        '<testsuites><testsuite name="varve.base / arena"><testcase name="a"/>'
        '<testcase name="b"><failure/></testcase></testsuite></testsuites>',
        [{"name": "base / arena", "result": "ERROR", "returncode": 1,
          "stdout": "1..2\nok 1 - a\n# idle talk\nnot ok 2 - b\n# 3 != 4\n"}])
    lines = output.splitlines()
    assert status == 1 and lines[-1] == "1 passed, 1 failed, 0 skipped", output
    assert lines[:-1] == ["base / arena: ERROR, exit status 1", "    not ok 2 - b", "    # 3 != 4"], output


def count_says_the_last_words_of_a_crash():
    status, output = count(
        '<testsuites><testsuite name="varve.base / arena"><testcase name="a"/></testsuite></testsuites>',
        [{"name": "base / arena", "result": "ERROR", "returncode": -6, "stdout": "ok 1 - a\n", "stderr": "abort\n"}])
    assert status == 1 and "    abort" in output.splitlines(), output


def count_refuses_an_empty_run():
    status, output = count("<testsuites/>", [])
    assert status == 1 and output.splitlines()[-1] == "0 passed, 1 failed, 0 skipped", output


def count_refuses_a_run_that_was_skipped():
    status, output = count(
        '<testsuites><testsuite name="varve"><testcase name="a"><skipped/></testcase></testsuite></testsuites>',
        [{"name": "a", "result": "SKIP"}])
    assert status == 1 and output.splitlines()[-1] == "0 passed, 1 failed, 1 skipped", output


def count_refuses_a_directory_without_results():
    status, output = run_on("count-tests.py", {"build.ninja": ""})
    assert status == 1 and output.splitlines()[-1] == "0 passed, 1 failed, 0 skipped", output


def browser_tests_fail_without_a_required_browser():
    if shutil.which("node") is None:
        raise tap.Skip("there is no Node")
    command = [shutil.which("node"), ROOT / "test" / "web" / "listen_test.mjs", "varve", "live_send", "node_modules"]
    without = {"PATH": ""}
    skipped = subprocess.run(command, env=without, capture_output=True, text=True)
    failed = subprocess.run(command, env=without | {"VARVE_REQUIRE_BROWSER": "1"}, capture_output=True, text=True)
    assert skipped.returncode == 0 and skipped.stdout.startswith("1..0 # SKIP"), skipped
    assert failed.returncode == 1 and "not ok 1 - there is no Chromium" in failed.stdout, failed


LOCK = {"packages": {"": {"name": "web"}, "node_modules/a": {"integrity": "sha512-a"},
                     "node_modules/other-system": {"integrity": "sha512-o", "optional": True, "os": ["aix"]}}}


def install(lock, installed, npm):
    """(exit status, stderr, arguments that npm was called with) of install-packages.py; `npm` is its exit status, None = no npm."""
    with tempfile.TemporaryDirectory() as folder:
        root, called = Path(folder), Path(folder, "called")
        (root / "bin").mkdir()
        (root / "node_modules").mkdir()
        (root / "package-lock.json").write_text(json.dumps(lock))
        if installed is not None:
            (root / "node_modules" / ".package-lock.json").write_text(installed)
        if npm is not None:
            (root / "bin" / "npm").write_text(f"#!/bin/sh\necho $PWD $* >{called}\nexit {npm}\n")
            (root / "bin" / "npm").chmod(0o755)
        done = subprocess.run([sys.executable, TOOLS / "install-packages.py", folder], capture_output=True, text=True,
                              env={"PATH": str(root / "bin")})
        calls = called.read_text().split() if called.exists() else []
        return done.returncode, done.stderr, [call.replace(str(root.resolve()), "FOLDER") for call in calls]


TEXTS = {"web/src/panel.tsx": 't("panel.title")', "web/texts/en.json": '{\n  "panel.title": "Title"\n}\n'}


def texts_find_what_no_source_uses():
    result = run_on("check-texts.py", {**TEXTS, "web/src/panel.tsx": "t(`panel.title`)"})
    finds(result, "panel.title: no source uses it")


def texts_find_nouns_without_a_text():
    finds(run_on("check-texts.py", TEXTS), "count.thread: it has no text")


def install_needs_no_npm_for_what_is_installed():
    for_this_system = {"packages": {"node_modules/a": {"integrity": "sha512-a"}}}
    assert install(LOCK, json.dumps(for_this_system), None) == (0, "", [])


def install_calls_npm_for_what_is_missing_or_different():
    different = {"packages": {"node_modules/a": {"integrity": "sha512-b"}}}
    for installed in (None, "", "{}", json.dumps(different)):
        status, _, calls = install(LOCK, installed, 0)
        assert status == 0 and calls[:2] == ["FOLDER", "ci"], (installed, status, calls)
    assert install(LOCK, None, 7)[0] == 7


def install_says_that_npm_is_missing():
    status, errors, _ = install(LOCK, None, None)
    assert status == 1 and errors.startswith("npm is missing: "), errors


def a_plain_build_is_a_release_build():
    meson = shutil.which("meson")
    if meson is None:
        return
    done = subprocess.run([meson, "introspect", "--buildoptions", ROOT / "meson.build"], capture_output=True, text=True, check=True)
    options = {option["name"]: option["value"] for option in json.loads(done.stdout[done.stdout.index("["):])}
    assert (options["buildtype"], options["b_ndebug"]) == ("release", "false"), options


if __name__ == "__main__":
    tap.run([case for name, case in list(globals().items())
             if name.startswith(("layers_", "format_", "tidy_", "hygiene_", "words_", "texts_", "docs_", "count_", "install_", "browser_", "a_plain_"))])
