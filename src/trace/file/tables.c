#include "trace/file/tables.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* The members of a struct, with their type and their limit. */
#define MEMBER(array, type, limit, most, order, of, member)                                                  \
    { array, MEMBER_##type, LIMIT_##limit, ARRAY_##order, offsetof(of, member), most }
#define PLAIN(array, type, of, member) MEMBER(array, type, NONE, 0, UNORDERED, of, member)
#define GROWS(array, type, of, member) MEMBER(array, type, NONE, 0, ASCENDING, of, member)
#define FLAG(array, of, member) MEMBER(array, BOOL, MOST, 1, UNORDERED, of, member)
#define UP_TO(array, type, most, of, member) MEMBER(array, type, MOST, most, UNORDERED, of, member)
#define STRING(array, of, member) MEMBER(array, U32, STRING, 0, UNORDERED, of, member.index)
#define TEXT(array, of, member) MEMBER(array, TEXT, NONE, 0, UNORDERED, of, member)
#define ID(array, table, of, member) MEMBER(array, U32, TABLE, TABLE_##table, ASCENDING, of, member)
#define INDEX(array, table, of, member) MEMBER(array, U32, TABLE_BELOW, TABLE_##table, ASCENDING, of, member)

/* clang-format off */
static const TableMember TRACE_MEMBERS[] = {
    TEXT("trace.format", Trace, source.format_name),
    TEXT("trace.format_version", Trace, source.format_version),
    TEXT("trace.process_word", Trace, source.process_word),
    TEXT("trace.thread_word", Trace, source.thread_word),
    FLAG("trace.complete", Trace, source.complete),
    FLAG("trace.has_time", Trace, has_time),
    PLAIN("trace.begin_tick", I64, Trace, begin_tick),
    PLAIN("trace.end_tick", I64, Trace, end_tick),
    PLAIN("trace.idle_label", U32, Trace, idle_label),
    PLAIN("trace.perspectives_made", U8, Trace, perspectives.made),
    PLAIN("trace.perspectives_counted", U8, Trace, perspectives.counted),
    UP_TO("clock.kind", U32, CLOCK_EVENTS, Trace, clock.kind),
    PLAIN("clock.ns_num", U64, Trace, clock.ns_num),
    PLAIN("clock.ns_den", U64, Trace, clock.ns_den),
    PLAIN("clock.origin_ns", I64, Trace, clock.origin_ns),
    FLAG("clock.is_unsigned", Trace, clock.is_unsigned),
    FLAG("clock.has_epoch", Trace, clock.has_epoch),
    PLAIN("clock.epoch_unix_ns", I64, Trace, clock.epoch_unix_ns),
    FLAG("clock.shows_ns", Trace, clock.shows_ns),
    PLAIN("count.async_slices", U64, Trace, counts.async_slices),
    PLAIN("count.sample_slices", U64, Trace, counts.sample_slices),
    PLAIN("count.states", U64, Trace, counts.states),
    PLAIN("count.async_instants", U64, Trace, counts.async_instants),
    PLAIN("count.derived_instants", U64, Trace, counts.derived_instants),
    PLAIN("count.unfinished", U64, Trace, counts.unfinished),
    PLAIN("count.counters", U32, Trace, counts.counters),
    PLAIN("count.sample_tracks", U32, Trace, counts.sample_tracks),
    PLAIN("count.threads", U32, Trace, counts.threads),
    PLAIN("count.active_processes", U32, Trace, counts.active_processes),
    PLAIN("count.max_depth", U32, Trace, counts.max_depth),
};

static const TableMember PERSPECTIVE_MEMBERS[] = {
    { "perspective.name", MEMBER_TEXT, LIMIT_NONE, ARRAY_UNORDERED, 0, 0 },
};

static const TableMember LABEL_MEMBERS[] = {
    STRING("label.name", Label, name),
    STRING("label.category", Label, category),
    PLAIN("label.colour", U32, Label, colour),
    FLAG("label.is_repeat", Label, is_repeat),
};

static const TableMember PROCESS_MEMBERS[] = {
    UP_TO("process.pid_kind", U32, IDENT_TEXT, Process, pid.kind),
    PLAIN("process.pid", U64, Process, pid.bits),
    STRING("process.name", Process, name),
    STRING("process.labels", Process, labels),
    STRING("process.thread_noun", Process, thread_noun),
    PLAIN("process.sort_index", F64, Process, sort_index),
    PLAIN("process.sharing_threads", U32, Process, sharing_threads),
    GROWS("process.first_track", U32, Process, first_track),
    PLAIN("process.track_count", U32, Process, track_count),
    PLAIN("process.perspectives", U8, Process, perspectives),
    FLAG("process.has_events", Process, has_events),
};

static const TableMember TRACK_MEMBERS[] = {
    ID("track.process", PROCESS, TrackRow, process),
    MEMBER("track.name", U32, STRING, 0, ASCENDING, TrackRow, name),
    UP_TO("track.kind", U32, TRACK_DUMPS, TrackRow, kind),
    UP_TO("track.tid_kind", U32, IDENT_TEXT, TrackRow, tid_kind),
    GROWS("track.tid", U64, TrackRow, tid_bits),
    GROWS("track.first_row", U32, TrackRow, first_row),
    FLAG("track.is_derived", TrackRow, is_derived),
    FLAG("track.divides", TrackRow, divides),
    FLAG("track.has_events", TrackRow, has_events),
};

static const TableMember TRACK_EXTRA_MEMBERS[] = {
    ID("track_extra.track", TRACK, TrackExtraRow, track),
    PLAIN("track_extra.sort_index", F64, TrackExtraRow, extras.sort_index),
    STRING("track_extra.category", TrackExtraRow, extras.category),
    ID("track_extra.thread", TRACK, TrackExtraRow, extras.thread),
    GROWS("track_extra.first_async", U64, TrackExtraRow, extras.first_async),
    GROWS("track_extra.first_life", U64, TrackExtraRow, extras.first_life),
    GROWS("track_extra.first_snapshot", U64, TrackExtraRow, extras.first_snapshot),
    GROWS("track_extra.first_profile", U64, TrackExtraRow, extras.first_profile),
    PLAIN("track_extra.profile_count", U64, TrackExtraRow, extras.profile_count),
    GROWS("track_extra.first_sample", U64, TrackExtraRow, extras.first_sample),
    PLAIN("track_extra.sample_count", U64, TrackExtraRow, extras.sample_count),
    PLAIN("track_extra.least", F64, TrackExtraRow, extras.least),
    PLAIN("track_extra.greatest", F64, TrackExtraRow, extras.greatest),
    PLAIN("track_extra.held_to", I64, TrackExtraRow, extras.held_to),
    FLAG("track_extra.is_stacked", TrackExtraRow, extras.is_stacked),
    FLAG("track_extra.counts_bytes", TrackExtraRow, extras.counts_bytes),
    FLAG("track_extra.shares_chart", TrackExtraRow, extras.shares_chart),
    GROWS("track_extra.first_context", U32, TrackExtraRow, extras.first_context),
    PLAIN("track_extra.context_count", U32, TrackExtraRow, extras.context_count),
};

static const TableMember TRACK_STACK_MEMBERS[] = {
    ID("track_stack.track", TRACK, TrackStackRow, track),
    UP_TO("track_stack.kind", U32, STACK_KINDS - 1, TrackStackRow, kind),
    GROWS("track_stack.first_word", U64, TrackStackRow, range.first_word),
    GROWS("track_stack.first", U64, TrackStackRow, range.first),
    PLAIN("track_stack.count", U64, TrackStackRow, range.count),
};

static const TableMember ROW_MEMBERS[] = {
    ID("row.track", TRACK, RowRow, track),
    PLAIN("row.lane", U32, RowRow, lane),
    PLAIN("row.depth", U32, RowRow, depth),
    GROWS("row.first_slice", U64, RowRow, first_slice),
    PLAIN("row.slice_count", U32, RowRow, slice_count),
};

static const TableMember ROW_EXTRA_MEMBERS[] = {
    INDEX("row_extra.row", ROW, RowExtraRow, row),
    GROWS("row_extra.first_instant", U64, RowExtraRow, extras.first_instant),
    PLAIN("row_extra.instant_count", U32, RowExtraRow, extras.instant_count),
    GROWS("row_extra.first_sample", U64, RowExtraRow, extras.first_sample),
    PLAIN("row_extra.sample_count", U32, RowExtraRow, extras.sample_count),
    ID("row_extra.series", SERIES, RowExtraRow, extras.series),
};

static const TableMember SERIES_MEMBERS[] = {
    STRING("series.name", RowSeries, name),
    PLAIN("series.colour", U32, RowSeries, colour),
};

static const TableMember FRAME_MEMBERS[] = {
    STRING("frame.function", StackFrame, function),
    STRING("frame.file", StackFrame, file),
    STRING("frame.module", StackFrame, module),
    PLAIN("frame.line", U32, StackFrame, line),
    PLAIN("frame.column", U32, StackFrame, column),
    PLAIN("frame.flags", U32, StackFrame, flags),
    PLAIN("frame.address", U64, StackFrame, address),
};

static const TableMember STACK_MEMBERS[] = {
    ID("stack.parent", STACK, Stack, parent),
    ID("stack.frame", FRAME, Stack, frame),
};

static const TableMember OBJECT_MEMBERS[] = {
    ID("object.process", PROCESS, Object, process),
    STRING("object.scope", Object, scope),
    STRING("object.id", Object, id),
    GROWS("object.first_life", U32, Object, first_life),
    PLAIN("object.life_count", U32, Object, life_count),
};

static const TableMember LIFE_MEMBERS[] = {
    INDEX("life.object", OBJECT, ObjectLife, object),
    STRING("life.base_type", ObjectLife, base_type),
    MEMBER("life.slice", U64, SLICE_BELOW, 0, ASCENDING, ObjectLife, slice),
    GROWS("life.first_snapshot", U64, ObjectLife, first_snapshot),
    PLAIN("life.snapshot_count", U32, ObjectLife, snapshot_count),
    FLAG("life.is_created", ObjectLife, is_created),
};

static const TableMember SNAPSHOT_MEMBERS[] = {
    { "snapshot.instant", MEMBER_U64, LIMIT_INSTANT_BELOW, ARRAY_ASCENDING, 0, 0 },
};
static const TableMember LIFE_OF_SLICE_MEMBERS[] = {
    { "life_of_slice.life", MEMBER_U32, LIMIT_TABLE_BELOW, ARRAY_UNORDERED, 0, TABLE_LIFE },
};
static const TableMember LIFE_OF_SNAPSHOT_MEMBERS[] = {
    { "life_of_snapshot.life", MEMBER_U32, LIMIT_TABLE_BELOW, ARRAY_UNORDERED, 0, TABLE_LIFE },
};

static const TableMember CONTEXT_MEMBERS[] = {
    ID("context.thread", TRACK, Context, thread),
    ID("context.label", LABEL, Context, label),
    STRING("context.scope", Context, scope),
    STRING("context.id", Context, id),
    GROWS("context.begin_tick", I64, Context, begin_tick),
    GROWS("context.end_tick", I64, Context, end_tick),
};

static const TableMember DUMP_MEMBERS[] = {
    GROWS("dump.offset", U64, DumpPart, offset),
    STRING("dump.id", DumpPart, id),
};

static const TableMember CLOCK_SYNC_MEMBERS[] = {
    GROWS("clock_sync.tick", I64, ClockSync, tick),
    STRING("clock_sync.id", ClockSync, id),
    STRING("clock_sync.issue_time", ClockSync, issue_time),
};

static const TableMember OTHER_MEMBERS[] = {
    GROWS("other.tick", I64, OtherEvent, tick),
    GROWS("other.offset", U64, OtherEvent, offset),
    ID("other.thread", TRACK, OtherEvent, thread),
    ID("other.label", LABEL, OtherEvent, label),
    MEMBER("other.kind", U16, TABLE_BELOW, TABLE_EVENT_KIND, UNORDERED, OtherEvent, kind),
    FLAG("other.has_tick", OtherEvent, has_tick),
    FLAG("other.is_metadata", OtherEvent, is_metadata),
    FLAG("other.is_part", OtherEvent, is_part),
};

static const TableMember EVENT_KIND_MEMBERS[] = {
    STRING("event_kind.name", EventKindCount, name),
    PLAIN("event_kind.count", U64, EventKindCount, count),
};

static const TableMember WARNING_MEMBERS[] = {
    TEXT("warning.kind", WarningRow, kind),
    PLAIN("warning.count", U64, WarningRow, count),
    PLAIN("warning.offset", U64, WarningRow, offset),
    PLAIN("warning.event", U64, WarningRow, event),
    TEXT("warning.message", WarningRow, message),
};

static const TableMember PROPERTY_MEMBERS[] = {
    STRING("property.key", PropertyRow, key),
    TEXT("property.json", PropertyRow, json),
};

static const TableMember LONG_OFFSET_MEMBERS[] = {
    GROWS("flow_long.end", U64, SparseValue, slice),
    PLAIN("flow_long.offset", U64, SparseValue, value),
};

#define MADE(members, item) { members, sizeof(members) / sizeof(members)[0], sizeof(item), { .is_set = false } }
#define PLACED(members, item, from_one, items, count)                                                        \
    { members, sizeof(members) / sizeof(members)[0], sizeof(item),                                           \
      { true, from_one, offsetof(Trace, items), offsetof(Trace, count), sizeof(((Trace *)0)->count) } }
/* Rows from index 0 on, and rows with ids from 1 on. */
#define ROWS(members, item, items, count) PLACED(members, item, false, items, count)
#define IDS(members, item, items, count) PLACED(members, item, true, items, count)

const TraceTable TRACE_TABLES[TABLE_COUNT] = {
    [TABLE_TRACE] = MADE(TRACE_MEMBERS, Trace),
    [TABLE_PERSPECTIVE] = MADE(PERSPECTIVE_MEMBERS, const char *),
    [TABLE_LABEL] = IDS(LABEL_MEMBERS, Label, labels, label_count),
    [TABLE_PROCESS] = IDS(PROCESS_MEMBERS, Process, processes, process_count),
    [TABLE_TRACK] = MADE(TRACK_MEMBERS, TrackRow),
    [TABLE_TRACK_EXTRA] = MADE(TRACK_EXTRA_MEMBERS, TrackExtraRow),
    [TABLE_TRACK_STACK] = MADE(TRACK_STACK_MEMBERS, TrackStackRow),
    [TABLE_ROW] = MADE(ROW_MEMBERS, RowRow),
    [TABLE_ROW_EXTRA] = MADE(ROW_EXTRA_MEMBERS, RowExtraRow),
    [TABLE_SERIES] = { SERIES_MEMBERS, sizeof SERIES_MEMBERS / sizeof SERIES_MEMBERS[0], sizeof(RowSeries),
                       { .is_set = true, .begins_at_one = true, .items = offsetof(Trace, series) } },
    [TABLE_FRAME] = IDS(FRAME_MEMBERS, StackFrame, stacks.frames, stacks.frame_count),
    [TABLE_STACK] = IDS(STACK_MEMBERS, Stack, stacks.stacks, stacks.stack_count),
    [TABLE_OBJECT] = ROWS(OBJECT_MEMBERS, Object, objects.objects, objects.object_count),
    [TABLE_LIFE] = ROWS(LIFE_MEMBERS, ObjectLife, objects.lives, objects.life_count),
    [TABLE_SNAPSHOT] = ROWS(SNAPSHOT_MEMBERS, uint64_t, objects.snapshots, objects.snapshot_count),
    [TABLE_LIFE_OF_SLICE] = ROWS(LIFE_OF_SLICE_MEMBERS, uint32_t, objects.life_of_slice, objects.life_count),
    [TABLE_LIFE_OF_SNAPSHOT] =
        ROWS(LIFE_OF_SNAPSHOT_MEMBERS, uint32_t, objects.life_of_snapshot, objects.snapshot_count),
    [TABLE_CONTEXT] = ROWS(CONTEXT_MEMBERS, Context, records.contexts, records.context_count),
    [TABLE_DUMP] = ROWS(DUMP_MEMBERS, DumpPart, records.dump_parts, records.dump_count),
    [TABLE_CLOCK_SYNC] = ROWS(CLOCK_SYNC_MEMBERS, ClockSync, records.clock_syncs, records.clock_sync_count),
    [TABLE_OTHER] = ROWS(OTHER_MEMBERS, OtherEvent, records.others, records.other_count),
    [TABLE_EVENT_KIND] =
        ROWS(EVENT_KIND_MEMBERS, EventKindCount, records.event_kinds, records.event_kind_count),
    [TABLE_WARNING] = MADE(WARNING_MEMBERS, WarningRow),
    [TABLE_PROPERTY] = MADE(PROPERTY_MEMBERS, PropertyRow),
    [TABLE_LONG_OFFSET] = ROWS(LONG_OFFSET_MEMBERS, SparseValue, flows.long_offsets, flows.long_count),
};
/* clang-format on */

ArrayType member_array_type(const TableMember *member)
{
    static const ArrayType TYPES[] = {
        [MEMBER_BOOL] = ARRAY_U8, [MEMBER_U8] = ARRAY_U8,   [MEMBER_U16] = ARRAY_U32,
        [MEMBER_U32] = ARRAY_U32, [MEMBER_U64] = ARRAY_U64, [MEMBER_I64] = ARRAY_I64,
        [MEMBER_F64] = ARRAY_F64, [MEMBER_TEXT] = ARRAY_U32
    };
    return TYPES[member->type];
}

/* Returns the bytes of an item before the rows. */
static size_t bytes_before(const TraceTable *table)
{
    return table->place.begins_at_one ? table->item_bytes : 0;
}

TableRows table_rows_of(const Trace *trace, const TraceTable *table)
{
    const TablePlace *place = &table->place;
    const uint8_t    *bytes = (const uint8_t *)trace;
    TableRows         rows = { NULL, 0 };
    assert(place->is_set);
    memcpy(&rows.items, bytes + place->items, sizeof rows.items);
    memcpy(&rows.count, bytes + place->count, place->count_bytes); /* the host is little-endian */
    rows.items = rows.count == 0 ? NULL : (uint8_t *)rows.items + bytes_before(table);
    return rows;
}

void table_set(Trace *trace, const TraceTable *table, TableRows rows)
{
    const TablePlace *place = &table->place;
    uint8_t          *bytes = (uint8_t *)trace;
    void             *items = (uint8_t *)rows.items - bytes_before(table);
    assert(place->is_set && (place->count_bytes == sizeof rows.count || rows.count <= UINT32_MAX));
    memcpy(bytes + place->items, &items, sizeof items);
    memcpy(bytes + place->count, &rows.count, place->count_bytes);
}

static_assert(sizeof(IdentKind) == 4 && sizeof(ClockKind) == 4, "their members are read as u32");
