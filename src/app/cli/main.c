/* varve - the terminal's face of the engine. */
#include "app/cli/args.h"
#include "app/session/version.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const CliCommand *const COMMANDS[] = { &COMMAND_OPEN,   &COMMAND_INFO,    &COMMAND_DUMP,
                                              &COMMAND_STATS, &COMMAND_RENDER, &COMMAND_CONVERT,
                                              &COMMAND_CHECK, &COMMAND_TRIM,   &COMMAND_REPACK,  &COMMAND_DIFF,
                                              &COMMAND_FRAMES, &COMMAND_GO,      &COMMAND_LISTEN };

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

const CliCommand *command_at(size_t i)
{
    return i < COMMAND_COUNT ? COMMANDS[i] : NULL;
}

static const CliCommand *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(COMMANDS[i]->name, name) == 0) return COMMANDS[i];
    }
    return NULL;
}

static ExitStatus print_help(void)
{
    Bytes text = { 0 };
    args_help_all(&text);
    ExitStatus status = cli_print(&text);
    bytes_release(&text);
    return status;
}

static ExitStatus run(const CliCommand *command, int count, char **words)
{
    Cli        cli = { .command = command };
    ExitStatus status;
    if (args_parse(&cli, count, words, &status)) status = command->run(&cli);
    arena_release(&cli.arena);
    return status;
}

int main(int argc, char **argv)
{
    (void)signal(SIGPIPE, SIG_DFL); /* `varve dump x | head` ends quietly, whatever the parent had set */
    if (argc < 2) {
        (void)print_help();
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return (int)print_help();
    if (strcmp(argv[1], "--version") == 0) return puts("varve " VARVE_VERSION) < 0 ? EXIT_OUTPUT : EXIT_DONE;
    const CliCommand *command = command_find(argv[1]);
    if (command == NULL) return (int)run(&COMMAND_OPEN, argc - 1, argv + 1);
    return (int)run(command, argc - 2, argv + 2);
}
