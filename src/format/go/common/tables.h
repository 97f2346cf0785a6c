/* format/go/common/tables.h - strings and stacks by the ids of a trace (v1) or of one of its generations (v2).
 *
 * The entries are offsets into the input's bytes, without a copy. Of two entries with the same id the first wins. */
#ifndef FORMAT_GO_COMMON_TABLES_H
#define FORMAT_GO_COMMON_TABLES_H
#include "base/id_map.h"
#include "base/string_table.h"
#include "format/go/common/varint.h"

typedef struct GoString {
    uint64_t id;
    uint64_t at;       /* offset of its first byte from GoTables.bytes */
    uint32_t size;     /* bytes */
    StringId interned; /* in GoTables.texts, after go_string_intern */
} GoString;

typedef struct GoStack {
    uint64_t id;
    uint64_t at;   /* offset of its first frame from GoTables.bytes */
    uint32_t size; /* bytes of its frames */
    uint32_t frame_count;
    uint32_t known; /* cache of the user of the tables; 0 at first */
} GoStack;

/* Maps ids to places (from 1): dense ids by an array, others by a map. */
typedef struct GoIndex {
    uint32_t *places; /* [0, dense_end), in arena */
    uint32_t  dense_end, capacity;
    IdMap     sparse;
} GoIndex;

typedef struct GoTables {
    Arena         *arena;   /* borrowed */
    const uint8_t *bytes;   /* borrowed: the origin of `at` */
    StringTable   *texts;   /* borrowed; the same over all generations */
    GoString      *strings; /* [0, string_count), in arena; a place is index + 1 */
    uint32_t       string_count, string_capacity;
    GoStack       *stacks;
    uint32_t       stack_count, stack_capacity;
    GoIndex        string_index, stack_index;
    bool           bare_frames; /* version 1.5: a frame is a PC alone */
    UlebRule       rule;
} GoTables;

typedef struct GoFrame {
    uint64_t pc, function, file, line; /* function, file: ids of strings */
} GoFrame;

/* Empties the tables for the next generation, and keeps the memory. */
void go_tables_clear(GoTables *tables);
/* Add an entry, in the order of the input. False when out of memory. */
bool go_tables_add_string(GoTables *tables, uint64_t id, uint64_t at, uint32_t size) WARN_UNUSED;
bool go_tables_add_stack(GoTables *tables, uint64_t id, uint64_t at, uint32_t size,
                         uint32_t frame_count) WARN_UNUSED;
/* Makes the entries findable, after the last one. *duplicates: the number of ignored entries with an id in use. */
bool go_tables_index(GoTables *tables, uint32_t *duplicates) WARN_UNUSED;

static inline uint32_t go_index_find(const GoIndex *index, uint64_t id)
{
    return LIKELY(id < index->dense_end) ? index->places[id] : id_map_find(&index->sparse, id);
}
/* Return the place of an id; 0 = unknown. Id 0 is the empty string, or no stack. */
static inline uint32_t go_string_find(const GoTables *tables, uint64_t id)
{
    return go_index_find(&tables->string_index, id);
}
static inline uint32_t go_stack_find(const GoTables *tables, uint64_t id)
{
    return go_index_find(&tables->stack_index, id);
}

/* Returns the bytes of a string, without checks of UTF-8; "" if the id is unknown. */
StringView go_string_view(const GoTables *tables, uint64_t id);
/* Returns the StringId in `texts` of a string, repaired to valid UTF-8. Equal texts of all generations have the same
 * one. STRING_NONE: unknown id, or out of memory. */
StringId go_string_intern(GoTables *tables, uint64_t id);
/* Adds a text to a table, repaired to valid UTF-8. STRING_NONE when out of memory. */
StringId go_text_intern(StringTable *texts, StringView text);
/* Read the frames of a stack, innermost first, one by one from the cursor. False at the end. */
ByteCursor go_stack_frames(const GoTables *tables, uint32_t place);
bool       go_stack_next(const GoTables *tables, ByteCursor *frames, GoFrame *frame);
/* True for an empty frame: some versions write it as the stack of a goroutine that the runtime wakes without one. */
bool go_frame_is_empty(const GoTables *tables, const GoFrame *frame);
/* Finds the outermost frame, which names the goroutine. False: the stack is empty. */
bool go_stack_outermost(const GoTables *tables, uint32_t place, GoFrame *frame);

#endif
