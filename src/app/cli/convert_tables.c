#include "app/cli/convert_tables.h"

#include "app/cli/traces.h"
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct TablesJob {
    const Cli           *cli;
    const ConvertTarget *target;
    const VarveTrace    *trace;
} TablesJob;

static bool is_folder(const char *path)
{
    struct stat status;
    return (*path != '\0' && path[strlen(path) - 1] == '/') ||
           (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

bool convert_is_dataset(const ConvertTarget *target, const char *path)
{
    return convert_target_is(target, "parquet") && strcmp(path, "-") != 0 &&
           (is_folder(path) || !path_has_suffix(path, "parquet"));
}

/* -- one file -- */

static ExitStatus write_table(const TablesJob *job, const char *table, const char *path)
{
    const VarveConversion conversion = { .format = job->target->name,
                                         .table = table,
                                         .thread_count = cli_threads(job->cli),
                                         .memory_bytes = memory_spare() };
    VarveError            error;
    if (varve_convert_file(job->trace, &conversion, path, &error)) return EXIT_DONE;
    const Err err = cli_library_err(&error);
    cli_output_error(path, &err);
    return error.code == VARVE_ERROR_OUTPUT ? EXIT_OUTPUT : EXIT_INPUT;
}

/* -- a folder -- */

static ExitStatus write_folder(const TablesJob *job, const char *folder)
{
    ExitStatus  status = EXIT_DONE;
    const char *table;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        (void)fprintf(stderr, "varve: %s: %s\n", folder, strerror(errno));
        return EXIT_OUTPUT;
    }
    for (uint32_t i = 0; status == EXIT_DONE && (table = varve_table_name(i)) != NULL; i++) {
        Bytes path = { 0 };
        bytes_printf(&path, "%s%s%s.%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", table,
                     job->target->suffix);
        const char *text = bytes_text(&path);
        status = text == NULL ? EXIT_INPUT : write_table(job, table, text);
        bytes_release(&path);
    }
    return status;
}

ExitStatus convert_tables(const Cli *cli, const VarveTrace *trace, const ConvertTarget *target,
                          const char *path)
{
    const TablesJob job = { cli, target, trace };
    const char     *name = cli_option(cli, "table"), *table = name == NULL ? "slice" : name;
    VarveColumnInfo first;
    assert(!convert_is_dataset(target, path));
    if (!varve_table_column(table, 0, &first))
        return cli_usage_error(cli, "--table=%.100s: unknown table; `varve query --schema` lists them", name);
    if (name != NULL && is_folder(path))
        return cli_usage_error(cli, "a folder gets every table: give no --table, or a file");
    if (convert_target_is(target, "parquet") && strcmp(path, "-") == 0)
        return cli_usage_error(cli, "parquet needs -o FILE or a folder");
    return is_folder(path) ? write_folder(&job, path) : write_table(&job, table, path);
}
