#include "query/fill.h"

#include <assert.h>
#include <string.h>

static const char *const KIND_NAMES[] = { "thread", "process-instants", "global-instants", "async", "counter",
                                          "samples", "states", "objects", "dumps" }; /* by TrackKind */
static const char *const SCOPE_NAMES[] = { "thread", "process", "global" };          /* by InstantScope */

/* -- NULL -- */

static void set_null(const DuckDb *duck, DuckVector vector, uint32_t row)
{
    duck->vector_ensure_validity_writable(vector);
    duck->vector_get_validity(vector)[row / 64] &= ~((uint64_t)1 << row % 64);
}

/* -- texts -- */

static uint32_t text_count(const FillTrace *t, FillTexts kind)
{
    switch (kind) {
    case TEXTS_TRACE_NAME:
        return 1;
    case TEXTS_STRINGS:
        return string_table_count(t->trace->strings) + 1;
    case TEXTS_TRACKS:
        return t->trace->track_count + 1;
    case TEXTS_PROCESSES:
        return t->trace->process_count + 1;
    case TEXTS_KINDS:
        return sizeof KIND_NAMES / sizeof KIND_NAMES[0];
    case TEXTS_SCOPES:
        return sizeof SCOPE_NAMES / sizeof SCOPE_NAMES[0];
    case TEXTS_COUNT:
        break;
    }
    return 0;
}

/* Appends a text, NUL-free or not. False: the text is NULL. */
static bool append_text(const FillTrace *t, FillTexts kind, uint32_t index, Bytes *out)
{
    StringView string;
    switch (kind) {
    case TEXTS_TRACE_NAME:
        bytes_append_text(out, t->name);
        return true;
    case TEXTS_STRINGS:
        string = trace_string(t->trace, (StringId){ index });
        bytes_append(out, string.bytes, string.size);
        return index != 0;
    case TEXTS_TRACKS:
        if (index != 0) trace_track_title(t->trace, index, out);
        return index != 0;
    case TEXTS_PROCESSES:
        if (index != 0) trace_process_title(t->trace, index, out);
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

static DuckVector make_texts(const FillTrace *t, FillTexts kind)
{
    const DuckDb   *duck = t->duck;
    const uint32_t  count = text_count(t, kind);
    DuckLogicalType type = duck->create_logical_type(DUCK_VARCHAR);
    DuckVector      vector = duck->create_vector(type, count);
    Bytes           text = { 0 };
    duck->destroy_logical_type(&type);
    for (uint32_t i = 0; vector != NULL && i < count; i++) {
        bytes_clear(&text);
        if (append_text(t, kind, i, &text) && !text.failed) {
            duck->vector_assign_string_element_len(vector, i, (const char *)text.data, text.size);
        } else {
            set_null(duck, vector, i);
        }
    }
    bytes_release(&text);
    return vector;
}

static DuckVector texts_of(FillTrace *t, FillTexts kind)
{
    lock_take(t->lock);
    if (t->texts[kind] == NULL) t->texts[kind] = make_texts(t, kind);
    DuckVector texts = t->texts[kind];
    lock_give(t->lock);
    return texts;
}

void fill_trace_release(FillTrace *t)
{
    for (uint32_t i = 0; i < TEXTS_COUNT; i++)
        if (t->texts[i] != NULL) t->duck->destroy_vector(&t->texts[i]);
}

/* Makes `to` a dictionary vector. Row i is the text of index u32[i] or u8[i]; of 0 where both are NULL. */
static void fill_texts(FillTrace *t, FillTexts kind, const uint32_t *u32, const uint8_t *u8, uint32_t count, DuckVector to)
{
    const DuckDb *duck = t->duck;
    DuckSelection selection = duck->create_selection_vector(count);
    uint32_t     *indices = duck->selection_vector_get_data_ptr(selection);
    for (uint32_t i = 0; i < count; i++)
        indices[i] = u32 != NULL ? u32[i] : u8 != NULL ? u8[i] : 0;
    duck->vector_reference_vector(to, texts_of(t, kind));
    duck->slice_vector(to, selection, count);
    duck->destroy_selection_vector(selection);
}

/* -- numbers -- */

static bool is_null(const ScanColumn *column, ScanValues values, uint32_t i)
{
    switch (column->null) {
    case SCAN_NOT_NULL:
        return false;
    case SCAN_NULL_ZERO:
        return (column->type == SCAN_U64 ? values.u64[i] : column->type == SCAN_U8 ? values.u8[i] : values.u32[i]) == 0;
    case SCAN_NULL_MAX:
        return values.u64[i] == UINT64_MAX;
    case SCAN_NULL_MIN:
        return values.i64[i] == INT64_MIN;
    case SCAN_NULL_NAN:
        return values.f64[i] != values.f64[i];
    }
    return false;
}

/* Integers above INT64_MAX, which only damaged sources give, become INT64_MAX. */
static int64_t to_bigint(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static void fill_numbers(const FillTrace *t, const ScanColumn *column, ScanValues values, uint32_t count, DuckVector to)
{
    void *out = t->duck->vector_get_data(to);
    switch (column->type) {
    case SCAN_I64:
        memcpy(out, values.i64, count * sizeof(int64_t));
        break;
    case SCAN_U64:
        for (uint32_t i = 0; i < count; i++)
            ((int64_t *)out)[i] = to_bigint(values.u64[i]);
        break;
    case SCAN_U32:
    case SCAN_TEXT:
        for (uint32_t i = 0; i < count; i++)
            ((int64_t *)out)[i] = values.u32[i];
        break;
    case SCAN_U8:
        for (uint32_t i = 0; i < count; i++)
            ((int64_t *)out)[i] = values.u8[i];
        break;
    case SCAN_F64:
        memcpy(out, values.f64, count * sizeof(double));
        break;
    }
    for (uint32_t i = 0; column->null != SCAN_NOT_NULL && i < count; i++)
        if (is_null(column, values, i)) set_null(t->duck, to, i);
}

static void fill_times(const FillTrace *t, SchemaForm form, ScanValues values, uint32_t count, DuckVector to)
{
    const Trace *trace = t->trace;
    const Clock *clock = &trace->clock;
    int64_t     *out = t->duck->vector_get_data(to);
    const bool   is_ns = clock->ns_num == clock->ns_den;
    if (!clock_has_time(clock)) {
        for (uint32_t i = 0; i < count; i++)
            set_null(t->duck, to, i);
    } else if (form == FORM_SPAN_NS) {
        for (uint32_t i = 0; i < count; i++)
            out[i] = to_bigint(is_ns ? values.u64[i] : clock_span_to_ns(clock, values.u64[i]));
    } else {
        /* A slice may begin before the trace does: one that a window cuts. */
        for (uint32_t i = 0; i < count; i++) {
            const int64_t tick = values.i64[i], origin = trace->begin_tick;
            const bool    is_before = tick < origin;
            const uint64_t ticks = is_before ? (uint64_t)origin - (uint64_t)tick : (uint64_t)tick - (uint64_t)origin;
            const int64_t  ns = to_bigint(is_ns ? ticks : clock_span_to_ns(clock, ticks));
            out[i] = is_before ? -ns : ns;
        }
    }
}

static void fill_bits(const FillTrace *t, uint8_t mask, const uint8_t *flags, uint32_t count, DuckVector to)
{
    bool *out = t->duck->vector_get_data(to);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (flags[i] & mask) != 0;
}

/* The pid of processes or the tid of tracks. Idents that are no number, or do not fit, are NULL. */
static void fill_idents(const FillTrace *t, SchemaForm form, const uint32_t *ids, uint32_t count, DuckVector to)
{
    const Trace *trace = t->trace;
    int64_t     *out = t->duck->vector_get_data(to);
    for (uint32_t i = 0; i < count; i++) {
        const Ident ident = form == FORM_PID ? trace->processes[ids[i]].pid : trace->tracks[ids[i]].tid;
        out[i] = ident.kind == IDENT_INT ? (int64_t)ident.bits : 0;
        if (ident.kind != IDENT_INT) set_null(t->duck, to, i);
    }
}

/* Ticks as the source wrote them. */
static void fill_ticks(const FillTrace *t, const int64_t *ticks, uint32_t count, DuckVector to)
{
    int64_t *out = t->duck->vector_get_data(to);
    memcpy(out, ticks, count * sizeof *ticks);
    if (!t->trace->clock.is_unsigned) return;
    for (uint32_t i = 0; i < count; i++)
        out[i] = to_bigint((uint64_t)ticks[i] + ((uint64_t)1 << 63));
}

static void fill_kinds(FillTrace *t, const uint32_t *tracks, uint32_t count, DuckVector to)
{
    uint8_t kinds[SCAN_BATCH_ROWS];
    for (uint32_t i = 0; i < count; i++)
        kinds[i] = (uint8_t)t->trace->tracks[tracks[i]].kind;
    fill_texts(t, TEXTS_KINDS, NULL, kinds, count, to);
}

void fill_column(FillTrace *t, const SchemaColumn *column, const ScanColumn *scanned, const ScanBatch *batch,
                 DuckVector to)
{
    const uint32_t   count = batch->count;
    const ScanValues values = batch->columns[column->scan_column];
    switch (column->form) {
    case FORM_TRACE_NAME:
        fill_texts(t, TEXTS_TRACE_NAME, NULL, NULL, count, to);
        break;
    case FORM_TEXT:
        fill_texts(t, TEXTS_STRINGS, values.u32, NULL, count, to);
        break;
    case FORM_TRACK_TITLE:
        fill_texts(t, TEXTS_TRACKS, values.u32, NULL, count, to);
        break;
    case FORM_PROCESS_TITLE:
        fill_texts(t, TEXTS_PROCESSES, values.u32, NULL, count, to);
        break;
    case FORM_SCOPE:
        fill_texts(t, TEXTS_SCOPES, NULL, values.u8, count, to);
        break;
    case FORM_TRACK_KIND:
        fill_kinds(t, values.u32, count, to);
        break;
    case FORM_MOMENT_NS:
    case FORM_SPAN_NS:
        fill_times(t, column->form, values, count, to);
        break;
    case FORM_BIT:
        fill_bits(t, column->mask, values.u8, count, to);
        break;
    case FORM_PID:
    case FORM_TID:
        fill_idents(t, column->form, values.u32, count, to);
        break;
    case FORM_MOMENT_TICK:
        fill_ticks(t, values.i64, count, to);
        break;
    case FORM_NUMBER:
        fill_numbers(t, scanned, values, count, to);
        break;
    case FORM_CELL:
        assert(false);
        break;
    }
}

void fill_cell(const DuckDb *duck, SchemaType type, const SchemaCell *cell, DuckVector to, uint32_t row)
{
    if (cell->is_null) {
        set_null(duck, to, row);
        return;
    }
    switch (type) {
    case SCHEMA_BOOL:
        ((bool *)duck->vector_get_data(to))[row] = cell->integer != 0;
        break;
    case SCHEMA_INT:
        ((int64_t *)duck->vector_get_data(to))[row] = cell->integer;
        break;
    case SCHEMA_REAL:
        ((double *)duck->vector_get_data(to))[row] = cell->real;
        break;
    case SCHEMA_TEXT:
        duck->vector_assign_string_element_len(to, row, cell->text.bytes, cell->text.size);
        break;
    }
}
