/* varve - the command line of the engine. */
#include "app/cli/args.h"
#include "app/cli/help.h"
#include "app/cli/output_check.h"
#include "app/cli/self_record.h"
#include "app/cli/suggest.h"
#include "base/file.h"
#include "base/self_trace.h"

#include <varve/varve.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* All commands. A heading applies up to the next one. */
static const struct {
    const char       *heading;
    const CliCommand *command;
} COMMANDS[] = {
    { "show", &COMMAND_OPEN },
    { NULL, &COMMAND_LISTEN },
    { NULL, &COMMAND_RENDER },
    { "analyse", &COMMAND_INFO },
    { NULL, &COMMAND_CHECK },
    { NULL, &COMMAND_STATS },
    { NULL, &COMMAND_FIND },
    { NULL, &COMMAND_FLAME },
    { NULL, &COMMAND_DIFF },
    { NULL, &COMMAND_QUERY },
    { "print and convert", &COMMAND_DUMP },
    { NULL, &COMMAND_CONVERT },
    { "one format", &COMMAND_GO },
    { NULL, &COMMAND_FRAMES },
    { NULL, &COMMAND_TRIM },
    { NULL, &COMMAND_REPACK },
    { "the program", &COMMAND_CACHE },
    { NULL, &COMMAND_HELP },
    { NULL, &COMMAND_COMPLETION },
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

const CliCommand *command_at(size_t i)
{
    return i < COMMAND_COUNT ? COMMANDS[i].command : NULL;
}

const char *command_heading(size_t i)
{
    return i < COMMAND_COUNT ? COMMANDS[i].heading : NULL;
}

const CliCommand *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(COMMANDS[i].command->name, name) == 0) return COMMANDS[i].command;
    }
    return NULL;
}

/* Runs the command, and records it if --self-trace asks for that. */
static ExitStatus run_recorded(Cli *cli)
{
    ExitStatus status = self_record_start(cli);
    if (status != EXIT_DONE) return status;
    {
        SELF_SLICE(cli->command->name);
        status = cli->command->run(cli);
    }
    return self_record_stop(cli, status);
}

static ExitStatus run(const CliCommand *command, int count, char **words)
{
    Cli        cli = { .command = command };
    ExitStatus status;
    if (args_parse(&cli, count, words, &status))
        status = output_check(&cli) ? run_recorded(&cli) : EXIT_OUTPUT;
    arena_release(&cli.arena);
    return status;
}

/* True if the first word is an argument of `varve open`: an option, standard input, an address or an existing file. */
static bool opens_something(const char *word)
{
    return word[0] == '-' || load_is_address(word) || access(word, F_OK) == 0;
}

static ExitStatus refuse_word(const char *word)
{
    Suggestion command = { .distance = 0 }, file = { .distance = 0 };
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        suggestion_offer(&command, word, COMMANDS[i].command->name);
    suggestion_offer_files(&file, word);
    bool is_command = command.word[0] != '\0' && (file.word[0] == '\0' || command.distance <= file.distance);
    (void)fprintf(stderr, "varve: '%s' is neither a command nor a file", word);
    if (is_command) (void)fprintf(stderr, "; did you mean `varve %s`?", command.word);
    if (!is_command && file.word[0] != '\0') (void)fprintf(stderr, "; did you mean the file %s?", file.word);
    Bytes      page = { 0 };
    const bool has_page = help_page(word, &page); /* a format or a topic */
    bytes_release(&page);
    (void)fprintf(stderr, has_page ? " (see varve help %s)\n" : " (see varve --help)\n", word);
    return EXIT_USAGE;
}

/* Ends the program with the signal's default action, after removing temporary files of outputs. */
static void end_by_signal(int number)
{
    file_writers_clean_up();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* A signal that the parent process ignores, as nohup does, stays ignored. Commands that handle signals
 * replace this. */
static void clean_up_at_signals(void)
{
    static const int ENDING[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ };
    struct sigaction action = { .sa_handler = end_by_signal }, before;
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ENDING / sizeof ENDING[0]; i++) {
        if (sigaction(ENDING[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(ENDING[i], &action, NULL);
    }
}

int main(int argc, char **argv)
{
    clean_up_at_signals();
    (void)signal(SIGPIPE, SIG_DFL); /* so that `varve dump x | head` ends without a message */
    if (argc < 2) return help_print_overview() == EXIT_DONE ? EXIT_USAGE : EXIT_OUTPUT;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return (int)run(&COMMAND_HELP, argc - 2, argv + 2);
    if (strcmp(argv[1], "--version") == 0) return (int)help_print_version();
    const CliCommand *command = command_find(argv[1]);
    if (command == NULL && !opens_something(argv[1])) return (int)refuse_word(argv[1]);
    if (command == NULL) return (int)run(&COMMAND_OPEN, argc - 1, argv + 1);
    return (int)run(command, argc - 2, argv + 2);
}
