/* varve completion - prints a script with which a shell completes the commands and options of `varve`. */
#include "app/cli/args.h"
#include "app/cli/cli.h"
#include "app/cli/convert_targets.h"
#include "app/cli/help.h"

#include <string.h>

static const OptionSpec  OPTIONS[] = { { NULL, '\0', NULL, NULL } };
static const char *const SHELLS[] = { "bash", "zsh", "fish" };

/* -- the values of options -- */

static const char *const FILE_OPTIONS[] = { "output", "exe", "against" };

static void append_word(void *words_, const char *name)
{
    Bytes *words = words_;
    if (words->size > 0) bytes_append_text(words, " ");
    bytes_append_text(words, name);
}

static void append_formats(const CliCommand *command, const OptionSpec *spec, Bytes *words)
{
    if (strcmp(spec->name, "format") == 0) {
        VarveFormat format;
        for (uint32_t i = 0; varve_format(i, &format); i++)
            append_word(words, format.name);
    }
    if (strcmp(spec->name, "to") == 0 && command == &COMMAND_CONVERT) {
        ConvertTarget target;
        for (uint32_t i = 0; convert_target_at(i, &target); i++)
            append_word(words, target.name);
    }
}

/* Appends the values of an option, with spaces between them; nothing if it may have any value. */
static void append_values(const CliCommand *command, const OptionSpec *spec, Bytes *words)
{
    const OptionWords *of_option = cli_words_of(command, spec->name);
    for (size_t i = 0; of_option != NULL && i < of_option->count; i++)
        append_word(words, of_option->words[i]);
    append_formats(command, spec, words);
}

static bool takes_file(const OptionSpec *spec)
{
    for (size_t i = 0; i < sizeof FILE_OPTIONS / sizeof FILE_OPTIONS[0]; i++) {
        if (strcmp(FILE_OPTIONS[i], spec->name) == 0) return true;
    }
    return false;
}

/* Appends the words that follow a command, if these are not files. */
static void append_arguments(const CliCommand *command, Bytes *words)
{
    if (command == &COMMAND_HELP) help_each_name(append_word, words);
    for (size_t i = 0; command == &COMMAND_COMPLETION && i < sizeof SHELLS / sizeof SHELLS[0]; i++)
        append_word(words, SHELLS[i]);
}

/* -- scripts -- */

typedef struct Script {
    Bytes *out;
    /* Appends one option of a command. `values` is a C string, "" without known values. */
    void (*option)(Bytes *out, const CliCommand *command, const OptionSpec *spec, const char *values);
} Script;

static void each_option(const Script *script, const CliCommand *command)
{
    const OptionSpec *const tables[] = { command->options, COMMON_OPTIONS };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const OptionSpec *spec = tables[i]; spec->name != NULL; spec++) {
            Bytes values = { 0 };
            append_values(command, spec, &values);
            const char *text = bytes_text(&values);
            if (text == NULL)
                script->out->failed = true;
            else
                script->option(script->out, command, spec, text);
            bytes_release(&values);
        }
    }
}

static void append_commands(Bytes *out)
{
    Bytes words = { 0 };
    for (size_t i = 0; command_at(i) != NULL; i++)
        append_word(&words, command_at(i)->name);
    if (words.failed) out->failed = true;
    bytes_append(out, words.data, words.size);
    bytes_release(&words);
}

/* Appends text for a place between single quotes. The texts of the tables have characters that some shells expand. */
static void append_quoted(Bytes *out, const char *text, const char *escaped)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            bytes_append_text(out, "'\\''");
            continue;
        }
        if (strchr(escaped, *c) != NULL) bytes_append_text(out, "\\");
        bytes_append(out, c, 1);
    }
}

/* bash: the words of each command; then, as commands of a case, the values of its options. */

static void bash_name(Bytes *out, const CliCommand *command, const OptionSpec *spec, const char *values)
{
    (void)command;
    (void)values;
    bytes_printf(out, " --%s%s", spec->name, spec->value == NULL ? "" : "=");
}

static void bash_value(Bytes *out, const CliCommand *command, const OptionSpec *spec, const char *values)
{
    if (spec->value == NULL) return;
    bytes_printf(out, "    %s:--%s", command->name, spec->name);
    if (spec->letter != '\0') bytes_printf(out, "|%s:-%c", command->name, spec->letter);
    if (takes_file(spec))
        bytes_append_text(out, ") return ;;\n");
    else
        bytes_printf(out, ") words='%s' takes=1 ;;\n", values);
}

static void write_bash(Bytes *out)
{
    bytes_append_text(out,
                      "# bash completion of varve\n"
                      "_varve() {\n"
                      "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                      "    local command=${COMP_WORDS[1]} words= takes= options= arguments=\n"
                      "    COMPREPLY=()\n"
                      "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                      "        COMPREPLY=($(compgen -W '");
    append_commands(out);
    bytes_append_text(out, " --help --version' -- \"$current\") $(compgen -f -- \"$current\"))\n"
                           "        compopt -o filenames\n"
                           "        return\n"
                           "    fi\n"
                           "    if [ \"$current\" = = ]; then\n"
                           "        current=\n"
                           "    elif [ \"$before\" = = ]; then\n"
                           "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                           "    fi\n"
                           "    case $command:$before in\n");
    for (size_t i = 0; command_at(i) != NULL; i++)
        each_option(&(Script){ out, bash_value }, command_at(i));
    bytes_append_text(out, "    esac\n"
                           "    if [ -n \"$takes\" ]; then\n"
                           "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                           "        return\n"
                           "    fi\n"
                           "    case $command in\n");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        bytes_printf(out, "    %s) options='", command_at(i)->name);
        each_option(&(Script){ out, bash_name }, command_at(i));
        bytes_append_text(out, "' arguments='");
        append_arguments(command_at(i), out);
        bytes_append_text(out, "' ;;\n");
    }
    bytes_append_text(out, "    esac\n"
                           "    case $current in\n"
                           "    -*)\n"
                           "        COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
                           "        case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac\n"
                           "        ;;\n"
                           "    *) COMPREPLY=($(compgen -W \"$arguments\" -- \"$current\")) ;;\n"
                           "    esac\n"
                           "}\n"
                           "complete -o bashdefault -o default -F _varve varve\n");
}

/* zsh: a list of _arguments for each command. */

static void zsh_option(Bytes *out, const CliCommand *command, const OptionSpec *spec, const char *values)
{
    (void)command;
    for (int is_short = spec->letter == '\0' ? 0 : 1; is_short >= 0; is_short--) {
        if (is_short == 1)
            bytes_printf(out, "            '-%c%s[", spec->letter, spec->value == NULL ? "" : "+");
        else
            bytes_printf(out, "            '--%s%s[", spec->name, spec->value == NULL ? "" : "=");
        append_quoted(out, spec->help, "\\[]");
        bytes_append_text(out, "]");
        if (spec->value != NULL) {
            bytes_append_text(out, ":");
            append_quoted(out, spec->value, "\\:");
            bytes_append_text(out, ":");
            if (takes_file(spec))
                bytes_append_text(out, "_files");
            else
                bytes_printf(out, "(%s)", values);
        }
        bytes_append_text(out, "' \\\n");
    }
}

static void write_zsh(Bytes *out)
{
    bytes_append_text(out, "#compdef varve\n"
                           "# zsh completion of varve\n"
                           "_varve() {\n"
                           "    local -a commands=(\n");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        bytes_printf(out, "        '%s:", command_at(i)->name);
        append_quoted(out, command_at(i)->summary, "\\");
        bytes_append_text(out, "'\n");
    }
    bytes_append_text(
        out, "    )\n"
             "    if (( CURRENT == 2 )); then\n"
             "        _alternative 'commands:command:{_describe command commands}' 'files:file:_files'\n"
             "        return\n"
             "    fi\n"
             "    local command=$words[2]\n"
             "    shift words\n"
             "    (( CURRENT-- ))\n"
             "    case $command in\n");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        Bytes arguments = { 0 };
        append_arguments(command_at(i), &arguments);
        bytes_printf(out, "    %s)\n        _arguments -s \\\n", command_at(i)->name);
        each_option(&(Script){ out, zsh_option }, command_at(i));
        if (arguments.size == 0)
            bytes_append_text(out, "            '*:file:_files' ;;\n");
        else
            bytes_printf(out, "            '*:name:(%.*s)' ;;\n", (int)arguments.size,
                         (const char *)arguments.data);
        if (arguments.failed) out->failed = true;
        bytes_release(&arguments);
    }
    bytes_append_text(out, "    *) _files ;;\n"
                           "    esac\n"
                           "}\n"
                           "if [ \"$funcstack[1]\" = _varve ]; then\n"
                           "    _varve \"$@\"\n"
                           "else\n"
                           "    compdef _varve varve\n"
                           "fi\n");
}

/* fish: a line for each option. */

static void fish_option(Bytes *out, const CliCommand *command, const OptionSpec *spec, const char *values)
{
    bytes_printf(out, "complete -c varve -n '__fish_seen_subcommand_from %s' -l %s", command->name,
                 spec->name);
    if (spec->letter != '\0') bytes_printf(out, " -s %c", spec->letter);
    if (spec->value != NULL) bytes_append_text(out, takes_file(spec) ? " -r -F" : " -x");
    if (values[0] != '\0') bytes_printf(out, " -a '%s'", values);
    bytes_append_text(out, " -d '");
    append_quoted(out, spec->help, "\\");
    bytes_append_text(out, "'\n");
}

static void write_fish(Bytes *out)
{
    bytes_append_text(out, "# fish completion of varve\n");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        Bytes arguments = { 0 };
        bytes_printf(out, "complete -c varve -n __fish_use_subcommand -a %s -d '", command_at(i)->name);
        append_quoted(out, command_at(i)->summary, "\\");
        bytes_append_text(out, "'\n");
        append_arguments(command_at(i), &arguments);
        if (arguments.size > 0)
            bytes_printf(out, "complete -c varve -n '__fish_seen_subcommand_from %s' -f -a '%.*s'\n",
                         command_at(i)->name, (int)arguments.size, (const char *)arguments.data);
        if (arguments.failed) out->failed = true;
        bytes_release(&arguments);
        each_option(&(Script){ out, fish_option }, command_at(i));
    }
}

/* -- the command -- */

static void (*const WRITE[])(Bytes *out) = { write_bash, write_zsh, write_fish };

static ExitStatus run(Cli *cli)
{
    size_t shell;
    Bytes  text = { 0 };
    if (cli->file_count != 1) return cli_usage_error(cli, "completion needs one SHELL: bash, zsh or fish");
    if (!CLI_FIND_WORD(SHELLS, cli->files[0], &shell))
        return cli_usage_error(cli, "unknown shell '%s': expected bash, zsh or fish", cli->files[0]);
    WRITE[shell](&text);
    ExitStatus status = cli_print(&text);
    bytes_release(&text);
    return status;
}

const CliCommand COMMAND_COMPLETION = {
    .name = "completion",
    .summary = "Prints a script for bash, zsh or fish that completes commands and options",
    .usage = "SHELL",
    .details = "SHELL is bash, zsh or fish. An installed varve has these scripts already.",
    .examples = "  varve completion bash > ~/.local/share/bash-completion/completions/varve\n"
                "  varve completion zsh > ~/.zfunc/_varve     # a folder of $fpath\n"
                "  varve completion fish > ~/.config/fish/completions/varve.fish",
    .options = OPTIONS,
    .run = run
};
