/* Counts the slices of a trace by name.
 * usage: count_slices TRACE */
#include <inttypes.h>
#include <stdio.h>
#include <varve/varve.h>

int main(int argc, char **argv)
{
    VarveError   error;
    VarveSummary summary;
    uint32_t     row_count = 0;
    VarveTrace  *trace = argc == 2 ? varve_open(argv[1], NULL, &error) : NULL;
    VarveStats  *stats = trace == NULL ? NULL : varve_stats_open(trace, NULL, NULL, &error);
    if (stats == NULL) {
        fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: count_slices TRACE");
        varve_close(trace);
        return 1;
    }
    const VarveStatsRow *rows = varve_stats_rows(stats, &row_count);
    varve_summary(trace, &summary);
    printf("%" PRIu64 " slices\n", summary.slice_count);
    for (uint32_t i = 0; i < row_count; i++)
        printf("%8" PRIu64 "  %.*s\n", rows[i].count, (int)rows[i].name.size_bytes, rows[i].name.bytes);
    varve_stats_close(stats);
    varve_close(trace);
    return 0;
}
