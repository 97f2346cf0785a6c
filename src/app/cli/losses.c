#include "app/cli/losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names in the text come from the input and may contain control characters. */
void losses_note(void *context, VarveText what, uint64_t count)
{
    const LossOutput *output = context;
    if (output->cli->quiet) return;
    (void)fprintf(stderr, "varve: %s: ", strcmp(output->path, "-") == 0 ? "standard output" : output->path);
    for (size_t i = 0; i < what.size_bytes; i++) {
        const unsigned char c = (unsigned char)what.bytes[i];
        (void)fputc(c < 0x20 || c == 0x7f ? '?' : c, stderr);
    }
    (void)fprintf(stderr, " (%" PRIu64 ")\n", count);
}

ExitStatus losses_fail(const char *name, const char *path, const Err *err)
{
    if (err->code == ERR_IO) {
        cli_input_error(name, err);
        return EXIT_INPUT;
    }
    cli_output_error(path, err);
    return EXIT_OUTPUT;
}
