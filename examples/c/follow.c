/* Follows a live stream on standard input: prints the number of slices while they arrive.
 * usage: program | follow */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <varve/varve.h>

static void print_counts(const VarveLive *live)
{
    VarveSummary      summary;
    const VarveTrace *trace = varve_live_trace(live);
    if (trace == NULL) return; /* the format is not known yet */
    varve_summary(trace, &summary);
    printf("%" PRIu64 " slices, %" PRIu64 " unfinished\n", summary.slice_count,
           summary.unfinished_slice_count);
}

int main(void)
{
    VarveError       error;
    char             bytes[4096];
    ssize_t          got = 0;
    VarveLiveOptions options = { .keep_bytes = 64 << 20, .details = VARVE_DETAILS_UNUSED };
    VarveLive       *live = varve_live_open("standard input", &options, &error);
    bool             is_done = live != NULL;
    while (is_done && (got = read(0, bytes, sizeof bytes)) > 0) {
        is_done = varve_live_push(live, bytes, (size_t)got, &error);
        print_counts(live);
    }
    is_done = is_done && varve_live_end(live, &error);
    if (is_done) print_counts(live);
    if (!is_done) fprintf(stderr, "%s (byte %" PRIu64 ")\n", error.message, error.byte_offset);
    varve_live_close(live);
    return is_done ? 0 : 1;
}
