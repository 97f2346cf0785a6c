/* A trace of the arrays of a file, all of them checked. */
#include "base/json_check.h"
#include "base/utf8.h"
#include "trace/file/tables.h"
#include "trace/store/begins.h"
#include "trace/store/lod.h"
#include "trace/store/sample_index.h"

#include <string.h>

typedef struct Take {
    const ArraySource *source;
    Trace             *trace;
    Arena              arena; /* of the tables until they are in the trace */
    TableRows          tables[TABLE_COUNT];
    const char       **texts;
    uint64_t           text_count;
    Err               *err;
} Take;

static bool no_memory(Take *take)
{
    return err_set(take->err, ERR_MEMORY, "out of memory for the trace");
}

static bool get(Take *take, TraceArray *array, const char *name, ArrayType type, ArrayUse use)
{
    *array = (TraceArray){ .name = name, .type = type };
    return take->source->get(take->source->context, array, use, take->err);
}

/* ---- texts ---- */

typedef struct TextArrays {
    const uint64_t *ends;
    const char     *bytes;
    uint64_t        count, size;
} TextArrays;

/* Sets *text to the text at `index`: valid UTF-8 inside the bytes. */
static bool text_at(Take *take, const TextArrays *texts, const char *name, uint64_t index, StringView *text)
{
    const uint64_t begin = index == 0 ? 0 : texts->ends[index - 1], end = texts->ends[index];
    if (begin > end || end > texts->size)
        return err_set(take->err, ERR_CORRUPT, "%s: text %llu is not inside the bytes", name,
                       (unsigned long long)index);
    *text = (StringView){ end == begin ? "" : texts->bytes + begin, (size_t)(end - begin) };
    return utf8_valid_prefix(text->bytes, text->size) == text->size ||
           err_set(take->err, ERR_CORRUPT, "%s: text %llu is not UTF-8", name, (unsigned long long)index);
}

static bool get_texts(Take *take, TextArrays *texts, const char *ends_name, const char *bytes_name)
{
    TraceArray ends, bytes;
    if (!get(take, &ends, ends_name, ARRAY_U64, ARRAY_READ) ||
        !get(take, &bytes, bytes_name, ARRAY_U8, ARRAY_READ))
        return false;
    *texts = (TextArrays){ (const uint64_t *)ends.items, (const char *)bytes.items, ends.count, bytes.count };
    return ends.count < UINT32_MAX || err_set(take->err, ERR_CORRUPT, "%s: too many texts", ends_name);
}

static bool take_strings(Take *take)
{
    TextArrays texts;
    take->trace->strings = string_table_create(&take->trace->arena);
    if (take->trace->strings == NULL) return no_memory(take);
    if (!get_texts(take, &texts, "string.end", "string.bytes")) return false;
    for (uint64_t i = 0; i < texts.count; i++) {
        StringView text;
        if (!text_at(take, &texts, "string.end", i, &text)) return false;
        const StringId id = string_table_intern(take->trace->strings, text.bytes, text.size);
        if (id.index == STRING_NONE.index) return no_memory(take);
        if (id.index != i + 1)
            return err_set(take->err, ERR_CORRUPT, "string.bytes: text %llu is there twice",
                           (unsigned long long)i);
    }
    return true;
}

static bool take_texts(Take *take)
{
    TextArrays texts;
    if (!get_texts(take, &texts, "text.end", "text.bytes")) return false;
    take->texts = ARENA_ARRAY(&take->arena, const char *, (size_t)texts.count + 1);
    if (take->texts == NULL) return no_memory(take);
    take->text_count = texts.count;
    for (uint64_t i = 0; i < texts.count; i++) {
        StringView text;
        if (!text_at(take, &texts, "text.end", i, &text)) return false;
        take->texts[i] = arena_push_copy(&take->trace->arena, text.bytes, text.size);
        if (take->texts[i] == NULL) return no_memory(take);
        if (strlen(take->texts[i]) != text.size)
            return err_set(take->err, ERR_CORRUPT, "text.bytes: text %llu has a zero byte",
                           (unsigned long long)i);
    }
    return true;
}

/* ---- tables ---- */

/* Sets the number of rows of every table: that of its first array. */
static bool count_tables(Take *take)
{
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        const TableMember *first = &TRACE_TABLES[t].members[0];
        TraceArray         array;
        if (!get(take, &array, first->name, member_array_type(first), ARRAY_READ)) return false;
        take->tables[t].count = array.count;
        if (array.count >= UINT32_MAX)
            return err_set(take->err, ERR_CORRUPT, "%s: too many rows", first->name);
    }
    if (take->tables[TABLE_TRACE].count != 1)
        return err_set(take->err, ERR_CORRUPT, "trace.format: expected one value");
    if (take->tables[TABLE_LIFE_OF_SLICE].count != take->tables[TABLE_LIFE].count ||
        take->tables[TABLE_LIFE_OF_SNAPSHOT].count != take->tables[TABLE_SNAPSHOT].count)
        return err_set(take->err, ERR_CORRUPT,
                       "life_of_slice.life, life_of_snapshot.life: a wrong number of items");
    return take->tables[TABLE_PERSPECTIVE].count <= PERSPECTIVES_MAX ||
           err_set(take->err, ERR_CORRUPT, "perspective.name: too many perspectives");
}

/* Returns the greatest value of a member, UINT64_MAX if it may have any; *is_empty: it must not have any value. */
static uint64_t greatest_value(const Take *take, const TableMember *member)
{
    switch (member->limit) {
    case LIMIT_NONE:
        return UINT64_MAX;
    case LIMIT_MOST:
        return member->most;
    case LIMIT_STRING:
        return string_table_count(take->trace->strings);
    case LIMIT_SLICE_BELOW:
        return take->trace->slices.count;
    case LIMIT_INSTANT_BELOW:
        return take->trace->instants.count;
    case LIMIT_TABLE:
    case LIMIT_TABLE_BELOW:
        return take->tables[member->most].count;
    }
    return 0;
}

static bool is_below(MemberLimit limit)
{
    return limit == LIMIT_SLICE_BELOW || limit == LIMIT_INSTANT_BELOW || limit == LIMIT_TABLE_BELOW;
}

/* Returns value i of an array of a member. */
static uint64_t value_at(const TraceArray *array, uint64_t i)
{
    if (array->type == ARRAY_U8) return ((const uint8_t *)array->items)[i];
    if (array->type == ARRAY_U32) return ((const uint32_t *)array->items)[i];
    return ((const uint64_t *)array->items)[i];
}

/* Writes a checked value to the member of a row. */
static bool set_member(Take *take, const TableMember *member, uint64_t value, uint8_t *row)
{
    const uint16_t small = (uint16_t)value;
    const uint32_t wide = (uint32_t)value;
    switch (member->type) {
    case MEMBER_BOOL:
    case MEMBER_U8:
        row[member->offset] = (uint8_t)value;
        return true;
    case MEMBER_U16:
        memcpy(row + member->offset, &small, sizeof small);
        return value == small;
    case MEMBER_U32:
        memcpy(row + member->offset, &wide, sizeof wide);
        return true;
    case MEMBER_U64:
    case MEMBER_I64:
    case MEMBER_F64:
        memcpy(row + member->offset, &value, sizeof value);
        return true;
    case MEMBER_TEXT:
        if (value >= take->text_count) return false;
        memcpy(row + member->offset, &take->texts[value], sizeof take->texts[value]);
        return true;
    }
    return false;
}

static bool take_member(Take *take, TableId id, const TableMember *member)
{
    const TableRows *rows = &take->tables[id];
    const size_t     item_bytes = TRACE_TABLES[id].item_bytes;
    const uint64_t   greatest = greatest_value(take, member);
    TraceArray       array;
    if (!get(take, &array, member->name, member_array_type(member), ARRAY_READ)) return false;
    if (array.count != rows->count)
        return err_set(take->err, ERR_CORRUPT, "%s: %llu items, expected %llu", member->name,
                       (unsigned long long)array.count, (unsigned long long)rows->count);
    for (uint64_t i = 0; i < array.count; i++) {
        const uint64_t value = value_at(&array, i);
        if (value > greatest || (value == greatest && is_below(member->limit)) ||
            !set_member(take, member, value, (uint8_t *)rows->items + i * item_bytes))
            return err_set(take->err, ERR_CORRUPT, "%s: item %llu is out of range", member->name,
                           (unsigned long long)i);
    }
    return true;
}

static bool take_tables(Take *take)
{
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        const TraceTable *table = &TRACE_TABLES[t];
        TableRows        *rows = &take->tables[t];
        Arena            *arena = table->place.is_set ? &take->trace->arena : &take->arena;
        uint8_t          *items = arena_push(arena, (size_t)rows->count + 1, table->item_bytes);
        if (items == NULL) return no_memory(take);
        rows->items = t == TABLE_TRACE ? (void *)take->trace
                                       : items + (table->place.begins_at_one ? table->item_bytes : 0);
        for (size_t m = 0; m < table->member_count; m++)
            if (!take_member(take, (TableId)t, &table->members[m])) return false;
    }
    return true;
}

/* ---- the tables become parts of the trace ---- */

static uint32_t table_count(const Take *take, TableId id)
{
    return (uint32_t)take->tables[id].count;
}

static void set_tables(Take *take)
{
    TracePerspectives *perspectives = &take->trace->perspectives;
    for (size_t t = 0; t < TABLE_COUNT; t++)
        if (TRACE_TABLES[t].place.is_set) table_set(take->trace, &TRACE_TABLES[t], take->tables[t]);
    perspectives->count = table_count(take, TABLE_PERSPECTIVE);
    memcpy(perspectives->names, take->tables[TABLE_PERSPECTIVE].items,
           perspectives->count * sizeof perspectives->names[0]);
}

static bool set_tracks(Take *take)
{
    Trace          *trace = take->trace;
    const uint32_t  count = table_count(take, TABLE_TRACK);
    const TrackRow *rows = (const TrackRow *)take->tables[TABLE_TRACK].items;
    trace->track_count = count;
    trace->tracks = ARENA_ARRAY(&trace->arena, Track, (size_t)count + 2);
    if (trace->tracks == NULL) return no_memory(take);
    for (uint32_t t = 1; t <= count; t++) {
        const TrackRow *row = &rows[t - 1];
        trace->tracks[t] = (Track){ .tid_bits = row->tid_bits,
                                    .process = { row->process },
                                    .name = { row->name },
                                    .first_row = row->first_row,
                                    .kind = (TrackKind)row->kind,
                                    .tid_kind = (IdentKind)row->tid_kind,
                                    .is_derived = row->is_derived,
                                    .divides = row->divides,
                                    .has_events = row->has_events };
    }
    trace->tracks[count + 1].first_row = table_count(take, TABLE_ROW);
    return true;
}

static bool set_track_extras(Take *take)
{
    Trace               *trace = take->trace;
    const TrackExtraRow *extras = (const TrackExtraRow *)take->tables[TABLE_TRACK_EXTRA].items;
    const TrackStackRow *stacks = (const TrackStackRow *)take->tables[TABLE_TRACK_STACK].items;
    for (uint64_t i = 0; i < take->tables[TABLE_TRACK_EXTRA].count; i++) {
        TrackExtras *of = track_add_extras(&trace->tracks[extras[i].track], &trace->arena);
        if (of == NULL) return no_memory(take);
        *of = extras[i].extras;
    }
    for (uint64_t i = 0; i < take->tables[TABLE_TRACK_STACK].count; i++) {
        TrackExtras *of = track_add_extras(&trace->tracks[stacks[i].track], &trace->arena);
        if (of != NULL && of->stacks == NULL)
            of->stacks = ARENA_ARRAY(&trace->arena, StackRange, STACK_KINDS);
        if (of == NULL || of->stacks == NULL) return no_memory(take);
        of->stacks[stacks[i].kind] = stacks[i].range;
    }
    return true;
}

static bool set_rows(Take *take)
{
    Trace             *trace = take->trace;
    const uint32_t     count = table_count(take, TABLE_ROW);
    const RowRow      *rows = (const RowRow *)take->tables[TABLE_ROW].items;
    const RowExtraRow *extras = (const RowExtraRow *)take->tables[TABLE_ROW_EXTRA].items;
    trace->row_count = count;
    trace->rows = ARENA_ARRAY(&trace->arena, Row, (size_t)count + 1);
    if (trace->rows == NULL) return no_memory(take);
    for (uint32_t r = 0; r < count; r++)
        trace->rows[r] = (Row){ .first_slice = rows[r].first_slice,
                                .slice_count = rows[r].slice_count,
                                .track = rows[r].track,
                                .lane = rows[r].lane,
                                .depth = rows[r].depth };
    uint32_t with_instants = 0;
    for (uint64_t i = 0; i < take->tables[TABLE_ROW_EXTRA].count; i++) {
        RowExtras *of = row_add_extras(&trace->rows[extras[i].row], &trace->arena);
        if (of == NULL) return no_memory(take);
        *of = extras[i].extras;
    }
    for (uint32_t r = 0; r < count; r++)
        with_instants += row_extras(&trace->rows[r])->instant_count > 0;
    trace->index.instant_rows = ARENA_ARRAY(&trace->arena, uint32_t, (size_t)with_instants + 1);
    if (trace->index.instant_rows == NULL) return no_memory(take);
    for (uint32_t r = 0; r < count; r++)
        if (row_extras(&trace->rows[r])->instant_count > 0)
            trace->index.instant_rows[trace->index.instant_row_count++] = r;
    return true;
}

static bool set_records(Take *take)
{
    Trace             *trace = take->trace;
    const WarningRow  *warnings = (const WarningRow *)take->tables[TABLE_WARNING].items;
    const PropertyRow *properties = (const PropertyRow *)take->tables[TABLE_PROPERTY].items;
    TraceRecords      *records = &trace->records;
    records->warning_count = table_count(take, TABLE_WARNING);
    records->property_count = table_count(take, TABLE_PROPERTY);
    records->warnings = ARENA_ARRAY(&trace->arena, Warning, (size_t)records->warning_count + 1);
    records->properties = ARENA_ARRAY(&trace->arena, Property, (size_t)records->property_count + 1);
    if (records->warnings == NULL || records->properties == NULL) return no_memory(take);
    for (uint32_t i = 0; i < records->warning_count; i++) {
        const WarningRow *row = &warnings[i];
        Warning          *warning = &records->warnings[i];
        *warning = (Warning){ .kind = row->kind, .count = row->count };
        const size_t size = strlen(row->message);
        if (size >= sizeof warning->first.message)
            return err_set(take->err, ERR_CORRUPT, "warning.message: item %u is too long", i);
        memcpy(warning->first.message, row->message, size + 1);
        warning->first.offset = row->offset;
        warning->first.event = row->event;
    }
    for (uint32_t i = 0; i < records->property_count; i++) {
        const size_t size = strlen(properties[i].json);
        records->properties[i] = (Property){ properties[i].key, properties[i].json, size };
        if (!json_valid(properties[i].json, size))
            return err_set(take->err, ERR_CORRUPT, "property.json: item %u is not JSON", i);
    }
    return true;
}

/* ---- columns ---- */

static void free_array(const Take *take, const TraceArray *array)
{
    mapping_unmap(&take->trace->mapping, (void *)(uintptr_t)array->items,
                  (size_t)array->count * array_item_bytes(array->type));
}

static bool is_optional(const Column *column)
{
    return column->presence != COLUMN_ALWAYS;
}

/* Sets the columns, and the facts that follow from the presence of one. */
static bool take_columns(Take *take)
{
    Trace *trace = take->trace;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const Column *column = &TRACE_COLUMNS[i];
        TraceArray    array;
        if (column->presence == COLUMN_WITH_PLAIN_BEGINS) continue; /* not in files */
        if (!get(take, &array, column->name, column->type, ARRAY_KEPT)) return false;
        if (array.count == 0 && is_optional(column)) continue;
        if (!column_set(trace, column, (void *)(uintptr_t)array.items, array.count)) {
            free_array(take, &array);
            return err_set(take->err, ERR_CORRUPT, "%s: the number of items contradicts another column",
                           column->name);
        }
        if (column->presence == COLUMN_WITH_FAR_SOURCES) trace->slices.has_far_sources = true;
        if (column->presence == COLUMN_WITH_HIGH_LABELS) trace->slices.has_high_labels = true;
        if (column->presence == COLUMN_WITH_CPU) trace->slices.has_cpu = true;
        if (column->presence == COLUMN_WITH_WEIGHTS) trace->profile.has_weights = true;
    }
    if (trace->slices.source != NULL && trace->slices.far_source != NULL)
        return err_set(take->err, ERR_CORRUPT, "slice.source and slice.far_source: expected one of them");
    if (!begins_check(trace, take->err)) return false;
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        const Column *column = &TRACE_COLUMNS[i];
        if (column_items(trace, column) == NULL && column_item_count(trace, column) > 0)
            return err_set(take->err, ERR_CORRUPT, "%s: missing", column->name);
    }
    return trace->flows.count < UINT32_MAX || err_set(take->err, ERR_CORRUPT, "flow.from: too many");
}

/* Returns the nodes of a file, or builds them if the file has none. */
static bool take_index(Take *take)
{
    Trace     *trace = take->trace;
    TraceArray nodes, flags, ranges;
    if (!get(take, &nodes, "lod.node", ARRAY_NODE, ARRAY_KEPT)) return false;
    if (!get(take, &flags, "lod.flags", ARRAY_U8, ARRAY_KEPT)) {
        free_array(take, &nodes);
        return false;
    }
    if (nodes.count != flags.count) {
        free_array(take, &nodes);
        free_array(take, &flags);
        return err_set(take->err, ERR_CORRUPT, "lod.flags: %llu items, expected %llu",
                       (unsigned long long)flags.count, (unsigned long long)nodes.count);
    }
    const LodArrays lod = { (void *)(uintptr_t)nodes.items, (uint8_t *)(uintptr_t)flags.items, nodes.count };
    if (!lod_adopt(trace, lod, take->err)) return false;
    if (!get(take, &ranges, "counter.range", ARRAY_PAIR_F64, ARRAY_KEPT)) return false;
    return sample_index_adopt(trace, (void *)(uintptr_t)ranges.items, ranges.count, take->err);
}

static bool take_all(Take *take)
{
    return take_strings(take) && take_texts(take) && take_columns(take) && count_tables(take) &&
           take_tables(take) && set_tracks(take) && set_rows(take) && (set_tables(take), true) &&
           set_track_extras(take) && set_records(take) && trace_check_rows(take->trace, take->err) &&
           take_index(take);
}

Trace *arrays_take(const ArraySource *source, Err *err)
{
    Take   take = { .source = source, .arena = arena_create(0), .err = err };
    Arena  arena = arena_create(0);
    Trace *trace = ARENA_NEW(&arena, Trace);
    take.trace = trace;
    bool done = trace != NULL || no_memory(&take);
    if (done) {
        trace->mapping = source->mapping;
        trace->arena = arena;
        done = take_all(&take);
    } else {
        arena_release(&arena);
    }
    arena_release(&take.arena);
    if (done) return trace;
    if (trace != NULL) trace->mapping.release = NULL;
    trace_release(trace);
    return NULL;
}
