/* format/go/tables.h - strings and stacks by the ids that a trace (v1) or one of its generations (v2) gives them.
 *
 * Nothing is copied: entries say where in the input's bytes they stand. Of two entries with one id the first wins. */
#ifndef FORMAT_GO_TABLES_H
#define FORMAT_GO_TABLES_H
#include "base/string_table.h"
#include "format/go/id_map.h"
#include "format/go/varint.h"

typedef struct GoString {
    uint64_t id;
    uint64_t at;       /* of its first byte, from GoTables.bytes */
    uint32_t size;     /* bytes */
    StringId interned; /* in GoTables.texts, once go_string_intern was asked */
} GoString;

typedef struct GoStack {
    uint64_t id;
    uint64_t at;   /* of its first frame, from GoTables.bytes */
    uint32_t size; /* bytes of its frames */
    uint32_t frame_count;
    uint32_t known; /* for who reads it: anything kept with it; 0 at first */
} GoStack;

/* From ids to places (from 1). Dense ids go through an array, others through a map. */
typedef struct GoIndex {
    uint32_t *places; /* [0, dense_end), in arena */
    uint32_t  dense_end, capacity;
    IdMap     sparse;
} GoIndex;

typedef struct GoTables {
    Arena         *arena;   /* borrowed */
    const uint8_t *bytes;   /* borrowed: what `at` counts from */
    StringTable   *texts;   /* borrowed; the same over all generations */
    GoString      *strings; /* [0, string_count), in arena; a place is index + 1 */
    uint32_t       string_count, string_capacity;
    GoStack       *stacks;
    uint32_t       stack_count, stack_capacity;
    GoIndex        string_index, stack_index;
    bool           bare_frames; /* version 1.5: a frame is a PC and nothing else */
    VarintRule     rule;
} GoTables;

typedef struct GoFrame {
    uint64_t pc, function, file, line; /* function, file: ids of strings */
} GoFrame;

/* For the next generation: empty, with the memory it had. */
void go_tables_clear(GoTables *tables);
/* Added, in the order of the input. False when out of memory. */
bool go_tables_add_string(GoTables *tables, uint64_t id, uint64_t at, uint32_t size) WARN_UNUSED;
bool go_tables_add_stack(GoTables *tables, uint64_t id, uint64_t at, uint32_t size,
                         uint32_t frame_count) WARN_UNUSED;
/* Behind the last entry: makes them findable. *duplicates: how many had an id that was taken. */
bool go_tables_index(GoTables *tables, uint32_t *duplicates) WARN_UNUSED;

static inline uint32_t go_index_find(const GoIndex *index, uint64_t id)
{
    return LIKELY(id < index->dense_end) ? index->places[id] : id_map_find(&index->sparse, id);
}
/* The place of an id, 0 = there is none (id 0: the empty string, no stack). */
static inline uint32_t go_string_find(const GoTables *tables, uint64_t id)
{
    return go_index_find(&tables->string_index, id);
}
static inline uint32_t go_stack_find(const GoTables *tables, uint64_t id)
{
    return go_index_find(&tables->stack_index, id);
}

/* The bytes of a string by its id, as they are; "" if there is none. */
StringView go_string_view(const GoTables *tables, uint64_t id);
/* The number of a string's text in `texts`, valid UTF-8: the same for equal texts of all generations.
 * STRING_NONE: there is none, or memory is out. */
StringId go_string_intern(GoTables *tables, uint64_t id);
/* A text's number in a table, its bytes repaired to UTF-8. STRING_NONE when out of memory. */
StringId go_text_intern(StringTable *texts, StringView text);
/* Frames of a stack, the innermost first: frame after frame from a cursor over them. False at the end. */
ByteCursor go_stack_frames(const GoTables *tables, uint32_t place);
bool       go_stack_next(const GoTables *tables, ByteCursor *frames, GoFrame *frame);
/* It says nothing: the runtime wakes goroutines from where it has no stack, and some versions
 * write that as such a frame. */
bool       go_frame_is_empty(const GoTables *tables, const GoFrame *frame);
/* The outermost frame: what the goroutine is named after. False: the stack has none. */
bool go_stack_outermost(const GoTables *tables, uint32_t place, GoFrame *frame);

#endif
