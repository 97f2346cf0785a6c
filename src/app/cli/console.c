/* Output of the commands: messages on stderr, results on stdout. */
#include "app/cli/cli.h"
#include "app/cli/progress_bar.h"
#include "app/cli/suggest.h"
#include "base/digits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ExitStatus cli_usage_error(const Cli *cli, const char *format, ...)
{
    char    line[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    (void)fprintf(stderr, "varve: %s (see varve %s --help)\n", line, cli->command->name);
    return EXIT_USAGE;
}

static const char *shown_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

/* Returns the text of an error. It may quote the input, whose control characters must not reach a
 * terminal. */
static const char *error_text(const Err *err, char *out, size_t size)
{
    (void)err_format(err, out, size);
    for (char *c = out; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    }
    return out;
}

static void print_error(const char *shown, const Err *err)
{
    char text[320];
    (void)fprintf(stderr, "varve: %s: %s", shown, error_text(err, text, sizeof text));
    if (err->code == ERR_MEMORY && memory_limit_was_reached())
        (void)fprintf(stderr, "; it may take %" PRIu64 " MiB: --mem=SIZE allows more", memory_limit() >> 20);
    (void)fputc('\n', stderr);
}

void cli_error(const char *file, const Err *err)
{
    print_error(shown_name(file), err);
}

void cli_output_error(const char *file, const Err *err)
{
    print_error(strcmp(file, "-") == 0 ? "standard output" : file, err);
}

ExitStatus cli_no_memory(const char *file, const char *what)
{
    Err err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    (void)err_set(&err, ERR_MEMORY, "out of memory for %s", what);
    cli_error(file, &err);
    return EXIT_INPUT;
}

void cli_input_error(const char *file, const Err *err)
{
    char       text[320];
    Suggestion other = { .distance = 0 };
    const bool is_file = strcmp(file, "-") != 0 && !load_is_address(file);
    const bool is_missing = err->code == ERR_IO && is_file && access(file, F_OK) != 0;
    if (is_missing) suggestion_offer_files(&other, file);
    if (other.word[0] == '\0') {
        Arena       arena = arena_create(0);
        const char *shown = load_shown_path(&arena, file);
        cli_error(shown == NULL ? "the input" : shown, err);
        arena_release(&arena);
        return;
    }
    (void)fprintf(stderr, "varve: %s: %s; did you mean %s?\n", file, error_text(err, text, sizeof text),
                  other.word);
}

void cli_warnings(const Cli *cli, const char *file, const Trace *trace)
{
    if (cli->quiet) return;
    for (uint32_t i = 0; i < trace->records.warning_count; i++) {
        const Warning *warning = &trace->records.warnings[i];
        char           text[320];
        (void)fprintf(stderr, "varve: %s: warning: %s", shown_name(file),
                      error_text(&warning->first, text, sizeof text));
        if (warning->count > 1) {
            char more[DIGITS_TEXT];
            (void)digits_put_whole(warning->count - 1, more);
            (void)fprintf(stderr, ", and %s more of this kind", more);
        }
        (void)fputc('\n', stderr);
    }
}

uint64_t cli_anomalies(const Loaded *loaded)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < loaded->trace->records.warning_count; i++)
        count += loaded->trace->records.warnings[i].count;
    return count == 0 && !loaded->trace->source.complete ? 1 : count;
}

ExitStatus cli_load(Cli *cli, const char *path, Loaded *loaded)
{
    Progress    progress = { 0 };
    ProgressBar bar = { 0 };
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    LoadOptions options = cli->load;
    options.progress = &progress;
    const char *shown = load_shown_path(&cli->arena, path);
    if (!cli->quiet && shown != NULL) progress_bar_start(&bar, shown_name(shown), &progress);
    bool done = cache_load_file(cli->cache, path, &options, loaded, NULL, &err);
    progress_bar_stop(&bar);
    if (done) return EXIT_DONE;
    cli_input_error(path, &err);
    return err.code == ERR_USAGE ? EXIT_USAGE : EXIT_INPUT;
}

ExitStatus cli_load_strict(Cli *cli, const char *path, Loaded *loaded)
{
    ExitStatus status = cli_load(cli, path, loaded);
    if (status != EXIT_DONE) return status;
    cli_warnings(cli, loaded->name, loaded->trace);
    if (!cli->strict || cli_anomalies(loaded) == 0) return EXIT_DONE;
    (void)fprintf(stderr, "varve: %s: stopped because of --strict\n", shown_name(path));
    loaded_release(loaded);
    return EXIT_STRICT;
}

ExitStatus cli_print(const Bytes *text)
{
    if (text->failed) {
        (void)fputs("varve: out of memory for the output\n", stderr);
        return EXIT_OUTPUT;
    }
    if ((text->size > 0 && fwrite(text->data, 1, text->size, stdout) != text->size) || fflush(stdout) != 0) {
        (void)fprintf(stderr, "varve: standard output: %s\n", strerror(errno));
        return EXIT_OUTPUT;
    }
    return EXIT_DONE;
}

ExitStatus cli_print_much(Bytes *text)
{
    enum { MUCH_BYTES = 64 * 1024 };
    if (text->size < MUCH_BYTES && !text->failed) return EXIT_DONE;
    const ExitStatus status = cli_print(text);
    bytes_clear(text);
    return status;
}
