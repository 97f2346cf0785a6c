#include "app/cli/dataset.h"

#include "app/cli/traces.h"
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

/* The files of one trace in the dataset. */
typedef struct Partition {
    const char *folder;
    Bytes       name; /* of the partition, with a NUL */
    VarveQuery *database;
    FileWriter *writers; /* one for each table; closed if the table has no rows */
    uint32_t    table_count;
} Partition;

/* ---- names ---- */

enum { HASH_BLOCK_BYTES = 1 << 20 };

static bool hash_file(const char *path, uint64_t *hash, Err *err)
{
    FileReader     file;
    Bytes          block = { 0 };
    uint64_t       offset = 0;
    int64_t        size = 0;
    XXH64_state_t *state = XXH64_createState();
    void          *bytes = bytes_reserve(&block, HASH_BLOCK_BYTES);
    bool           is_open = false;
    if (state == NULL || bytes == NULL) {
        (void)err_set(err, ERR_MEMORY, "out of memory for the name of the partition");
    } else if (file_reader_open(path, &file, err)) {
        is_open = true;
        (void)XXH64_reset(state, 0);
        while ((size = file_reader_read(&file, offset, bytes, HASH_BLOCK_BYTES)) > 0) {
            (void)XXH64_update(state, bytes, (size_t)size);
            offset += (uint64_t)size;
        }
        *hash = XXH64_digest(state);
        if (size < 0) (void)err_set(err, ERR_IO, "cannot be read: %s", strerror(errno));
        file_reader_close(&file);
    }
    (void)XXH64_freeState(state);
    bytes_release(&block);
    return is_open && size == 0;
}

/* Appends a text in Hive's form for the value of a partition: bytes with a meaning in paths become %XX. */
static void append_partition_value(Bytes *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              c == '.' || c == '_' || c == '-';
        if (is_plain) {
            bytes_append(out, text, 1);
        } else {
            bytes_printf(out, "%%%02X", c);
        }
    }
}

static bool name_partition(Partition *partition, const char *path, Err *err)
{
    uint64_t hash;
    if (!hash_file(path, &hash, err)) return false;
    bytes_clear(&partition->name);
    append_partition_value(&partition->name, file_name_of(path));
    bytes_printf(&partition->name, "-%016" PRIx64, hash);
    bytes_append(&partition->name, "", 1);
    return !partition->name.failed || err_set(err, ERR_MEMORY, "out of memory for the name of the partition");
}

/* ---- files ---- */

static bool make_folder(const char *path, Err *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           err_set(err, ERR_OUTPUT, "the folder %.120s cannot be made: %s", path, strerror(errno));
}

/* Opens the writer of a table, and creates the folders of its file. */
static bool open_writer(Partition *partition, const char *table, FileWriter *writer, Err *err)
{
    char      path[FILE_PATH_BYTES];
    const int size = snprintf(path, sizeof path, "%s/%s/trace=%s/rows.parquet", partition->folder, table,
                              (const char *)partition->name.data);
    if (size < 0 || (size_t)size >= sizeof path)
        return err_set(err, ERR_OUTPUT, "the path of the folder is too long");
    for (char *slash = path + strlen(partition->folder) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (!make_folder(path, err)) return false;
        *slash = '/';
    }
    return file_writer_open(writer, path, err);
}

static bool has_rows(VarveQuery *database, const char *table, bool *has, VarveError *error)
{
    char     sql[64];
    uint32_t rows = 0;
    (void)snprintf(sql, sizeof sql, "SELECT 1 FROM %s LIMIT 1", table);
    if (!varve_query_run(database, sql, NULL, error) || !varve_query_next(database, &rows, error))
        return false;
    *has = rows > 0;
    return true;
}

static bool write_table(Partition *partition, uint32_t table, Err *err)
{
    assert(table < partition->table_count);
    const char *name = varve_table_name(table);
    FileWriter *writer = &partition->writers[table];
    char        sql[64];
    bool        has;
    VarveError  error;
    (void)snprintf(sql, sizeof sql, "SELECT * EXCLUDE (trace) FROM %s", name);
    bool is_done = has_rows(partition->database, name, &has, &error);
    if (is_done && has) {
        if (!open_writer(partition, name, writer, err)) return false;
        is_done = varve_query_parquet(partition->database, sql, writer->temporary, NULL, &error);
    }
    if (!is_done) *err = cli_library_err(&error);
    return is_done;
}

/* Renames all files to their final names. The table `trace` is last: a trace with a row in it is complete. */
static bool commit_tables(Partition *partition, Err *err)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < partition->table_count; i++) {
        if (strcmp(varve_table_name(i), "trace") == 0) {
            last = i;
        } else if (partition->writers[i].handle_plus_one != 0 &&
                   !file_writer_commit(&partition->writers[i], err)) {
            return false;
        }
    }
    assert(strcmp(varve_table_name(last), "trace") == 0);
    return file_writer_commit(&partition->writers[last], err);
}

/* ---- traces ---- */

static bool write_tables(Partition *partition, const CliTraces *traces, Err *err)
{
    /* One thread: the order of the rows, and thus the bytes of the files, must not depend on the machine. */
    const VarveQueryOptions options = { .thread_count = 1,
                                        .output_folder = partition->folder,
                                        .memory_bytes = memory_spare() };
    VarveError              error;
    partition->database = varve_query_open(traces->handles, traces->count, &options, &error);
    bool is_done = partition->database != NULL;
    if (!is_done) *err = cli_library_err(&error);
    for (uint32_t i = 0; i < partition->table_count && is_done; i++)
        is_done = write_table(partition, i, err);
    is_done = is_done && commit_tables(partition, err);
    for (uint32_t i = 0; i < partition->table_count; i++)
        file_writer_abort(&partition->writers[i]);
    varve_query_close(partition->database);
    partition->database = NULL;
    return is_done;
}

static ExitStatus add_trace(Cli *cli, Partition *partition, size_t file)
{
    const char *path = cli->files[file];
    Err         err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    CliTraces   traces;
    if (!name_partition(partition, path, &err)) {
        cli_input_error(path, &err);
        return EXIT_INPUT;
    }
    ExitStatus status = cli_traces_load(cli, file, 1, &traces);
    if (status == EXIT_DONE && !write_tables(partition, &traces, &err)) {
        /* ERR_USAGE is a failure of DuckDB. Its statements are fixed, so the reason is that the file could
         * not be written. */
        const bool is_output = err.code == ERR_OUTPUT || err.code == ERR_USAGE;
        cli_error(is_output ? partition->folder : path, &err);
        status = is_output ? EXIT_OUTPUT : EXIT_INPUT;
    }
    cli_traces_release(&traces);
    if (status != EXIT_DONE) return status;
    Bytes line = { 0 };
    bytes_printf(&line, "%s\t%s\n", path, (const char *)partition->name.data);
    status = cli_print(&line);
    bytes_release(&line);
    return status;
}

ExitStatus dataset_convert(Cli *cli, const char *folder)
{
    Partition  partition = { .folder = folder };
    Err        err = { .offset = ERR_NOWHERE, .event = ERR_NOWHERE };
    ExitStatus status = EXIT_DONE;
    if (cli_option(cli, "table") != NULL)
        return cli_usage_error(cli, "a dataset gets every table: give no --table");
    while (varve_table_name(partition.table_count) != NULL)
        partition.table_count++;
    partition.writers = ARENA_ARRAY(&cli->arena, FileWriter, partition.table_count);
    if (partition.writers == NULL) (void)err_set(&err, ERR_MEMORY, "out of memory for the dataset");
    if (partition.writers == NULL || !make_folder(partition.folder, &err)) {
        cli_error(partition.folder, &err);
        return EXIT_OUTPUT;
    }
    for (size_t i = 0; i < cli->file_count; i++) {
        const ExitStatus of_file = add_trace(cli, &partition, i);
        if (of_file != EXIT_DONE && (status == EXIT_DONE || of_file == EXIT_OUTPUT)) status = of_file;
        if (of_file == EXIT_OUTPUT) break;
    }
    bytes_release(&partition.name);
    return status;
}
