/* Answers an SQL question over traces.
 * usage: query SQL TRACE... */
#include <inttypes.h>
#include <stdio.h>
#include <varve/varve.h>

static void print_cell(const VarveQuery *query, uint32_t column, uint32_t row)
{
    VarveCell cell;
    if (!varve_query_cell(query, column, row, &cell)) return;
    if (cell.kind == VARVE_CELL_INTEGER || cell.kind == VARVE_CELL_BOOL)
        printf("%" PRId64, cell.integer);
    else if (cell.kind == VARVE_CELL_UNSIGNED)
        printf("%" PRIu64, cell.unsigned_integer);
    else if (cell.kind == VARVE_CELL_REAL)
        printf("%g", cell.real);
    else
        printf("%.*s", (int)cell.text.size_bytes, cell.text.bytes);
    putchar(column + 1 < varve_query_column_count(query) ? '\t' : '\n');
}

int main(int argc, char **argv)
{
    VarveError  error = { .message = "usage: query SQL TRACE... (1 to 16)" };
    VarveTrace *traces[16] = { NULL };
    uint32_t    count = 0, rows = 0;
    bool        is_done = argc > 2 && argc <= 18;
    for (; is_done && count + 2 < (uint32_t)argc; count++)
        is_done = (traces[count] = varve_open(argv[count + 2], NULL, &error)) != NULL;
    VarveQuery *query =
        is_done ? varve_query_open((const VarveTrace *const *)traces, count, NULL, &error) : NULL;
    is_done = query != NULL && varve_query_run(query, argv[1], NULL, &error);
    while (is_done && (is_done = varve_query_next(query, &rows, &error)) && rows > 0)
        for (uint32_t row = 0; row < rows; row++)
            for (uint32_t column = 0; column < varve_query_column_count(query); column++)
                print_cell(query, column, row);
    if (!is_done) fprintf(stderr, "%s\n", error.message);
    varve_query_close(query);
    for (uint32_t i = 0; i < count; i++)
        varve_close(traces[i]);
    return is_done ? 0 : 1;
}
