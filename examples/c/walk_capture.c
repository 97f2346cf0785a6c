/* Walks through the calls of an apitrace capture in order and prints each with its arguments.
 * usage: walk_capture CAPTURE */
#include <inttypes.h>
#include <stdio.h>
#include <varve/varve.h>

static bool print_call(const VarveTrace *trace, VarveText name, uint64_t id, VarveError *error)
{
    VarveBytes args = { 0 }, other = { 0 };
    const bool is_done = varve_details(trace, VARVE_SLICE, id, &args, &other, error);
    if (is_done)
        printf("%.*s %.*s\n", (int)name.size_bytes, name.bytes, (int)args.size_bytes,
               args.size_bytes == 0 ? "" : (const char *)args.bytes);
    varve_bytes_release(&args);
    varve_bytes_release(&other);
    return is_done;
}

int main(int argc, char **argv)
{
    VarveError  error;
    VarveBatch  batch;
    bool        is_done = false;
    VarveTrace *trace = argc == 2 ? varve_open(argv[1], NULL, &error) : NULL;
    VarveRows  *rows = trace == NULL ? NULL : varve_rows_open(trace, "call", NULL, &error);
    if (rows != NULL) {
        const int32_t id = varve_rows_column(rows, "id"), name = varve_rows_column(rows, "name");
        while ((is_done = varve_rows_next(rows, &batch, &error)) && batch.row_count > 0)
            for (uint32_t i = 0; is_done && i < batch.row_count; i++)
                is_done = print_call(
                    trace, varve_rows_text(rows, (uint32_t)name, batch.columns[name].values.texts[i]),
                    (uint64_t)batch.columns[id].values.integers[i], &error);
    }
    if (!is_done) fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: walk_capture CAPTURE");
    varve_rows_close(rows);
    varve_close(trace);
    return is_done ? 0 : 1;
}
