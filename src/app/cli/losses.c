#include "app/cli/losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *shown_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

/* Prints a text. Names come from the input and may contain control characters. */
static void print_text(FILE *file, StringView text)
{
    for (size_t i = 0; i < text.size; i++)
        (void)fputc((unsigned char)text.bytes[i] < 0x20 || text.bytes[i] == 0x7f ? '?' : text.bytes[i], file);
}

static void print_loss(const LossOutput *output, StringView what, StringView kind, uint64_t count)
{
    if (output->cli->quiet) return;
    (void)fprintf(stderr, "varve: %s: ", shown_name(output->path));
    print_text(stderr, what);
    if (kind.size > 0) (void)fputs(": ", stderr);
    print_text(stderr, kind);
    (void)fprintf(stderr, " (%" PRIu64 ")\n", count);
}

void losses_note(void *context, VarveText what, uint64_t count)
{
    print_loss(context, (StringView){ what.bytes, what.size_bytes }, STRING_LITERAL(""), count);
}

void losses_print(const Cli *cli, const char *path, const WriterReport *report)
{
    const LossOutput output = { cli, path };
    for (size_t i = 0; i < report->loss_count; i++) {
        const WriterLoss *loss = &report->losses[i];
        print_loss(&output, (StringView){ loss->what, strlen(loss->what) }, loss->kind, loss->count);
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
