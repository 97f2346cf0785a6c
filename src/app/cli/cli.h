/* app/cli/cli.h - the commands of `varve`: their table, their arguments, their messages.
 *
 * A command is one row of the table in main.c and one file cmd_NAME.c. It gets a Cli with the parsed
 * arguments and returns an exit status. All messages on stderr are printed by these functions. */
#ifndef APP_CLI_CLI_H
#define APP_CLI_CLI_H
#include "app/cache/cache.h"
#include "base/words.h"

/* Exit statuses, as documented in docs/options.md. */
typedef enum {
    EXIT_DONE = 0,
    EXIT_USAGE = 1,
    EXIT_INPUT = 2,
    EXIT_STRICT = 3,
    EXIT_OUTPUT = 4,
    EXIT_DIFFERENT = 5
} ExitStatus;

typedef struct OptionSpec {
    const char *name;   /* without dashes; NULL ends a table */
    char        letter; /* '\0' = none */
    const char *value;  /* placeholder of the value in help; NULL = a flag */
    const char *help;
} OptionSpec;

/* The values of an option that has few; a value is known by its index. */
typedef struct OptionWords {
    const char        *option; /* NULL ends a table */
    const char *const *words;
    size_t             count;
} OptionWords;
#define OPTION_WORDS(option, words) { (option), (words), sizeof(words) / sizeof(words)[0] }

typedef struct Cli Cli;

typedef struct CliCommand {
    const char        *name;
    const char        *summary; /* one line */
    const char        *usage;   /* after "varve NAME " */
    const char        *details; /* more lines of help, or NULL */
    const char        *examples;
    const OptionSpec  *options;     /* of this command; the common options are separate */
    const OptionWords *words;       /* of these options; NULL = none has few values */
    bool               is_by_calls; /* the command is for captures: it has no --range */
    ExitStatus (*run)(Cli *cli);
} CliCommand;

typedef struct GivenOption {
    const OptionSpec *spec;
    const char       *value; /* NULL for a flag */
} GivenOption;

struct Cli {
    const CliCommand *command;
    Arena             arena;
    GivenOption      *given; /* in arena */
    size_t            given_count;
    const char      **files; /* in arena */
    size_t            file_count;
    bool              quiet, strict;
    bool              color; /* of stdout */
    LoadOptions       load;  /* from --format, --exe and --threads */
    const Cache      *cache; /* NULL = --no-cache, or the user has no folder for it */
};

extern const CliCommand COMMAND_OPEN, COMMAND_INFO, COMMAND_DUMP, COMMAND_RENDER, COMMAND_CONVERT,
    COMMAND_CHECK, COMMAND_STATS, COMMAND_TRIM, COMMAND_REPACK, COMMAND_DIFF, COMMAND_FRAMES, COMMAND_GO,
    COMMAND_LISTEN, COMMAND_QUERY, COMMAND_FLAME, COMMAND_FIND, COMMAND_HELP, COMMAND_COMPLETION,
    COMMAND_CACHE;

/* Returns row i of the table of commands, NULL after the last one. */
const CliCommand *command_at(size_t i);
/* Returns the heading above row i, or NULL. */
const char *command_heading(size_t i);
/* Returns the command with this name, or NULL. */
const CliCommand *command_find(const char *name);

/* Returns the value of an option (the last one given), or NULL; for a given flag "". */
const char *cli_option(const Cli *cli, const char *name);

/* Returns the words of an option of a command; NULL = it may have any value. */
const OptionWords *cli_words_of(const CliCommand *command, const char *option);
/* Sets *found to the index of the value of an option with OptionWords; without the option it stays. False: the value is
 * not one of the words, and a message was printed. */
bool cli_option_word(const Cli *cli, const char *option, size_t *found) WARN_UNUSED;
/* Returns KEY of a value "arg:KEY" of --by; NULL: it is another word. */
const char *cli_argument_key(const char *by);
/* Prints that no slice has the argument of --by. Returns EXIT_USAGE. */
ExitStatus cli_no_argument(const Cli *cli, const char *by);
/* Sets *number to the value of an option; without the option it stays. False: the value is not a number from `least` to
 * `most`, and a message was printed. */
bool cli_option_number(const Cli *cli, const char *option, uint64_t least, uint64_t most,
                       uint64_t *number) WARN_UNUSED;
/* Sets *found to 1 + the index of the given one of some flags, 0 if none is. False: more than one is given, and a message
 * was printed. */
bool cli_option_flag(const Cli *cli, const char *const *flags, size_t count, size_t *found) WARN_UNUSED;
#define CLI_OPTION_FLAG(cli, flags, found)                                                                   \
    cli_option_flag((cli), (flags), sizeof(flags) / sizeof(flags)[0], (found))
/* Returns the number of threads: --threads, or one for each processor. */
unsigned cli_threads(const Cli *cli);

/* Finds a word in an array of words, as word_find. */
#define CLI_FIND_WORD(words, word, found)                                                                    \
    word_find((words), sizeof(words) / sizeof(words)[0], c_string_view(word), (found))

/* Sets *port to --port, 0 without it. False: the value is not a port, and a message was printed. */
bool cli_port(const Cli *cli, uint16_t *port) WARN_UNUSED;
/* False: the value of an option is not a range, and a message was printed. */
bool cli_check_range(const Cli *cli, const char *range) WARN_UNUSED;
/* Prints "varve: ..." and a pointer to the help on stderr. Returns EXIT_USAGE. */
ExitStatus cli_usage_error(const Cli *cli, const char *format, ...) PRINTF_LIKE(2, 3);
/* Prints "varve: FILE: message (byte N, event M)" on stderr. */
void cli_error(const char *file, const Err *err);
/* As cli_error, for an output: "-" is standard output. */
void cli_output_error(const char *file, const Err *err);
/* Prints "varve: FILE: out of memory for ..." on stderr. Returns EXIT_INPUT. */
ExitStatus cli_no_memory(const char *file, const char *what);
/* As cli_error, for an input. If the file does not exist, the message also suggests a file with a similar
 * name in the same folder. */
void cli_input_error(const char *file, const Err *err);
/* Prints one line on stderr for each kind of warning, unless --quiet. */
void cli_warnings(const Cli *cli, const char *file, const Trace *trace);
/* Returns the number of events with a warning; 0 for a trace without warnings. */
uint64_t cli_anomalies(const Loaded *loaded);

/* Loads a file with a progress bar; prints errors on stderr. EXIT_DONE: the caller owns *loaded. */
ExitStatus cli_load(Cli *cli, const char *path, Loaded *loaded) WARN_UNUSED;
/* As cli_load, then prints the warnings on stderr; with --strict any warning gives EXIT_STRICT, and there is
 * nothing to release. */
ExitStatus cli_load_strict(Cli *cli, const char *path, Loaded *loaded) WARN_UNUSED;

/* Prints text on stdout. EXIT_OUTPUT, with a message on stderr, if it cannot be written. */
ExitStatus cli_print(const Bytes *text) WARN_UNUSED;
/* As cli_print, once there is much text, which is then cleared. For the end of the output there is cli_print. */
ExitStatus cli_print_much(Bytes *text) WARN_UNUSED;

#endif
