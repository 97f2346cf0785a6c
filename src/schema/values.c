#include "schema/values.h"

#include <assert.h>
#include <string.h>

static const char *const KIND_NAMES[] = { "thread", "process-instants", "global-instants",
                                          "async",  "counter",          "samples",
                                          "states", "objects",          "dumps" }; /* by TrackKind */
static const char *const SCOPE_NAMES[] = { "thread", "process", "global" };        /* by InstantScope */

/* -- texts -- */

ValueTexts values_texts(const SchemaColumn *column)
{
    switch (column->form) {
    case FORM_TRACE_NAME:
        return TEXTS_TRACE_NAME;
    case FORM_TRACK_TITLE:
        return TEXTS_TRACKS;
    case FORM_PROCESS_TITLE:
        return TEXTS_PROCESSES;
    case FORM_TRACK_KIND:
        return TEXTS_KINDS;
    case FORM_SCOPE:
        return TEXTS_SCOPES;
    default:
        assert(column->form == FORM_TEXT);
        return TEXTS_STRINGS;
    }
}

uint32_t values_text_count(const Trace *trace, ValueTexts texts)
{
    switch (texts) {
    case TEXTS_TRACE_NAME:
        return 1;
    case TEXTS_STRINGS:
        return string_table_count(trace->strings) + 1;
    case TEXTS_TRACKS:
        return trace->track_count + 1;
    case TEXTS_PROCESSES:
        return trace->process_count + 1;
    case TEXTS_KINDS:
        return sizeof KIND_NAMES / sizeof KIND_NAMES[0];
    case TEXTS_SCOPES:
        return sizeof SCOPE_NAMES / sizeof SCOPE_NAMES[0];
    case TEXTS_COUNT:
        break;
    }
    return 0;
}

bool values_append_text(const Trace *trace, const char *name, ValueTexts texts, uint32_t index, Bytes *out)
{
    StringView string;
    assert(index < values_text_count(trace, texts));
    switch (texts) {
    case TEXTS_TRACE_NAME:
        bytes_append_text(out, name);
        return true;
    case TEXTS_STRINGS:
        string = trace_string(trace, (StringId){ index });
        bytes_append(out, string.bytes, string.size);
        return index != 0;
    case TEXTS_TRACKS:
        if (index != 0) trace_track_title(trace, index, out);
        return index != 0;
    case TEXTS_PROCESSES:
        if (index != 0) trace_process_title(trace, index, out);
        return index != 0;
    case TEXTS_KINDS:
        bytes_append_text(out, KIND_NAMES[index]);
        return true;
    case TEXTS_SCOPES:
        bytes_append_text(out, SCOPE_NAMES[index]);
        return true;
    case TEXTS_COUNT:
        break;
    }
    return false;
}

/* -- NULL -- */

/* The column to write, with a member for each type. */
typedef struct Out {
    union {
        void     *any;
        uint8_t  *bools;
        int64_t  *ints;
        double   *reals;
        uint32_t *texts;
    };
    uint32_t     count;
    ValuesValid *valid;
    bool         has_null;
} Out;

static void set_null(Out *out, uint32_t row)
{
    if (!out->has_null) memset(out->valid, 0xff, sizeof *out->valid);
    out->has_null = true;
    out->valid->words[row / 64] &= ~((uint64_t)1 << row % 64);
}

static bool is_null(const ScanColumn *column, ScanValues values, uint32_t i)
{
    switch (column->null) {
    case SCAN_NOT_NULL:
        return false;
    case SCAN_NULL_ZERO:
        return (column->type == SCAN_U64  ? values.u64[i]
                : column->type == SCAN_U8 ? values.u8[i]
                                          : values.u32[i]) == 0;
    case SCAN_NULL_MAX:
        return values.u64[i] == UINT64_MAX;
    case SCAN_NULL_MIN:
        return values.i64[i] == INT64_MIN;
    case SCAN_NULL_NAN:
        return values.f64[i] != values.f64[i];
    }
    return false;
}

/* -- numbers -- */

static int64_t to_bigint(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void read_numbers(Out *out, const ScanColumn *column, ScanValues values)
{
    switch (column->type) {
    case SCAN_I64:
        memcpy(out->ints, values.i64, out->count * sizeof(int64_t));
        break;
    case SCAN_U64:
        for (uint32_t i = 0; i < out->count; i++)
            out->ints[i] = to_bigint(values.u64[i]);
        break;
    case SCAN_U32:
    case SCAN_TEXT:
        for (uint32_t i = 0; i < out->count; i++)
            out->ints[i] = values.u32[i];
        break;
    case SCAN_U8:
        for (uint32_t i = 0; i < out->count; i++)
            out->ints[i] = values.u8[i];
        break;
    case SCAN_F64:
        memcpy(out->reals, values.f64, out->count * sizeof(double));
        break;
    }
    for (uint32_t i = 0; column->null != SCAN_NOT_NULL && i < out->count; i++)
        if (is_null(column, values, i)) set_null(out, i);
}

static void read_times(Out *out, const Trace *trace, SchemaForm form, ScanValues values)
{
    const Clock *clock = &trace->clock;
    const bool   is_ns = clock->ns_num == clock->ns_den;
    if (!clock_has_time(clock)) {
        for (uint32_t i = 0; i < out->count; i++)
            set_null(out, i);
    } else if (form == FORM_SPAN_NS) {
        for (uint32_t i = 0; i < out->count; i++)
            out->ints[i] = to_bigint(is_ns ? values.u64[i] : clock_span_to_ns(clock, values.u64[i]));
    } else {
        /* A slice that crosses the begin of the window may begin before the trace. */
        for (uint32_t i = 0; i < out->count; i++) {
            const int64_t  tick = values.i64[i], origin = trace->begin_tick;
            const bool     is_before = tick < origin;
            const uint64_t ticks =
                is_before ? (uint64_t)origin - (uint64_t)tick : (uint64_t)tick - (uint64_t)origin;
            const int64_t ns = to_bigint(is_ns ? ticks : clock_span_to_ns(clock, ticks));
            out->ints[i] = is_before ? -ns : ns;
        }
    }
}

/* Reads the pid of processes or the tid of tracks. Ids other than integers of 64 bits are NULL. */
static void read_idents(Out *out, const Trace *trace, SchemaForm form, const uint32_t *ids)
{
    for (uint32_t i = 0; i < out->count; i++) {
        const Ident ident =
            form == FORM_PID ? trace->processes[ids[i]].pid : track_tid(&trace->tracks[ids[i]]);
        out->ints[i] = ident.kind == IDENT_INT ? (int64_t)ident.bits : 0;
        if (ident.kind != IDENT_INT) set_null(out, i);
    }
}

/* Reads ticks as the source wrote them. */
static void read_ticks(Out *out, const Trace *trace, const int64_t *ticks)
{
    memcpy(out->ints, ticks, out->count * sizeof *ticks);
    if (!trace->clock.is_unsigned) return;
    for (uint32_t i = 0; i < out->count; i++)
        out->ints[i] = to_bigint((uint64_t)ticks[i] + ((uint64_t)1 << 63));
}

/* -- columns -- */

static void read_text_indices(Out *out, const Trace *trace, SchemaForm form, ScanValues values)
{
    switch (form) {
    case FORM_TRACE_NAME:
        memset(out->texts, 0, out->count * sizeof *out->texts);
        break;
    case FORM_SCOPE:
        for (uint32_t i = 0; i < out->count; i++)
            out->texts[i] = values.u8[i];
        break;
    case FORM_TRACK_KIND:
        for (uint32_t i = 0; i < out->count; i++)
            out->texts[i] = (uint32_t)trace->tracks[values.u32[i]].kind;
        break;
    default:
        memcpy(out->texts, values.u32, out->count * sizeof *out->texts);
        for (uint32_t i = 0; i < out->count; i++)
            if (out->texts[i] == 0) set_null(out, i);
        break;
    }
}

size_t values_size(SchemaType type)
{
    static const uint8_t SIZES[] = { sizeof(uint8_t), sizeof(int64_t), sizeof(double), sizeof(uint32_t) };
    return SIZES[type];
}

bool values_read(const Trace *trace, const SchemaColumn *column, const ScanColumn *scanned,
                 const ScanBatch *batch, void *values, ValuesValid *valid)
{
    const ScanValues from = batch->columns[column->scan_column];
    Out              out = { { values }, batch->count, valid, false };
    assert(batch->count <= SCAN_BATCH_ROWS);
    switch (column->form) {
    case FORM_TRACE_NAME:
    case FORM_TEXT:
    case FORM_TRACK_TITLE:
    case FORM_PROCESS_TITLE:
    case FORM_SCOPE:
    case FORM_TRACK_KIND:
        read_text_indices(&out, trace, column->form, from);
        break;
    case FORM_MOMENT_NS:
    case FORM_SPAN_NS:
        read_times(&out, trace, column->form, from);
        break;
    case FORM_BIT:
        for (uint32_t i = 0; i < out.count; i++)
            out.bools[i] = (from.u8[i] & column->mask) != 0;
        break;
    case FORM_PID:
    case FORM_TID:
        read_idents(&out, trace, column->form, from.u32);
        break;
    case FORM_MOMENT_TICK:
        read_ticks(&out, trace, from.i64);
        break;
    case FORM_NUMBER:
        read_numbers(&out, scanned, from);
        break;
    case FORM_CELL:
        assert(false);
        break;
    }
    return out.has_null;
}
