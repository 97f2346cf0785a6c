/* trace/store/columns.h - the table of a loaded trace's columns. For src/trace only.
 *
 * A column is an array of the Trace with pages of its own. All code that maps, counts, checks or releases every column
 * loops over this table. A growing trace has its own table (live_row.c). */
#ifndef TRACE_STORE_COLUMNS_H
#define TRACE_STORE_COLUMNS_H
#include "trace/store/trace.h"

/* The columns of a group are mapped together, when their numbers of items are known. */
typedef enum {
    COLUMNS_EVENTS = 1 << 0,
    COLUMNS_SPARSE = 1 << 1, /* values of few slices, which are known when all slices are */
    COLUMNS_STACKS = 1 << 2,
    COLUMNS_FLOWS = 1 << 3,
    COLUMNS_PACKED = 1 << 4, /* made of other columns: begins_pack */
    COLUMNS_ALL = (1 << 5) - 1
} ColumnGroup;

/* The type of an item, with the numbers of .varve files. */
typedef enum {
    ARRAY_U8 = 1,
    ARRAY_U32,
    ARRAY_U64,
    ARRAY_I64,
    ARRAY_F64,
    ARRAY_PAIR_U64, /* SparseValue */
    ARRAY_PAIR_I64, /* FlowReach, BeginBlock */
    ARRAY_PAIR_F64,
    ARRAY_NODE, /* of the level-of-detail index: u64[4], u32[4] */
    ARRAY_U16,
    ARRAY_TYPES_END
} ArrayType;

/* Returns the size of an item in bytes. */
size_t array_item_bytes(ArrayType type);

typedef enum {
    UNIT_NONE,
    UNIT_TICK,     /* a time, between the begin and the end of the trace */
    UNIT_DISTANCE, /* ticks from the base of a block: trace/store/begins.h */
    UNIT_TICKS,    /* a duration, or UINT32_MAX: it is in another column */
    UNIT_NANOSECONDS,
    UNIT_OFFSET, /* in the input */
    UNIT_LABEL,  /* LabelId.index */
    UNIT_TRACK,  /* into Trace.tracks; 0 = none */
    UNIT_STACK,  /* StackId.index; 0 = none */
    UNIT_FLOW    /* a position among the arrows */
} ColumnUnit;

typedef enum {
    COLUMN_ALWAYS,
    COLUMN_WITH_CPU,          /* SliceColumns.has_cpu */
    COLUMN_WITH_WEIGHTS,      /* ProfileColumns.has_weights */
    COLUMN_WITH_NEAR_SOURCES, /* without SliceColumns.has_far_sources */
    COLUMN_WITH_FAR_SOURCES,  /* with it */
    COLUMN_WITH_PLAIN_BEGINS, /* without SliceColumns.begin_blocks */
    COLUMN_WITH_HIGH_LABELS   /* SliceColumns.has_high_labels */
} ColumnPresence;

typedef struct Column {
    const char    *name; /* "slice.begin_tick" */
    ColumnGroup    group;
    ArrayType      type;
    ColumnUnit     unit;
    ColumnPresence presence;
    size_t         address; /* offset in Trace of the pointer to the first item */
    size_t         count;   /* offset in Trace of the number of items, a uint64_t */
} Column;

enum { COLUMN_COUNT = 43 };
extern const Column TRACE_COLUMNS[COLUMN_COUNT];

/* Returns the first item, NULL if the column has no items or is not present. */
void *column_items(const Trace *trace, const Column *column);
/* Returns the number of items, 0 if the column is not present. */
uint64_t column_item_count(const Trace *trace, const Column *column);

/* Sets the items of a column of a file, and its number of items unless another column has set it: false if that differs,
 * and the column is not set. The items are in the trace's mapping, or pages of memory_map that the trace owns. */
bool column_set(Trace *trace, const Column *column, void *items, uint64_t count) WARN_UNUSED;
/* Maps zeroed pages for the columns of `group`, as many items as their counts say. False when out of memory:
 * columns_release accepts the rest. */
bool columns_map(Trace *trace, ColumnGroup group) WARN_UNUSED;
/* Returns the bytes of all items of the groups in `groups`, a set of ColumnGroup. */
uint64_t columns_bytes(const Trace *trace, unsigned groups);
/* Releases the pages of the columns and sets their pointers to NULL. */
void columns_release(Trace *trace, unsigned groups);
/* Checks the ranges of times and ids in all columns. False: *err names the column. */
bool columns_check(const Trace *trace, Err *err) WARN_UNUSED;

#endif
