/* format/spall/records.h - converts fields of records for the builder. Shared by records.c (all records) and blocks.c
 * (Begin and End, nearly all records of a file). For format/spall only. */
#ifndef FORMAT_SPALL_RECORDS_H
#define FORMAT_SPALL_RECORDS_H
#include "format/spall/reader.h"

/* Makes a thread the current one. */
void spall_enter_thread(SpallReader *reader, uint64_t pid, uint64_t tid);
/* Returns the label of a name with these bytes; creates a new label. */
LabelId spall_find_label(SpallReader *reader, const uint8_t *name, size_t size, EventPos pos);

static inline void spall_select_thread(SpallReader *reader, uint64_t pid, uint64_t tid)
{
    if (UNLIKELY(pid != reader->pid || tid != reader->tid || reader->track.index == 0)) {
        spall_enter_thread(reader, pid, tid);
    }
}

/* Makes the record's thread current; in layouts with buffers the buffer's thread stays current. */
static inline void select_thread(SpallReader *reader, const RecordShape *shape, const uint8_t *head)
{
    if (shape->pid == 0) return;
    bool wide = reader->layout->id_size == 8;
    spall_select_thread(reader, wide ? bits_load_u64(head + shape->pid) : bits_load_u32(head + shape->pid),
                        wide ? bits_load_u64(head + shape->tid) : bits_load_u32(head + shape->tid));
}

typedef struct EventTime {
    int64_t  tick;
    unsigned flags; /* of the event */
} EventTime;

/* Returns the time of a record. An invalid time becomes the latest time of the thread. */
static inline EventTime event_time(SpallReader *reader, const uint8_t *field, EventPos pos)
{
    EventTime time = { 0, 0 };
    if (UNLIKELY(!spall_time_any(&reader->time, field, &time.tick, pos))) {
        time.tick = *reader->last_tick == INT64_MIN ? 0 : *reader->last_tick;
        time.flags = EVENT_REPAIRED | EVENT_DETAILS;
    }
    return time;
}

/* Flags a time that is before the latest time of the thread. The builder corrects it; the details show it as written.
 * */
static inline EventTime time_in_order(SpallReader *reader, EventTime time)
{
    if (UNLIKELY(time.tick < *reader->last_tick)) {
        time.flags |= EVENT_DETAILS;
    } else {
        *reader->last_tick = time.tick;
    }
    return time;
}

static inline EventTime ordered_time(SpallReader *reader, const uint8_t *field, EventPos pos)
{
    return time_in_order(reader, event_time(reader, field, pos));
}

/* True if a Begin has details. */
static inline bool begin_has_details(const RecordShape *shape, const uint8_t *head)
{
    return head[shape->name_length] == LAYOUT_MAX_TEXT ||
           (shape->args_length != 0 && head[shape->args_length] != 0) ||
           (shape->category != 0 && head[shape->category] != 0);
}

/* Prepares spall_read_blocks for the layout. */
void spall_prepare_blocks(SpallReader *reader);
/* Passes the Begins and Ends at the start of `bytes`, which other threads decoded ahead, to the builder while they end before `limit`.
 * Returns the number of bytes used. */
size_t spall_take_ahead(SpallReader *reader, const uint8_t *bytes, size_t limit, uint64_t offset);
/* Reads Begins and Ends from the start of `bytes`, which are at `offset`, while they end before `limit` (<= size).
 * Returns the number of bytes used. */
size_t spall_read_blocks(SpallReader *reader, const uint8_t *bytes, size_t size, size_t limit,
                         uint64_t offset);

#endif
