/* Traces in other formats. */
#include "api/api.h"
#include "base/file.h"
#include "export/event_reader.h"
#include "export/left_out.h"
#include "export/tables.h"
#include "export/writers.h"
#include "format/gzip_sink.h"
#include "format/varve/writer.h"
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

bool varve_output_format(uint32_t index, VarveOutputFormat *format)
{
    uint32_t writer_count = 0;
    while (writer_at(writer_count) != NULL)
        writer_count++;
    const uint32_t form = index - writer_count;
    if (index < writer_count) {
        const FormatWriter *writer = writer_at(index);
        *format = (VarveOutputFormat){ writer->name, writer->suffix, writer->what, VARVE_OF_TRACE };
    } else if (form < TABLE_FORM_COUNT) {
        *format = (VarveOutputFormat){ table_form_name((TableForm)form), table_form_suffix((TableForm)form),
                                       "a table, as `varve query --schema` lists them", VARVE_OF_TABLE };
    } else {
        *format = (VarveOutputFormat){ "parquet", "parquet", "a table, as `varve query --schema` lists them",
                                       VARVE_OF_TABLE };
    }
    return form <= TABLE_FORM_COUNT || index < writer_count;
}

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
    if (format == NULL) format = export_format_by_other_suffix(path);
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

void api_report_losses(const WriterReport *report, LossReceiver *loss_receiver, void *context)
{
    for (size_t i = 0; loss_receiver != NULL && i < report->loss_count; i++) {
        const WriterLoss *loss = &report->losses[i];
        Bytes             text = { 0 };
        bytes_append_text(&text, loss->what);
        if (loss->kind.size > 0) bytes_append_text(&text, ": ");
        bytes_append(&text, loss->kind.bytes, loss->kind.size);
        loss_receiver(context, api_text(bytes_view(&text)), loss->count);
        bytes_release(&text);
    }
}

static bool write_trace(const Loaded *loaded, const FormatWriter *writer, const VarveConversion *conversion,
                        const OutputSink *sink, WriterReport *report, Err *err)
{
    const VarveFileOptions source = { .packing = VARVE_PACKED, .details = VARVE_DETAILS_SOURCE };
    const bool is_source = writer == &VARVE_WRITER && conversion->arguments == VARVE_ARGUMENTS_SOURCE;
    if (!(is_source ? trace_file_write(loaded, &source, sink, report, err)
                    : gzip_write_trace(loaded, writer, sink, report, err)))
        return false;
    report_views(loaded->trace, report);
    return true;
}

/* -- tables -- */

/* Writes a table to the sink, or as Parquet to the file at `path`. */
static bool write_table(const Loaded *loaded, const Target *target, const VarveConversion *conversion,
                        const OutputSink *sink, const char *path, Err *err)
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
        const SqlOptions options = { .threads = api_threads(conversion->thread_count),
                                     .output = path,
                                     .memory_bytes = conversion->memory_bytes };
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

/* Writes the target to the sink; Parquet to the file at `parquet`, NULL = none. */
static bool write_target(const VarveTrace *trace, const Target *target, const VarveConversion *conversion,
                         const OutputSink *sink, const char *parquet, WriterReport *report, Err *err)
{
    return target->writer != NULL ? write_trace(&trace->loaded, target->writer, conversion, sink, report, err)
                                  : write_table(&trace->loaded, target, conversion, sink, parquet, err);
}

bool varve_convert_file(const VarveTrace *trace, const VarveConversion *conversion, const char *path,
                        VarveError *error)
{
    Err          err = API_ERR;
    Target       target;
    WriterReport report = { .loss_count = 0 };
    FileWriter   file = { 0 };
    OutputSink   sink = output_to_file(&file);
    if (conversion == NULL) conversion = &USUAL;
    sink.threads = api_threads(conversion->thread_count);
    if (!choose(conversion, path, &target, &err) || !file_writer_open(&file, path, &err))
        return api_fail(&err, error);
    const char *parquet = file.target[0] == '\0' ? path : file.temporary;
    if (!write_target(trace, &target, conversion, &sink, parquet, &report, &err) ||
        !file_writer_commit(&file, &err)) {
        file_writer_abort(&file);
        return api_fail(&err, error);
    }
    api_report_losses(&report, conversion->loss, conversion->context);
    return true;
}

bool varve_convert(const VarveTrace *trace, const VarveConversion *conversion, VarveBytes *out,
                   VarveError *error)
{
    Err          err = API_ERR;
    Target       target;
    WriterReport report = { .loss_count = 0 };
    Bytes        made = { 0 };
    OutputSink   sink = output_to_bytes(&made);
    if (conversion == NULL) conversion = &USUAL;
    sink.threads = api_threads(conversion->thread_count);
    const bool is_done = choose(conversion, NULL, &target, &err) &&
                         write_target(trace, &target, conversion, &sink, NULL, &report, &err);
    if (is_done) api_give_bytes(&made, out);
    if (is_done) api_report_losses(&report, conversion->loss, conversion->context);
    bytes_release(&made);
    return is_done || api_fail(&err, error);
}
