#include "app/cli/losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

static void print_text(FILE *file, StringView text)
{
    for (size_t i = 0; i < text.size; i++) /* names come from the input and may contain control characters */
        (void)fputc((unsigned char)text.bytes[i] < 0x20 || text.bytes[i] == 0x7f ? '?' : text.bytes[i], file);
}

void losses_print(const Cli *cli, const char *path, const WriterReport *report)
{
    for (size_t i = 0; i < report->loss_count && !cli->quiet; i++) {
        const WriterLoss *loss = &report->losses[i];
        (void)fprintf(stderr, "varve: %s: %s%s", shown_name(path), loss->what,
                      loss->kind.size > 0 ? ": " : "");
        print_text(stderr, loss->kind);
        (void)fprintf(stderr, " (%" PRIu64 ")\n", loss->count);
    }
}

ExitStatus losses_fail(const Loaded *loaded, const char *path, const Err *err)
{
    if (err->code == ERR_IO) {
        cli_input_error(loaded->name, err);
        return EXIT_INPUT;
    }
    cli_error(shown_name(path), err);
    return EXIT_OUTPUT;
}
