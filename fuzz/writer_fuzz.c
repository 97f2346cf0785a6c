/* Writers on any trace: whatever a reader makes of the input is written in one format and read again.
 *
 * Input: a byte that chooses the writer, then a trace in any format. The output must be the same bytes when it is written
 * twice. Outputs that Varve reads must be accepted without damage, JSON must be valid. */
#include "fuzz.h"

#include "base/json_check.h"
#include "export/tables.h"
#include "export/writers.h"

#include <string.h>

enum { MOST_SLICES = 4096, MEMORY_LIMIT = 1 << 28 };

static const char *const WRITERS[] = { "json", "spall", "spall1", "heph", "folded", "pprof", "speedscope" };
enum { WRITER_COUNT = sizeof WRITERS / sizeof WRITERS[0] };

/* Kinds of warnings that a file written by Varve must not cause when it is read. */
static const char *const DAMAGE[] = { "skipped-bytes", "truncated-packet", "duplicate-events", "truncated",
                                      "invalid-json",  "unknown-type",     "cut-short" };

/* False if memory ran out. */
static bool write_trace(const Loaded *loaded, const FormatWriter *writer, Bytes *out)
{
    OutputSink   sink = output_to_bytes(out);
    WriterReport report = { .loss_count = 0 };
    Err          err;
    if (writer->write(loaded, &sink, &report, &err)) return true;
    expect(err.code == ERR_MEMORY, "a write into memory failed");
    return false;
}

/* Writes every table, one behind the other. */
static bool write_tables(const Loaded *loaded, TableForm form, Bytes *out)
{
    const SchemaTrace trace = { .trace = loaded->trace, .name = loaded->name, .bytes = loaded->bytes };
    const OutputSink  sink = output_to_bytes(out);
    Err               err;
    for (size_t i = 0; schema_table(i) != NULL; i++) {
        if (table_write(form, &trace, schema_table(i), NULL, &sink, &err)) continue;
        expect(err.code == ERR_MEMORY, "a write into memory failed");
        return false;
    }
    return true;
}

/* Writes the trace as the choice says. False if memory ran out. */
static bool write_any(const Loaded *loaded, size_t choice, Bytes *out)
{
    if (choice >= WRITER_COUNT) return write_tables(loaded, (TableForm)(choice - WRITER_COUNT), out);
    expect(writer_find(WRITERS[choice]) != NULL, "a writer is missing");
    return write_trace(loaded, writer_find(WRITERS[choice]), out);
}

/* Checks that each line is JSON. */
static void check_lines(const Bytes *out)
{
    for (size_t at = 0; at < out->size;) {
        const uint8_t *end = memchr(out->data + at, '\n', out->size - at);
        expect(end != NULL, "the last line has no end");
        const size_t size = (size_t)(end - out->data) - at;
        expect(json_valid((const char *)out->data + at, size), "a line is not JSON");
        at += size + 1;
    }
}

static bool is_damage(const char *kind)
{
    for (size_t i = 0; i < sizeof DAMAGE / sizeof DAMAGE[0]; i++)
        if (strcmp(kind, DAMAGE[i]) == 0) return true;
    return false;
}

/* Loads the output again and checks that nothing in it is damaged. An empty output holds no trace. */
static void read_again(const Trace *source, const char *format, const Bytes *out)
{
    LoadOptions options = { .format_name = format, .threads = 1 };
    Loaded      again;
    Err         err;
    if (out->size == 0) return;
    if (!load_bytes(out->data, out->size, "written", &options, &again, &err)) {
        expect(err.code == ERR_MEMORY, "the output is refused by its reader");
        return;
    }
    const bool is_same_format = strcmp(source->source.format_name, format) == 0;
    for (uint32_t i = 0; i < again.trace->records.warning_count; i++)
        expect(!is_damage(again.trace->records.warnings[i].kind), "the output is damaged");
    if (is_same_format && strcmp(format, "heph") == 0)
        expect(again.trace->slices.count == source->slices.count, "slices were lost in a copy");
    loaded_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const READERS[] = { "trace-event", "spall", "spall", "heph" };
    LoadOptions              options = { .threads = 1 };
    Loaded                   loaded;
    Err                      err;
    memory_set_limit(MEMORY_LIMIT);
    if (size < 1 || !load_bytes(data + 1, size - 1, "fuzz", &options, &loaded, &err)) return 0;
    const size_t choice = data[0] % (WRITER_COUNT + TABLE_FORM_COUNT);
    Bytes        first = { 0 }, second = { 0 };
    if (loaded.trace->slices.count <= MOST_SLICES && write_any(&loaded, choice, &first)) {
        if (choice == 0 || choice == 6)
            expect(json_valid((const char *)first.data, first.size), "the output is not JSON");
        if (choice == WRITER_COUNT + TABLE_FORM_JSONL) check_lines(&first);
        if (write_any(&loaded, choice, &second))
            expect(first.size == second.size &&
                       (first.size == 0 || memcmp(first.data, second.data, first.size) == 0),
                   "the same trace was written differently");
        if (choice < sizeof READERS / sizeof READERS[0]) read_again(loaded.trace, READERS[choice], &first);
    }
    bytes_release(&first);
    bytes_release(&second);
    loaded_release(&loaded);
    return 0;
}
