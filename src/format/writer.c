#include "format/writer.h"

#include <string.h>

static bool append_to_bytes(void *context, const void *bytes, size_t size, Err *err)
{
    Bytes *out = context;
    bytes_append(out, bytes, size);
    return !out->failed || err_set(err, ERR_MEMORY, "out of memory for the output");
}

OutputSink output_to_bytes(Bytes *out)
{
    return (OutputSink){ .append = append_to_bytes, .context = out };
}

static bool append_to_file(void *context, const void *bytes, size_t size, Err *err)
{
    return file_writer_append(context, bytes, size, err);
}

OutputSink output_to_file(FileWriter *file)
{
    return (OutputSink){ .append = append_to_file, .context = file };
}

void writer_report_kind(WriterReport *report, uint64_t count, const char *what, StringView kind)
{
    if (count == 0) return;
    for (size_t i = 0; i < report->loss_count; i++) {
        WriterLoss *loss = &report->losses[i];
        if (strcmp(loss->what, what) != 0 || !string_equal(loss->kind, kind)) continue;
        loss->count += count;
        return;
    }
    if (report->loss_count == WRITER_MAX_LOSSES) {
        WriterLoss *last = &report->losses[WRITER_MAX_LOSSES - 1];
        last->what = "things of further kinds are left out";
        last->kind = STRING_LITERAL("");
        last->count += count;
        return;
    }
    report->losses[report->loss_count++] = (WriterLoss){ what, kind, count };
}

void writer_report(WriterReport *report, uint64_t count, const char *what)
{
    writer_report_kind(report, count, what, STRING_LITERAL(""));
}

WriterLabel *writer_labels(const Trace *trace, Arena *arena)
{
    WriterLabel *labels = ARENA_ARRAY(arena, WriterLabel, (size_t)trace->label_count + 1);
    for (uint32_t i = 0; labels != NULL && i <= trace->label_count; i++)
        labels[i] = (WriterLabel){ .name = trace_label_name(trace, i),
                                   .has_category = trace_label_category(trace, i).size > 0 };
    return labels;
}

bool writer_flush(const OutputSink *sink, Bytes *buffer, size_t threshold, Err *err)
{
    if (buffer->failed) return err_set(err, ERR_MEMORY, "out of memory for the output");
    if (buffer->size < threshold || buffer->size == 0) return true;
    bool done = sink->append(sink->context, buffer->data, buffer->size, err);
    bytes_clear(buffer);
    return done;
}

bool writer_is_sample(const Trace *trace, const OtherEvent *other)
{
    StringView kind = trace_string(trace, trace->records.event_kinds[other->kind].name);
    return trace_stack_sample_count(trace) > 0 &&
           (string_equal(kind, STRING_LITERAL("sample")) || string_equal(kind, STRING_LITERAL("P")));
}
