/* trace/file/tables.h - the tables of a trace in a file, as data: their members with type and limit. For src/trace/file
 * only. */
#ifndef TRACE_FILE_TABLES_H
#define TRACE_FILE_TABLES_H
#include "trace/file/arrays.h"

typedef enum {
    TABLE_TRACE,
    TABLE_PERSPECTIVE,
    TABLE_LABEL,
    TABLE_PROCESS,
    TABLE_TRACK,
    TABLE_TRACK_EXTRA,
    TABLE_TRACK_STACK,
    TABLE_ROW,
    TABLE_ROW_EXTRA,
    TABLE_SERIES,
    TABLE_FRAME,
    TABLE_STACK,
    TABLE_OBJECT,
    TABLE_LIFE,
    TABLE_SNAPSHOT,
    TABLE_LIFE_OF_SLICE,
    TABLE_LIFE_OF_SNAPSHOT,
    TABLE_CONTEXT,
    TABLE_DUMP,
    TABLE_CLOCK_SYNC,
    TABLE_OTHER,
    TABLE_EVENT_KIND,
    TABLE_WARNING,
    TABLE_PROPERTY,
    TABLE_LONG_OFFSET,
    TABLE_COUNT
} TableId;

/* Rows of a table in memory: structs of TraceTable.item_bytes. */
typedef struct TableRows {
    void    *items;
    uint64_t count;
} TableRows;

/* The type of a member in memory. */
typedef enum {
    MEMBER_BOOL,
    MEMBER_U8,
    MEMBER_U16,
    MEMBER_U32,
    MEMBER_U64,
    MEMBER_I64,
    MEMBER_F64,
    MEMBER_TEXT /* a const char *: in the file its place in the texts */
} MemberType;

/* The limit on a member's value. BELOW: an index from 0; otherwise an id, from 0 = none to the count. */
typedef enum {
    LIMIT_NONE,
    LIMIT_MOST, /* TableMember.most */
    LIMIT_STRING,
    LIMIT_SLICE_BELOW,
    LIMIT_INSTANT_BELOW,
    LIMIT_TABLE,      /* an id of the table TableMember.most */
    LIMIT_TABLE_BELOW /* an index into it */
} MemberLimit;

typedef struct TableMember {
    const char *name; /* of the array: "track.process" */
    MemberType  type;
    MemberLimit limit;
    ArrayOrder  order;
    size_t      offset; /* in the struct */
    uint64_t    most;
} TableMember;

/* Where a Trace has the rows of a table. */
typedef struct TablePlace {
    bool   is_set;        /* false: the rows differ from the structs of the trace */
    bool   begins_at_one; /* the first item is unused, and not in the file */
    size_t items, count;  /* offsets of the pointer to the items, and of the number of rows */
    size_t count_bytes;   /* 4 or 8; 0: the trace does not have the number */
} TablePlace;

typedef struct TraceTable {
    const TableMember *members;
    size_t             member_count;
    size_t             item_bytes;
    TablePlace         place;
} TraceTable;

extern const TraceTable TRACE_TABLES[TABLE_COUNT];

/* Returns the type of a member's array. */
ArrayType member_array_type(const TableMember *member);

/* Returns the rows of a table that has a place in the trace. */
TableRows table_rows_of(const Trace *trace, const TraceTable *table);
/* Makes the rows those of the trace. If the table begins at one, there is an unused item before them. */
void table_set(Trace *trace, const TraceTable *table, TableRows rows);

/* Rows of tables that differ from the structs of the trace. */
typedef struct TrackRow {
    uint32_t process, name, kind, tid_kind, first_row;
    uint64_t tid_bits;
    bool     is_derived, divides, has_events;
} TrackRow;

typedef struct TrackExtraRow {
    uint32_t    track;
    TrackExtras extras;
} TrackExtraRow;

typedef struct TrackStackRow {
    uint32_t   track, kind; /* StackKind */
    StackRange range;
} TrackStackRow;

typedef struct RowRow {
    uint64_t first_slice;
    uint32_t slice_count, track, lane, depth;
} RowRow;

typedef struct RowExtraRow {
    uint32_t  row;
    RowExtras extras;
} RowExtraRow;

typedef struct WarningRow {
    const char *kind, *message;
    uint64_t    count, offset, event;
} WarningRow;

typedef struct PropertyRow {
    StringId    key;
    const char *json;
} PropertyRow;

#endif
