/* Writes one table of a trace as a Parquet file, and prints the columns of the table.
 * usage: write_parquet TRACE TABLE OUT.parquet */
#include <stdio.h>
#include <varve/varve.h>

int main(int argc, char **argv)
{
    VarveError      error;
    VarveColumnInfo column;
    VarveConversion conversion = { .format = "parquet", .table = argc == 4 ? argv[2] : NULL };
    VarveTrace     *trace = argc == 4 ? varve_open(argv[1], NULL, &error) : NULL;
    const bool      is_done = trace != NULL && varve_convert_file(trace, &conversion, argv[3], &error);
    for (uint32_t i = 0; is_done && varve_table_column(argv[2], i, &column); i++)
        printf("%-16s %-6s %s\n", column.name, column.unit, column.help);
    if (!is_done)
        fprintf(stderr, "%s\n", argc == 4 ? error.message : "usage: write_parquet TRACE TABLE OUT.parquet");
    varve_close(trace);
    return is_done ? 0 : 1;
}
