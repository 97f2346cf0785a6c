#include "app/cli/convert_tables.h"

#include "base/file.h"
#include "export/event_reader.h"
#include "export/writers.h"
#include "query/sql.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct TablesJob {
    const Cli  *cli;
    ConvertKind kind;
    EventReader reader;
    SchemaTrace trace;
} TablesJob;

const char *convert_kind_name(ConvertKind kind)
{
    return kind == CONVERT_PARQUET ? "parquet" : table_form_name((TableForm)kind);
}

const char *convert_kind_suffix(ConvertKind kind)
{
    return kind == CONVERT_PARQUET ? "parquet" : table_form_suffix((TableForm)kind);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return (*path != '\0' && path[strlen(path) - 1] == '/') ||
           (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

bool convert_is_dataset(ConvertKind kind, const char *path)
{
    return kind == CONVERT_PARQUET && strcmp(path, "-") != 0 &&
           (is_folder(path) || !path_has_suffix(path, "parquet"));
}

/* -- one file -- */

/* Writes a table as Parquet, with DuckDB, to the path of the open file. */
static bool write_parquet(const TablesJob *job, const SchemaTable *table, const FileWriter *file,
                          const char *path, Err *err)
{
    char         sql[64];
    const char  *target = file->target[0] == '\0' ? path : file->temporary;
    SqlOptions   options = { .threads = job->cli->load.threads,
                             .output = target,
                             .memory_bytes = memory_spare() };
    SqlDatabase *database = sql_open(&job->trace, 1, &options, err);
    (void)snprintf(sql, sizeof sql, "FROM \"%s\"", table->name);
    const bool is_done = database != NULL && sql_write_parquet(database, sql, target, NULL, err);
    sql_close(database);
    return is_done;
}

static bool write_file(const TablesJob *job, const SchemaTable *table, const char *path, Err *err)
{
    FileWriter       file = { 0 };
    const OutputSink sink = output_to_file(&file);
    if (!file_writer_open(&file, path, err)) return false;
    const bool is_written = job->kind == CONVERT_PARQUET
                                ? write_parquet(job, table, &file, path, err)
                                : table_write((TableForm)job->kind, &job->trace, table, NULL, &sink, err);
    if (is_written) return file_writer_commit(&file, err);
    file_writer_abort(&file);
    return false;
}

static ExitStatus write_table(const TablesJob *job, const SchemaTable *table, const char *path)
{
    Err err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    if (write_file(job, table, path, &err)) return EXIT_DONE;
    cli_error(strcmp(path, "-") == 0 ? "standard output" : path, &err);
    return err.code == ERR_OUTPUT ? EXIT_OUTPUT : EXIT_INPUT;
}

/* -- a folder -- */

static ExitStatus write_folder(const TablesJob *job, const char *folder)
{
    ExitStatus status = EXIT_DONE;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        (void)fprintf(stderr, "varve: %s: %s\n", folder, strerror(errno));
        return EXIT_OUTPUT;
    }
    for (size_t i = 0; status == EXIT_DONE && schema_table(i) != NULL; i++) {
        const SchemaTable *table = schema_table(i);
        Bytes              path = { 0 };
        bytes_printf(&path, "%s%s%s.%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", table->name,
                     convert_kind_suffix(job->kind));
        bytes_append(&path, "", 1);
        status = path.failed ? EXIT_INPUT : write_table(job, table, (const char *)path.data);
        bytes_release(&path);
    }
    return status;
}

ExitStatus convert_tables(Cli *cli, const Loaded *loaded, ConvertKind kind, const char *path)
{
    const char        *name = cli_option(cli, "table");
    const SchemaTable *table = schema_find_table(name == NULL ? "slice" : name);
    TablesJob          job = { .cli = cli, .kind = kind };
    assert(!convert_is_dataset(kind, path));
    if (table == NULL)
        return cli_usage_error(cli, "--table=%.100s: unknown table; `varve query --schema` lists them", name);
    if (name != NULL && is_folder(path))
        return cli_usage_error(cli, "a folder gets every table: give no --table, or a file");
    if (kind == CONVERT_PARQUET && strcmp(path, "-") == 0)
        return cli_usage_error(cli, "parquet needs -o FILE or a folder");
    if (!event_reader_open(&job.reader, loaded, NULL)) {
        event_reader_release(&job.reader);
        (void)fputs("varve: out of memory for the output\n", stderr);
        return EXIT_INPUT;
    }
    job.trace = (SchemaTrace){
        .trace = loaded->trace, .name = loaded->name, .bytes = loaded->bytes, .arguments = &job.reader.source
    };
    const ExitStatus status = is_folder(path) ? write_folder(&job, path) : write_table(&job, table, path);
    event_reader_release(&job.reader);
    return status;
}
