#!/usr/bin/env python3
"""`varve help`, `varve completion`, NO_COLOR and the documented exit statuses, end to end.

usage: help_cli_test.py VARVE ROOT
"""

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
SCRATCH = tap.scratch_folder("help")
ENVIRONMENT = {**os.environ, "PATH": f"{SCRATCH}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "HOME": str(SCRATCH)}


def varve(*arguments):
    return subprocess.run([VARVE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, cwd=SCRATCH, text=True, timeout=60)


def printed(*arguments):
    done = varve(*arguments)
    assert done.returncode == 0 and done.stderr == "", (arguments, done)
    return done.stdout


def commands():
    return re.findall(r"^  ([a-z]+) +[A-Z]", printed("--help"), re.M)


def topics():
    return re.findall(r"^  ([a-z]+) +", printed("--help").partition("topics (varve help TOPIC):\n")[2].partition("\n\n")[0], re.M)


def formats():
    return re.findall(r"^  ([a-z0-9-]+) +", printed("help", "formats"), re.M)


def options_of(command):
    return re.findall(r"^  (?:-\w, )?(--[a-z-]+)(=?)", printed(command, "--help"), re.M)


# -- help --


def help_knows_commands_formats_and_topics():
    assert len(commands()) >= 18 and len(topics()) >= 5 and len(formats()) >= 17, (commands(), topics(), formats())
    for name in commands():
        text = printed("help", name)
        assert text == printed("--help", name), name
        assert text.startswith(printed(name, "--help")), name
    for name in topics():
        assert len(printed("help", name).splitlines()) > 3, name
    for name in formats():
        assert re.search(rf"(--format|--to)={name}\b|OUT\.{name}\b", printed("help", name)), name


def every_format_of_convert_has_a_page_and_is_completed():
    refused = varve("convert", "--to=none", "-o", "out", "in").stderr
    names = re.search(r"expected one of ([a-z0-9, ]+?) \(", refused).group(1).split(", ")
    assert len(names) >= 12 and "html" in names, names
    completion = printed("completion", "bash")
    for name in names:
        assert f"--to={name}" in printed("help", name) and name in formats(), name
        assert re.search(rf"\b{name}\b", completion), name


def a_format_and_a_command_of_one_name_share_a_page():
    text = printed("help", "go")
    assert text.startswith("usage: varve go") and "\nthe format go:\n" in text and "--format=go" in text


def help_of_a_format_names_reading_and_writing():
    text = printed("help", "spall")
    assert "--format=spall" in text and "--to=spall" in text and "*.spall" in text and "varve listen" in text
    assert "varve listen" not in printed("help", "cpuprofile")


def a_topic_or_format_in_the_place_of_a_command_names_its_page():
    for name in ("record", "spall"):
        done = varve(name)
        assert done.returncode == 1 and done.stderr.endswith(f" (see varve help {name})\n"), done
    assert "varve_record_start" in printed("help", "record")


def an_unknown_name_is_an_error_with_a_suggestion():
    for typed, meant in (("spal", "spall"), ("statsu", "stats"), ("inof", "info"), ("speedscop", "speedscope")):
        done = varve("help", typed)
        assert done.returncode == 1 and done.stdout == "" and f"did you mean `varve help {meant}`?" in done.stderr, done
    done = varve("help", "zzzzzz")
    assert done.returncode == 1 and "did you mean" not in done.stderr, done
    assert varve("help", "info", "stats").returncode == 1
    assert varve("help", "--man", "spall").returncode == 1  # only commands have manual pages


# -- manual pages --


def manual_pages_have_every_option_and_no_faults():
    groff = shutil.which("groff")
    for name in ["varve", *commands()]:
        page = printed("help", "--man", name)
        assert page.startswith(".TH VARVE") and "\n.SH NAME\nvarve" in page, name
        for option, _ in options_of(name) if name != "varve" else [("--threads", "")]:
            assert option.replace("-", "\\-") in page, (name, option)
        assert not re.search(r"^'", page, re.M) and not re.search(r"^\.(?!TH|SH|SS|TP|nf|fi|br)", page, re.M), name
        if groff:
            done = subprocess.run([groff, "-man", "-ww", "-z", "-Tutf8", "-K", "utf8"], input=page, capture_output=True, text=True)
            faults = [line for line in done.stderr.splitlines() if "break" not in line and "adjust" not in line]
            assert done.returncode == 0 and not faults, (name, faults)


# -- completion --


def bash_completes(line):
    """Returns the completions of the last word of `line` as bash sees its words, which `=` separates."""
    words = [word for word in re.split(r"\s+|(=)", line) if word]
    if line[-1] in " =":
        words.append("")
    quoted = " ".join("'" + word + "'" for word in words)
    script = (f"compopt() {{ :; }}\nsource <(varve completion bash)\nCOMP_WORDS=({quoted})\nCOMP_CWORD={len(words) - 1}\n"
              "_varve\nprintf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, env=ENVIRONMENT, cwd=SCRATCH)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout.split()


def bash_completes_commands_options_and_values():
    if not shutil.which("bash"):
        raise tap.Skip("no bash")
    assert bash_completes("varve conv") == ["convert"]
    assert set(commands()) <= set(bash_completes("varve "))
    assert bash_completes("varve tra") == ["trace.json"]
    assert bash_completes("varve info --js") == ["--json"]
    assert bash_completes("varve info --color=al") == ["always"]
    assert bash_completes("varve info --color al") == ["always"]
    assert bash_completes("varve render --theme=") == ["light", "dark"]
    assert bash_completes("varve render --sort=") == ["default", "name", "first", "busiest"]
    assert bash_completes("varve convert --to=sp") == ["spall", "spall1", "speedscope"]
    assert bash_completes("varve completion ") == ["bash", "zsh", "fish"]
    assert "spall" in bash_completes("varve help sp")
    assert bash_completes("varve convert -o tr") == []  # bash completes files itself
    for command in commands():
        expected = {option + equals for option, equals in options_of(command)}
        assert set(bash_completes(f"varve {command} --")) == expected, command


def completed_values_are_accepted():
    """Each value that the script of fish lists is one that the command takes."""
    count = 0
    for line in printed("completion", "fish").splitlines():
        found = re.match(r"complete -c varve -n '__fish_seen_subcommand_from (\w+)' -l ([\w-]+).* -x -a '([^']+)'", line)
        for value in found[3].split() if found else ():
            output = ["-o", "out"] if found[2] == "to" else ["-o", "out.svg"] if found[1] in ("render", "flame") else []
            done = varve(found[1], f"--{found[2]}={value}", *(["missing.json"] if found[1] not in ("help", "completion") else []), *output)
            assert "must be" not in done.stderr and "unknown" not in done.stderr, (line, done)
            count += 1
    assert count > 200, count


def zsh_and_fish_accept_their_scripts():
    ran = 0
    for shell, arguments in (("zsh", ["-f", "-n"]), ("fish", ["--no-config", "-n"])):
        script = SCRATCH / f"completion.{shell}"
        script.write_text(printed("completion", shell))
        if not shutil.which(shell):
            continue
        done = subprocess.run([shell, *arguments, str(script)], capture_output=True, text=True, env=ENVIRONMENT)
        assert done.returncode == 0 and done.stderr == "", done
        ran += 1
    if ran == 0:
        raise tap.Skip("neither zsh nor fish")


def fish_completes():
    if not shutil.which("fish"):
        raise tap.Skip("no fish")
    for line, expected in (("varve conv", "convert"), ("varve info --js", "--json"), ("varve render --theme=da", "--theme=dark"),
                           ("varve completion z", "zsh")):
        done = subprocess.run(["fish", "--no-config", "-c", f"varve completion fish | source; complete -C '{line}'"], capture_output=True,
                              text=True, env=ENVIRONMENT, cwd=SCRATCH)
        assert expected in [row.split("\t")[0] for row in done.stdout.splitlines()], (line, done)


def zsh_completes():
    """Types a Tab into an interactive zsh."""
    if not shutil.which("zsh"):
        raise tap.Skip("no zsh")
    controller, terminal = pty.openpty()
    shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=terminal, stdout=terminal, stderr=terminal, cwd=SCRATCH,
                             env={**ENVIRONMENT, "PS1": "> ", "TERM": "dumb"}, start_new_session=True)
    os.close(terminal)
    os.write(controller, b"unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; source <(varve completion zsh); echo re''ady\n")
    seen = b""
    while b"\nready" not in seen:
        seen += os.read(controller, 4096)
    os.write(controller, b"echo varve; varve render --theme=da\t && echo \"[$_]\" ; exit\n")
    try:
        while chunk := os.read(controller, 4096):
            seen += chunk
    except OSError:
        pass
    shell.wait(timeout=20)
    assert b"--theme=dark" in seen, seen


def a_wrong_shell_is_wrong_usage():
    done = varve("completion", "csh")
    assert done.returncode == 1 and done.stdout == "" and "expected bash, zsh or fish" in done.stderr, done
    assert varve("completion").returncode == 1
    assert varve("completion", "bash", "zsh").returncode == 1


# -- colours --


def on_terminal(*arguments, **variables):
    """Returns the output of a command whose standard output is a terminal."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen([VARVE, *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.DEVNULL, cwd=SCRATCH,
                               env={**ENVIRONMENT, **variables})
    os.close(terminal)
    output = b""
    try:
        while chunk := os.read(controller, 4096):
            output += chunk
    except OSError:
        pass
    process.wait(timeout=60)
    return output


def no_color_turns_colours_off():
    assert b"\x1b[" in on_terminal("info", "trace.json", NO_COLOR="")
    assert b"\x1b[" not in on_terminal("info", "trace.json", NO_COLOR="1")
    assert b"\x1b[" in on_terminal("info", "trace.json", "--color=always", NO_COLOR="1")
    assert b"\x1b[" not in on_terminal("info", "trace.json", "--color=never", NO_COLOR="")


# -- exit statuses --


def exit_statuses_are_as_documented():
    """Each command with a good file, a bad file and a missing one, a wrong option and an unwritable output."""
    documented = [re.match(r"\| (\d) \|", line) for line in (ROOT / "docs" / "options.md").read_text().splitlines()]
    assert [int(row[1]) for row in documented if row] == [0, 1, 2, 3, 4, 5]
    assert [int(line.split()[0]) for line in printed("help", "status").splitlines()] == [0, 1, 2, 3, 4, 5]
    output = {"render": "x.svg", "convert": "x.spall", "flame": "x.svg", "trim": "x.trace", "repack": "x.trace"}
    for command in set(commands()) - {"open", "listen", "cache", "help", "completion", "go", "frames", "trim", "repack"}:
        second = ["trace.json"] if command == "diff" else ["SELECT 1"] if command == "query" else ["f"] if command == "find" else []
        to = ["-o", output[command]] if command in output else []
        if command == "query" and "SQL needs DuckDB" in varve(command, "trace.json", *second).stderr:
            continue
        for status, words in ((0, ["trace.json"]), (1, ["trace.json", "--wrong"]), (2, ["missing.json"]), (2, ["text.txt"]),
                              (3, ["--strict", "warns.json"])):
            done = varve(command, *words, *second, *to)
            assert done.returncode == status, (command, words, done)
        if to:
            done = varve(command, "trace.json", "-o", "no/folder/" + output[command])
            assert done.returncode == 4, (command, done)
    assert varve("check", "warns.json").returncode == 3
    assert varve("diff", "trace.json", "slow.json", "--fail-above=10").returncode == 5
    assert varve().returncode == 1
    with open("/dev/full", "wb") as full:
        for words in (["info", "trace.json"], ["--help"], ["--version"], ["completion", "bash"], ["help", "spall"]):
            done = subprocess.run([VARVE, *words], stdout=full, stderr=subprocess.PIPE, cwd=SCRATCH)
            assert done.returncode == 4, (words, done)


def events(duration):
    return "[" + ",".join(f'{{"ph":"X","pid":1,"tid":1,"name":"f","ts":{i * 1000},"dur":{duration + i % 3}}}' for i in range(100)) + "]"


(SCRATCH / "varve").symlink_to(VARVE)
(SCRATCH / "trace.json").write_text(events(10))
(SCRATCH / "slow.json").write_text(events(500))
(SCRATCH / "warns.json").write_text('[{"ph":"E","pid":1,"tid":1,"name":"f","ts":5},{"ph":"i","ts":7,"pid":1,"tid":1,"name":"g"}]')
(SCRATCH / "text.txt").write_text("plain text")
tap.run([help_knows_commands_formats_and_topics, every_format_of_convert_has_a_page_and_is_completed, a_format_and_a_command_of_one_name_share_a_page,
         help_of_a_format_names_reading_and_writing, a_topic_or_format_in_the_place_of_a_command_names_its_page, an_unknown_name_is_an_error_with_a_suggestion,
         manual_pages_have_every_option_and_no_faults, bash_completes_commands_options_and_values, completed_values_are_accepted,
         zsh_and_fish_accept_their_scripts, fish_completes, zsh_completes, a_wrong_shell_is_wrong_usage, no_color_turns_colours_off,
         exit_statuses_are_as_documented])
