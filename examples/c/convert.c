/* Converts a trace to the format that the suffix names, and prints the data that this format cannot hold.
 * usage: convert TRACE OUT.json|OUT.spall|OUT.folded|... */
#include <inttypes.h>
#include <stdio.h>
#include <varve/varve.h>

static void print_loss(void *context, VarveText what, uint64_t count)
{
    (void)context;
    printf("%.*s (%" PRIu64 ")\n", (int)what.size_bytes, what.bytes, count);
}

int main(int argc, char **argv)
{
    VarveError      error;
    VarveConversion conversion = { .loss = print_loss };
    VarveTrace     *trace = argc == 3 ? varve_open(argv[1], NULL, &error) : NULL;
    const bool      is_done = trace != NULL && varve_convert_file(trace, &conversion, argv[2], &error);
    if (!is_done) fprintf(stderr, "%s\n", argc == 3 ? error.message : "usage: convert TRACE OUT");
    varve_close(trace);
    return is_done ? 0 : 1;
}
