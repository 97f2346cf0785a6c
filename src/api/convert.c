/* Traces in other formats. */
#include "api/api.h"
#include "export/event_reader.h"
#include "export/left_out.h"
#include "export/tables.h"
#include "export/writers.h"
#include "format/gzip_sink.h"
#include "query/sql.h"

#include <stdio.h>
#include <string.h>

/* The format to write: of a whole trace, of a table, or a table as Parquet. */
typedef struct Target {
    const FormatWriter *writer; /* NULL = a table */
    bool                is_parquet;
    TableForm           form;
    const SchemaTable  *table;
} Target;

/* Finds the form of tables by its name, or by the suffix of a path. */
static bool find_form(const char *format, const char *path, Target *target)
{
    for (unsigned form = 0; form < TABLE_FORM_COUNT; form++) {
        target->form = (TableForm)form;
        if (format != NULL ? strcmp(format, table_form_name(target->form)) == 0
                           : path_has_suffix(path, table_form_suffix(target->form)))
            return true;
    }
    target->is_parquet = format != NULL ? strcmp(format, "parquet") == 0 : path_has_suffix(path, "parquet");
    return target->is_parquet;
}

/* Chooses the format. `path` NULL: to memory. */
static bool choose(const VarveConversion *conversion, const char *path, Target *target, Err *err)
{
    const char *format = conversion->format;
    *target = (Target){ .writer = NULL };
    if (format == NULL && path == NULL) return err_set(err, ERR_USAGE, "the format is not given");
    target->writer = format != NULL ? writer_find(format) : writer_for_path(path);
    if (target->writer != NULL) return true;
    if (!find_form(format, format != NULL ? "" : path, target))
        return err_set(err, ERR_USAGE,
                       format != NULL ? "unknown format '%.60s'" : "the suffix of '%.100s' names no format",
                       format != NULL ? format : path);
    if (target->is_parquet && path == NULL)
        return err_set(err, ERR_USAGE, "Parquet can be written to a file only");
    target->table = api_table(conversion->table == NULL ? "slice" : conversion->table, err);
    return target->table != NULL;
}

/* -- whole traces -- */

static void report_loss(const VarveConversion *conversion, const WriterLoss *loss)
{
    Bytes text = { 0 };
    bytes_append_text(&text, loss->what);
    if (loss->kind.size > 0) bytes_append_text(&text, ": ");
    bytes_append(&text, loss->kind.bytes, loss->kind.size);
    conversion->loss(conversion->context, api_text(bytes_view(&text)), loss->count);
    bytes_release(&text);
}

static bool write_trace(const Loaded *loaded, const FormatWriter *writer, const VarveConversion *conversion,
                        const OutputSink *sink, Err *err)
{
    WriterReport report = { .loss_count = 0 };
    if (!gzip_write_trace(loaded, writer, sink, &report, err)) return false;
    report_views(loaded->trace, &report);
    for (size_t i = 0; conversion->loss != NULL && i < report.loss_count; i++)
        report_loss(conversion, &report.losses[i]);
    return true;
}

/* -- tables -- */

/* Writes a table to the sink, or as Parquet to the file at `path`. */
static bool write_table(const Loaded *loaded, const Target *target, const OutputSink *sink, const char *path,
                        Err *err)
{
    EventReader reader;
    bool        is_done =
        event_reader_open(&reader, loaded, NULL) || err_set(err, ERR_MEMORY, "out of memory for the output");
    const SchemaTrace trace = {
        .trace = loaded->trace, .name = loaded->name, .bytes = loaded->bytes, .arguments = &reader.source
    };
    if (is_done && !target->is_parquet) {
        is_done = table_write(target->form, &trace, target->table, NULL, sink, err);
    } else if (is_done) {
        char             sql[64];
        const SqlOptions options = { .threads = 1, .output = path };
        SqlDatabase     *database = sql_open(&trace, 1, &options, err);
        (void)snprintf(sql, sizeof sql, "FROM \"%s\"", target->table->name);
        is_done = database != NULL && sql_write_parquet(database, sql, path, NULL, err);
        sql_close(database);
    }
    event_reader_release(&reader);
    return is_done;
}

/* -- the functions -- */

static const VarveConversion USUAL = { 0 };

bool varve_convert_file(const VarveTrace *trace, const VarveConversion *conversion, const char *path,
                        VarveError *error)
{
    Err              err = API_ERR;
    Target           target;
    FileWriter       file = { 0 };
    const OutputSink sink = output_to_file(&file);
    if (conversion == NULL) conversion = &USUAL;
    if (!choose(conversion, path, &target, &err) || !file_writer_open(&file, path, &err))
        return api_fail(&err, error);
    const char *parquet = file.target[0] == '\0' ? path : file.temporary;
    const bool  is_written = target.writer != NULL
                                 ? write_trace(&trace->loaded, target.writer, conversion, &sink, &err)
                                 : write_table(&trace->loaded, &target, &sink, parquet, &err);
    if (is_written && file_writer_commit(&file, &err)) return true;
    file_writer_abort(&file);
    return api_fail(&err, error);
}

bool varve_convert(const VarveTrace *trace, const VarveConversion *conversion, VarveBytes *out,
                   VarveError *error)
{
    Err              err = API_ERR;
    Target           target;
    Bytes            made = { 0 };
    const OutputSink sink = output_to_bytes(&made);
    if (conversion == NULL) conversion = &USUAL;
    const bool is_done =
        choose(conversion, NULL, &target, &err) &&
        (target.writer != NULL ? write_trace(&trace->loaded, target.writer, conversion, &sink, &err)
                               : write_table(&trace->loaded, &target, &sink, NULL, &err));
    if (is_done) api_give_bytes(&made, out);
    bytes_release(&made);
    return is_done || api_fail(&err, error);
}
