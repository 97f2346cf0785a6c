#include "app/cli/args.h"

#include "app/cli/help.h"
#include "app/cli/suggest.h"
#include "base/digits.h"
#include "base/memory_free.h"
#include "base/thread.h"

#include <varve/varve.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

const OptionSpec COMMON_OPTIONS[] = {
    { "format", '\0', "NAME", "read the input as this format, without recognition" },
    { "strict", '\0', NULL, "any warning is an error: exit status 3" },
    { "quiet", 'q', NULL, "no warnings and no progress on stderr" },
    { "color", '\0', "WHEN", "auto, always or never; auto: on a terminal, unless NO_COLOR is set" },
    { "exe", '\0', "PATH",
      "names of addresses from this executable, or none; default: the path in the trace" },
    { "axis", '\0', "UNIT", "captures without times: events (default) or calls, all of one width" },
    { "range", '\0', "BEGIN..END",
      "only this time, relative to the trace's begin: 1.2s..1.5s, 300us.., ..2ms" },
    { "perspective", '\0', "NAME",
      "Go: goroutines (default), processors, threads or all; only one of them counts" },
    { "threads", '\0', "N", "number of threads; default: one per core" },
    { "mem", '\0', "SIZE",
      "limit on the memory, such as 512M or 4G; default: three quarters of the free memory" },
    { "record-limit", '\0', "SIZE",
      "limit on the length of a record; default: 64M. Longer ones are skipped" },
    { "self-trace", '\0', "FILE", "records the work of this command to a .spall file" },
    { "no-cache", '\0', NULL,
      "load the file, also if its trace is kept from an earlier load, and keep nothing" },
    { "help", 'h', NULL, "this text" },
    { "version", '\0', NULL, "the version" },
    { NULL, '\0', NULL, NULL }
};

static const char *const COLORS[] = { "auto", "always", "never" };
static const char *const AXES[] = { "events", "calls" };
static const char *const PERSPECTIVES[] = { "goroutines", "processors", "threads", "all" };
static const OptionWords COMMON_WORDS[] = { OPTION_WORDS("color", COLORS),
                                            OPTION_WORDS("axis", AXES),
                                            OPTION_WORDS("perspective", PERSPECTIVES),
                                            { NULL, NULL, 0 } };

/* -- finding options -- */

static const OptionSpec *table_find(const OptionSpec *table, const char *name, size_t size)
{
    for (; table->name != NULL; table++) {
        if (strlen(table->name) == size && memcmp(table->name, name, size) == 0) return table;
    }
    return NULL;
}

static const OptionSpec *table_find_letter(const OptionSpec *table, char letter)
{
    for (; table->name != NULL; table++) {
        if (letter != '\0' && table->letter == letter) return table;
    }
    return NULL;
}

static const OptionSpec *option_long(const Cli *cli, const char *name, size_t size)
{
    const OptionSpec *spec = table_find(cli->command->options, name, size);
    return spec != NULL ? spec : table_find(COMMON_OPTIONS, name, size);
}

static const OptionSpec *option_short(const Cli *cli, char letter)
{
    const OptionSpec *spec = table_find_letter(cli->command->options, letter);
    return spec != NULL ? spec : table_find_letter(COMMON_OPTIONS, letter);
}

unsigned cli_threads(const Cli *cli)
{
    return cli->load.threads == 0 ? thread_count_default() : cli->load.threads;
}

const char *cli_option(const Cli *cli, const char *name)
{
    for (size_t i = cli->given_count; i-- > 0;) {
        if (strcmp(cli->given[i].spec->name, name) != 0) continue;
        return cli->given[i].value == NULL ? "" : cli->given[i].value;
    }
    return NULL;
}

const OptionWords *cli_words_of(const CliCommand *command, const char *option)
{
    const OptionWords *const tables[] = { command->words, COMMON_WORDS };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const OptionWords *at = tables[i]; at != NULL && at->option != NULL; at++)
            if (strcmp(at->option, option) == 0) return at;
    return NULL;
}

const char *cli_argument_key(const char *by)
{
    static const char PREFIX[] = "arg:";
    const size_t      size = sizeof PREFIX - 1;
    return strncmp(by, PREFIX, size) == 0 && by[size] != '\0' ? by + size : NULL;
}

ExitStatus cli_no_argument(const Cli *cli, const char *by)
{
    return cli_usage_error(cli,
                           "--by=%.100s: no slice has this argument; `varve query FILE \"SELECT DISTINCT key "
                           "FROM arg\"` lists them",
                           by);
}

bool cli_option_word(const Cli *cli, const char *option, size_t *found)
{
    const OptionWords *words = cli_words_of(cli->command, option);
    const char        *value = cli_option(cli, option);
    Bytes              list = { 0 };
    assert(words != NULL);
    if (value == NULL || word_find(words->words, words->count, c_string_view(value), found)) return true;
    word_list_append(words->words, words->count, "", &list);
    (void)cli_usage_error(cli, "--%s must be %.*s, not '%.60s'", option, (int)list.size,
                          list.size == 0 ? "" : (const char *)list.data, value);
    bytes_release(&list);
    return false;
}

bool cli_option_number(const Cli *cli, const char *option, uint64_t least, uint64_t most, uint64_t *number)
{
    const char *value = cli_option(cli, option);
    uint64_t    given;
    if (value == NULL) return true;
    if (text_to_u64(c_string_view(value), &given) && given >= least && given <= most) {
        *number = given;
        return true;
    }
    if (most == UINT64_MAX)
        (void)cli_usage_error(cli, "--%s must be a number of at least %" PRIu64 ", not '%.60s'", option,
                              least, value);
    else
        (void)cli_usage_error(cli, "--%s must be a number from %" PRIu64 " to %" PRIu64 ", not '%.60s'",
                              option, least, most, value);
    return false;
}

bool cli_option_flag(const Cli *cli, const char *const *flags, size_t count, size_t *found)
{
    *found = 0;
    for (size_t i = 0; i < count; i++) {
        if (cli_option(cli, flags[i]) == NULL) continue;
        if (*found != 0) {
            (void)cli_usage_error(cli, "only one of --%s and --%s", flags[*found - 1], flags[i]);
            return false;
        }
        *found = i + 1;
    }
    return true;
}

bool cli_port(const Cli *cli, uint16_t *port)
{
    uint64_t   number = 0;
    const bool is_port = cli_option_number(cli, "port", 0, UINT16_MAX, &number);
    *port = (uint16_t)number;
    return is_port;
}

/* -- parsing -- */

typedef struct Words {
    int    count, at;
    char **words;
} Words;

/* Notes an option; `attached` is the value in the same word, or NULL. */
static bool option_take(Cli *cli, const OptionSpec *spec, const char *attached, Words *words)
{
    const char *value = attached;
    if (spec->value == NULL && attached != NULL) {
        (void)cli_usage_error(cli, "--%s takes no value", spec->name);
        return false;
    }
    if (spec->value != NULL && value == NULL) {
        if (words->at == words->count) {
            (void)cli_usage_error(cli, "--%s needs a value: %s", spec->name, spec->value);
            return false;
        }
        value = words->words[words->at++];
    }
    assert((size_t)cli->given_count < (size_t)words->count);
    cli->given[cli->given_count++] = (GivenOption){ spec, value };
    return true;
}

static ExitStatus refuse_option(const Cli *cli, const char *word, size_t size)
{
    const OptionSpec *tables[] = { cli->command->options, COMMON_OPTIONS };
    char              name[SUGGESTION_BYTES] = "";
    Suggestion        other = { .distance = 0 };
    if (size < sizeof name) memcpy(name, word, size);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const OptionSpec *spec = tables[i]; spec->name != NULL; spec++)
            suggestion_offer(&other, name, spec->name);
    }
    if (other.word[0] == '\0') return cli_usage_error(cli, "unknown option --%.*s", (int)size, word);
    return cli_usage_error(cli, "unknown option --%.*s; did you mean --%s?", (int)size, word, other.word);
}

static bool word_long(Cli *cli, const char *word, Words *words)
{
    assert(word[0] == '-' && word[1] == '-');
    const char       *equals = strchr(word, '=');
    size_t            size = equals == NULL ? strlen(word) : (size_t)(equals - word);
    const OptionSpec *spec = option_long(cli, word + 2, size - 2);
    if (spec == NULL) {
        (void)refuse_option(cli, word + 2, size - 2);
        return false;
    }
    return option_take(cli, spec, equals == NULL ? NULL : equals + 1, words);
}

static bool word_short(Cli *cli, const char *word, Words *words)
{
    const OptionSpec *spec = option_short(cli, word[1]);
    if (spec == NULL || (spec->value == NULL && word[2] != '\0')) {
        (void)cli_usage_error(cli, "unknown option %s", word);
        return false;
    }
    return option_take(cli, spec, word[2] == '\0' ? NULL : word + 2, words);
}

static bool words_parse(Cli *cli, Words *words)
{
    bool only_files = false;
    while (words->at < words->count) {
        const char *word = words->words[words->at++];
        bool        is_option = !only_files && word[0] == '-' && word[1] != '\0';
        if (!is_option) {
            assert((size_t)cli->file_count < (size_t)words->count);
            cli->files[cli->file_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_files = true;
        } else if (!(word[1] == '-' ? word_long(cli, word, words) : word_short(cli, word, words))) {
            return false;
        }
    }
    return true;
}

/* -- values of the common options -- */

static void format_names(Bytes *out)
{
    for (size_t i = 0; format_at(i) != NULL; i++) {
        if (i > 0) bytes_append_text(out, ", ");
        bytes_append_text(out, format_at(i)->name);
    }
}

static bool settle_format(Cli *cli)
{
    cli->load.format_name = cli_option(cli, "format");
    if (cli->load.format_name == NULL || format_find(cli->load.format_name) != NULL) return true;
    Bytes names = { 0 };
    format_names(&names);
    const char *text = bytes_text(&names);
    (void)cli_usage_error(cli, "unknown format '%s': expected one of %s", cli->load.format_name,
                          text == NULL ? "others" : text);
    bytes_release(&names);
    return false;
}

static bool settle_threads(Cli *cli)
{
    uint64_t   count = 0;
    const bool is_count = cli_option_number(cli, "threads", 1, MAX_THREADS, &count);
    cli->load.threads = (unsigned)count;
    return is_count;
}

/* Suffixes of a size, which are binary. */
static const struct {
    const char *suffix;
    unsigned    shift;
} SIZE_SUFFIXES[] = { { "", 0 }, { "K", 10 }, { "M", 20 }, { "G", 30 }, { "T", 40 } };

/* Parses a size, as 300, 64K, 512M, 4G. */
static bool parse_size(const char *text, uint64_t *bytes)
{
    const size_t digits = strspn(text, "0123456789");
    for (size_t i = 0; i < sizeof SIZE_SUFFIXES / sizeof SIZE_SUFFIXES[0]; i++) {
        uint64_t number = 0;
        if (strcmp(text + digits, SIZE_SUFFIXES[i].suffix) != 0) continue;
        if (!text_to_u64((StringView){ text, digits }, &number)) return false;
        if (number == 0 || number > UINT64_MAX >> SIZE_SUFFIXES[i].shift) return false;
        *bytes = number << SIZE_SUFFIXES[i].shift;
        return true;
    }
    return false;
}

/* Reads an option with a size; *bytes keeps its value without the option. */
static bool size_option(const Cli *cli, const char *name, uint64_t *bytes)
{
    const char *text = cli_option(cli, name);
    if (text == NULL || parse_size(text, bytes)) return true;
    (void)cli_usage_error(cli, "--%s must be a size, like 300K, 512M or 4G, not '%s'", name, text);
    return false;
}

static bool settle_memory(Cli *cli)
{
    uint64_t limit = 0;
    if (!size_option(cli, "mem", &limit) || !size_option(cli, "record-limit", &cli->load.record_limit))
        return false;
    memory_set_limit(limit != 0 ? limit : memory_default_limit());
    memory_set_overflow(MEMORY_OVERFLOWS);
    return true;
}

static void settle_symbols(Cli *cli)
{
    const char *path = cli_option(cli, "exe");
    cli->load.symbols = (SymbolSource){ .policy = SYMBOLS_SEARCH };
    if (path == NULL) return;
    bool none = strcmp(path, "none") == 0;
    cli->load.symbols = (SymbolSource){ none ? SYMBOLS_OFF : SYMBOLS_GIVEN, path };
}

static void settle_perspective(Cli *cli)
{
    const char *name = cli_option(cli, "perspective");
    cli->load.perspective = name == NULL ? PERSPECTIVE_COUNTED : strcmp(name, "all") == 0 ? NULL : name;
}

static bool settle_axis(Cli *cli)
{
    size_t axis = 0;
    if (!cli_option_word(cli, "axis", &axis)) return false;
    if (axis == 1) cli->load.widths = WIDTHS_OF_CALLS;
    return true;
}

bool cli_check_range(const Cli *cli, const char *range)
{
    VarveError error;
    if (varve_range_check(range, &error)) return true;
    (void)cli_usage_error(cli, "%s", error.message);
    return false;
}

static bool settle_range(Cli *cli)
{
    const char *range = cli_option(cli, "range");
    cli->load.range = range;
    if (range == NULL) return true;
    if (cli->command->is_by_calls) {
        (void)cli_usage_error(cli, "--range selects times: %s uses --calls", cli->command->name);
        return false;
    }
    return cli_check_range(cli, range);
}

/* True if the variable is set and not empty: https://no-color.org. */
static bool environment_has(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

static bool settle_color(Cli *cli)
{
    enum { AUTO, ALWAYS };
    size_t color = AUTO;
    if (!cli_option_word(cli, "color", &color)) return false;
    cli->color = color == AUTO ? isatty(STDOUT_FILENO) == 1 && !environment_has("NO_COLOR") : color == ALWAYS;
    return true;
}

/* Sets the cache of the user, unless it is switched off. A load that waits for a pipe may outlast the command. */
static void settle_cache(Cli *cli)
{
    static Cache cache;
    if (cli_option(cli, "no-cache") != NULL) return;
    if (cache_of_user(&cache)) cli->cache = &cache;
}

bool args_parse(Cli *cli, int count, char **word_list, ExitStatus *status)
{
    Words words = { .count = count, .words = word_list };
    assert(count >= 0 && cli->command != NULL && cli->command->options != NULL);
    *status = EXIT_USAGE;
    cli->given = ARENA_ARRAY(&cli->arena, GivenOption, (size_t)count + 1);
    cli->files = ARENA_ARRAY(&cli->arena, const char *, (size_t)count + 1);
    if (cli->given == NULL || cli->files == NULL) return false;
    if (!words_parse(cli, &words)) return false;
    if (cli_option(cli, "help") != NULL) {
        *status = help_print_command(cli->command);
        return false;
    }
    if (cli_option(cli, "version") != NULL) {
        *status = help_print_version();
        return false;
    }
    cli->quiet = cli_option(cli, "quiet") != NULL;
    cli->strict = cli_option(cli, "strict") != NULL;
    settle_symbols(cli);
    settle_perspective(cli);
    settle_cache(cli);
    return settle_format(cli) && settle_threads(cli) && settle_memory(cli) && settle_axis(cli) &&
           settle_range(cli) && settle_color(cli);
}
