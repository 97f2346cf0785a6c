/* Finds the longest slice of a trace by reading all of them, and prints its arguments.
 * usage: find_longest TRACE */
#include <inttypes.h>
#include <stdio.h>
#include <varve/varve.h>

int main(int argc, char **argv)
{
    VarveError  error;
    VarveBatch  batch;
    VarveBytes  args = { 0 }, other = { 0 };
    int64_t     longest_ns = -1, longest_id = 0;
    bool        is_done;
    VarveTrace *trace = argc == 2 ? varve_open(argv[1], NULL, &error) : NULL;
    VarveRows  *rows = trace == NULL ? NULL : varve_rows_open(trace, "slice", NULL, &error);
    if (rows == NULL) {
        fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: find_longest TRACE");
        varve_close(trace);
        return 1;
    }
    const int32_t id = varve_rows_column(rows, "id"), duration = varve_rows_column(rows, "duration_ns");
    while ((is_done = varve_rows_next(rows, &batch, &error)) && batch.row_count > 0) {
        for (uint32_t i = 0; i < batch.row_count; i++) {
            if (batch.columns[duration].values.integers[i] <= longest_ns) continue;
            longest_ns = batch.columns[duration].values.integers[i];
            longest_id = batch.columns[id].values.integers[i];
        }
    }
    is_done = is_done && longest_ns >= 0 &&
              varve_details(trace, VARVE_SLICE, (uint64_t)longest_id, &args, &other, &error);
    if (is_done)
        printf("slice %" PRId64 " takes %" PRId64 " ns, arguments: %.*s\n", longest_id, longest_ns,
               (int)args.size_bytes, args.size_bytes == 0 ? "" : (const char *)args.bytes);
    varve_bytes_release(&args);
    varve_bytes_release(&other);
    varve_rows_close(rows);
    varve_close(trace);
    return is_done ? 0 : 1;
}
