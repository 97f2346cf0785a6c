/* The arrays of a trace, for a file. */
#include "base/vec.h"
#include "trace/file/tables.h"
#include "trace/store/lod.h"
#include "trace/store/sample_index.h"

#include <string.h>

typedef VEC(const char *) Texts;

typedef struct Put {
    const Trace *trace;
    PutArray     put;
    void        *context;
    Arena        arena; /* of the rows that differ from the trace's */
    TableRows    tables[TABLE_COUNT];
    Texts        texts; /* in the order of their first use */
    Bytes        items; /* of the array that is being made */
} Put;

static bool no_memory(Err *err)
{
    return err_set(err, ERR_MEMORY, "out of memory for the arrays of the trace");
}

bool arrays_host_is_supported(void)
{
    const uint16_t one = 1;
    uint8_t        first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- rows that differ from the structs of the trace ---- */

static bool make_tracks(Put *put)
{
    const Trace   *trace = put->trace;
    const uint32_t count = trace->track_count;
    TrackRow      *rows = ARENA_ARRAY(&put->arena, TrackRow, (size_t)count + 1);
    TrackExtraRow *extras = ARENA_ARRAY(&put->arena, TrackExtraRow, (size_t)count + 1);
    TrackStackRow *stacks = ARENA_ARRAY(&put->arena, TrackStackRow, ((size_t)count + 1) * STACK_KINDS);
    uint32_t       extra_count = 0, stack_count = 0;
    if (rows == NULL || extras == NULL || stacks == NULL) return false;
    for (uint32_t t = 1; t <= count; t++) {
        const Track *track = &trace->tracks[t];
        rows[t - 1] = (TrackRow){ .process = track->process.index,
                                  .name = track->name.index,
                                  .kind = track->kind,
                                  .tid_kind = track->tid_kind,
                                  .tid_bits = track->tid_bits,
                                  .first_row = track->first_row,
                                  .is_derived = track->is_derived,
                                  .divides = track->divides,
                                  .has_events = track->has_events };
        if (track->extras == NULL) continue;
        extras[extra_count++] = (TrackExtraRow){ t, *track->extras };
        for (uint32_t k = 0; k < STACK_KINDS; k++) {
            const StackRange *range = track_stacks(track, (StackKind)k);
            if (range->count > 0) stacks[stack_count++] = (TrackStackRow){ t, k, *range };
        }
    }
    put->tables[TABLE_TRACK] = (TableRows){ rows, count };
    put->tables[TABLE_TRACK_EXTRA] = (TableRows){ extras, extra_count };
    put->tables[TABLE_TRACK_STACK] = (TableRows){ stacks, stack_count };
    return true;
}

static bool make_rows(Put *put)
{
    const Trace   *trace = put->trace;
    const uint32_t count = trace->row_count;
    RowRow        *rows = ARENA_ARRAY(&put->arena, RowRow, (size_t)count + 1);
    RowExtraRow   *extras = ARENA_ARRAY(&put->arena, RowExtraRow, (size_t)count + 1);
    uint32_t       extra_count = 0, series_count = 0;
    if (rows == NULL || extras == NULL) return false;
    for (uint32_t r = 0; r < count; r++) {
        const Row *row = &trace->rows[r];
        rows[r] = (RowRow){ row->first_slice, row->slice_count, row->track, row->lane, row->depth };
        if (row->extras == NULL) continue;
        extras[extra_count++] = (RowExtraRow){ r, *row->extras };
        if (row->extras->series > series_count) series_count = row->extras->series;
    }
    put->tables[TABLE_ROW] = (TableRows){ rows, count };
    put->tables[TABLE_ROW_EXTRA] = (TableRows){ extras, extra_count };
    put->tables[TABLE_SERIES] = (TableRows){ series_count == 0 ? NULL : trace->series + 1, series_count };
    return true;
}

static bool make_records(Put *put)
{
    const TraceRecords *records = &put->trace->records;
    WarningRow         *warnings = ARENA_ARRAY(&put->arena, WarningRow, (size_t)records->warning_count + 1);
    PropertyRow *properties = ARENA_ARRAY(&put->arena, PropertyRow, (size_t)records->property_count + 1);
    if (warnings == NULL || properties == NULL) return false;
    for (uint32_t i = 0; i < records->warning_count; i++) {
        const Warning *warning = &records->warnings[i];
        warnings[i] = (WarningRow){ .kind = warning->kind,
                                    .message = warning->first.message,
                                    .count = warning->count,
                                    .offset = warning->first.offset,
                                    .event = warning->first.event };
    }
    for (uint32_t i = 0; i < records->property_count; i++) {
        const Property *property = &records->properties[i];
        const char     *json = arena_push_copy(&put->arena, property->json, property->size);
        if (json == NULL) return false;
        properties[i] = (PropertyRow){ property->key, json };
    }
    put->tables[TABLE_WARNING] = (TableRows){ warnings, records->warning_count };
    put->tables[TABLE_PROPERTY] = (TableRows){ properties, records->property_count };
    return true;
}

/* The tables whose rows are the structs of the trace. They are only read through these pointers. */
static void point_at_tables(Put *put)
{
    const TracePerspectives *perspectives = &put->trace->perspectives;
    for (size_t t = 0; t < TABLE_COUNT; t++)
        if (TRACE_TABLES[t].place.is_set) put->tables[t] = table_rows_of(put->trace, &TRACE_TABLES[t]);
    put->tables[TABLE_TRACE] = (TableRows){ (void *)(uintptr_t)put->trace, 1 };
    put->tables[TABLE_PERSPECTIVE] =
        (TableRows){ (void *)(uintptr_t)perspectives->names, perspectives->count };
}

/* ---- arrays ---- */

static bool put_array(Put *put, TraceArray array, Err *err)
{
    return array.count == 0 || put->put(put->context, &array, err);
}

/* Appends the member of a row to the items. */
static void append_member(Put *put, const TableMember *member, const uint8_t *row)
{
    uint16_t    small;
    uint32_t    wide;
    const char *text;
    switch (member->type) {
    case MEMBER_BOOL:
    case MEMBER_U8:
        bytes_append(&put->items, row + member->offset, 1);
        break;
    case MEMBER_U16:
        memcpy(&small, row + member->offset, sizeof small);
        wide = small;
        bytes_append(&put->items, &wide, sizeof wide);
        break;
    case MEMBER_U32:
        bytes_append(&put->items, row + member->offset, 4);
        break;
    case MEMBER_U64:
    case MEMBER_I64:
    case MEMBER_F64:
        bytes_append(&put->items, row + member->offset, 8);
        break;
    case MEMBER_TEXT:
        memcpy(&text, row + member->offset, sizeof text);
        wide = (uint32_t)vec_count(&put->texts);
        vec_push(&put->texts, text == NULL ? "" : text);
        bytes_append(&put->items, &wide, sizeof wide);
        break;
    }
}

static bool put_table(Put *put, TableId id, Err *err)
{
    const TraceTable *table = &TRACE_TABLES[id];
    const TableRows  *rows = &put->tables[id];
    for (size_t m = 0; m < table->member_count && rows->count > 0; m++) {
        const TableMember *member = &table->members[m];
        bytes_clear(&put->items);
        for (uint64_t i = 0; i < rows->count; i++)
            append_member(put, member, (const uint8_t *)rows->items + i * table->item_bytes);
        if (put->items.failed || put->texts.bytes.failed) return no_memory(err);
        const TraceArray array = { member->name, member_array_type(member), member->order, put->items.data,
                                   rows->count };
        if (!put_array(put, array, err)) return false;
    }
    return true;
}

/* Puts some texts as two arrays: where each ends, and the bytes of all. */
static bool put_text_arrays(Put *put, StringView (*text_at)(const Put *put, size_t i), size_t count,
                            const char *ends_name, const char *bytes_name, Err *err)
{
    Bytes    bytes = { 0 };
    uint64_t end = 0;
    bytes_clear(&put->items);
    for (size_t i = 0; i < count; i++) {
        const StringView text = text_at(put, i);
        bytes_append(&bytes, text.bytes, text.size);
        end += text.size;
        bytes_append(&put->items, &end, sizeof end);
    }
    const TraceArray ends = { ends_name, ARRAY_U64, ARRAY_ASCENDING, put->items.data, count };
    const TraceArray all = { bytes_name, ARRAY_U8, ARRAY_UNORDERED, bytes.data, bytes.size };
    const bool       is_made = !bytes.failed && !put->items.failed;
    const bool       done = is_made ? put_array(put, ends, err) && put_array(put, all, err) : no_memory(err);
    bytes_release(&bytes);
    return done;
}

static StringView text_at(const Put *put, size_t i)
{
    return c_string_view(put->texts.items[i]);
}

static StringView string_at(const Put *put, size_t i)
{
    return string_table_view(put->trace->strings, (StringId){ (uint32_t)i + 1 });
}

static ArrayOrder column_order(const Column *column)
{
    const bool is_id = column->unit == UNIT_LABEL || column->unit == UNIT_STACK;
    const bool is_wide = column->type != ARRAY_U8 && column->type != ARRAY_F64 && column->type != ARRAY_U32;
    const bool ascends =
        is_wide || column->unit == UNIT_OFFSET || column->unit == UNIT_TRACK || column->unit == UNIT_DISTANCE;
    return !is_id && ascends ? ARRAY_ASCENDING : ARRAY_UNORDERED;
}

static bool put_columns(Put *put, Err *err)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const Column    *column = &TRACE_COLUMNS[i];
        const TraceArray array = { column->name, column->type, column_order(column),
                                   column_items(put->trace, column), column_item_count(put->trace, column) };
        if (!put_array(put, array, err)) return false;
    }
    const LodArrays  lod = lod_arrays(put->trace->index.lod);
    uint64_t         ranges = 0;
    const void      *range = sample_index_ranges(put->trace, &ranges);
    const TraceArray index[] = { { "lod.node", ARRAY_NODE, ARRAY_UNORDERED, lod.nodes, lod.count },
                                 { "lod.flags", ARRAY_U8, ARRAY_UNORDERED, lod.flags, lod.count },
                                 { "counter.range", ARRAY_PAIR_F64, ARRAY_UNORDERED, range, ranges } };
    for (size_t i = 0; i < sizeof index / sizeof index[0]; i++)
        if (!put_array(put, index[i], err)) return false;
    return true;
}

bool arrays_put(const Trace *trace, PutArray to, void *context, Err *err)
{
    Put put = { .trace = trace, .put = to, .context = context, .arena = arena_create(0) };
    point_at_tables(&put);
    bool done = make_tracks(&put) && make_rows(&put) && make_records(&put) ? true : no_memory(err);
    done = done && put_columns(&put, err);
    for (size_t t = 0; done && t < TABLE_COUNT; t++)
        done = put_table(&put, (TableId)t, err);
    done = done &&
           put_text_arrays(&put, string_at, string_table_count(trace->strings), "string.end", "string.bytes",
                           err) &&
           put_text_arrays(&put, text_at, vec_count(&put.texts), "text.end", "text.bytes", err);
    vec_release(&put.texts);
    bytes_release(&put.items);
    arena_release(&put.arena);
    return done;
}
