#include "format/go/common/tables.h"

#include "base/utf8.h"

#include <assert.h>

static void index_clear(GoIndex *index)
{
    if (index->dense_end > 0) memset(index->places, 0, index->dense_end * sizeof *index->places);
    index->dense_end = 0;
    id_map_clear(&index->sparse);
}

void go_tables_clear(GoTables *tables)
{
    tables->string_count = tables->stack_count = 0;
    index_clear(&tables->string_index);
    index_clear(&tables->stack_index);
}

bool go_tables_add_string(GoTables *tables, uint64_t id, uint64_t at, uint32_t size)
{
    GoString *strings = arena_grow(tables->arena, tables->strings, tables->string_count,
                                   &tables->string_capacity, sizeof *strings);
    if (strings == NULL) return false;
    tables->strings = strings;
    strings[tables->string_count++] = (GoString){ .id = id, .at = at, .size = size };
    return true;
}

bool go_tables_add_stack(GoTables *tables, uint64_t id, uint64_t at, uint32_t size, uint32_t frame_count)
{
    GoStack *stacks = arena_grow(tables->arena, tables->stacks, tables->stack_count, &tables->stack_capacity,
                                 sizeof *stacks);
    if (stacks == NULL) return false;
    tables->stacks = stacks;
    stacks[tables->stack_count++] = (GoStack){ id, at, size, frame_count, 0 };
    return true;
}

/* -- the index -- */

/* Makes a dense index for small ids, of a size in proportion to the number of entries. */
static bool index_begin(GoIndex *index, Arena *arena, uint32_t entry_count)
{
    enum { SLACK = 64, SPREAD = 4 };
    uint32_t dense = entry_count > (UINT32_MAX - SLACK) / SPREAD ? UINT32_MAX : entry_count * SPREAD + SLACK;
    if (dense > index->capacity) {
        uint32_t *places = ARENA_ARRAY(arena, uint32_t, dense);
        if (places == NULL) return false;
        index->places = places;
        index->capacity = dense;
    }
    index->dense_end = dense;
    index->sparse.arena = arena;
    return true;
}

/* Adds an id. *taken: it has a place already, or is 0. */
static bool index_put(GoIndex *index, uint64_t id, uint32_t place, bool *taken)
{
    assert(place > 0);
    *taken = id == 0 || go_index_find(index, id) != 0;
    if (*taken) return true;
    if (id >= index->dense_end) return id_map_put(&index->sparse, id, place);
    index->places[id] = place;
    return true;
}

bool go_tables_index(GoTables *tables, uint32_t *duplicates)
{
    bool taken;
    *duplicates = 0;
    if (!index_begin(&tables->string_index, tables->arena, tables->string_count) ||
        !index_begin(&tables->stack_index, tables->arena, tables->stack_count))
        return false;
    for (uint32_t i = 0; i < tables->string_count; i++) {
        if (!index_put(&tables->string_index, tables->strings[i].id, i + 1, &taken)) return false;
        *duplicates += taken;
    }
    for (uint32_t i = 0; i < tables->stack_count; i++) {
        if (!index_put(&tables->stack_index, tables->stacks[i].id, i + 1, &taken)) return false;
        *duplicates += taken;
    }
    return true;
}

/* -- strings -- */

StringView go_string_view(const GoTables *tables, uint64_t id)
{
    uint32_t place = go_string_find(tables, id);
    if (place == 0) return (StringView){ "", 0 };
    assert(place <= tables->string_count);
    const GoString *string = &tables->strings[place - 1];
    return (StringView){ (const char *)tables->bytes + string->at, string->size };
}

static StringId intern_repaired(StringTable *texts, StringView text)
{
    Bytes    repaired = { 0 };
    StringId id = STRING_NONE;
    (void)utf8_append_repaired(&repaired, text.bytes, text.size);
    if (!repaired.failed) id = string_table_intern(texts, (const char *)repaired.data, repaired.size);
    bytes_release(&repaired);
    return id;
}

StringId go_text_intern(StringTable *texts, StringView text)
{
    return utf8_valid_prefix(text.bytes, text.size) == text.size
               ? string_table_intern(texts, text.bytes, text.size)
               : intern_repaired(texts, text);
}

StringId go_string_intern(GoTables *tables, uint64_t id)
{
    uint32_t place = go_string_find(tables, id);
    if (place == 0) return STRING_NONE;
    assert(place <= tables->string_count);
    GoString *string = &tables->strings[place - 1];
    if (string->interned.index == 0) {
        StringView text = { (const char *)tables->bytes + string->at, string->size };
        string->interned = go_text_intern(tables->texts, text);
    }
    return string->interned;
}

/* -- stacks -- */

ByteCursor go_stack_frames(const GoTables *tables, uint32_t place)
{
    if (place == 0) return cursor_over(NULL, 0, 0);
    assert(place <= tables->stack_count);
    const GoStack *stack = &tables->stacks[place - 1];
    return cursor_over(tables->bytes + stack->at, stack->size, 0);
}

bool go_stack_next(const GoTables *tables, ByteCursor *frames, GoFrame *frame)
{
    if (cursor_left(frames) == 0) return false;
    *frame = (GoFrame){ .pc = cursor_varint(frames, tables->rule) };
    if (!tables->bare_frames) {
        frame->function = cursor_varint(frames, tables->rule);
        frame->file = cursor_varint(frames, tables->rule);
        frame->line = cursor_varint(frames, tables->rule);
    }
    return !frames->failed;
}

bool go_frame_is_empty(const GoTables *tables, const GoFrame *frame)
{
    if (frame->pc != 0 || frame->line != 0) return false;
    const uint32_t place = go_string_find(tables, frame->function);
    return place == 0 || tables->strings[place - 1].size == 0;
}

bool go_stack_outermost(const GoTables *tables, uint32_t place, GoFrame *frame)
{
    ByteCursor frames = go_stack_frames(tables, place);
    bool       any = false;
    while (go_stack_next(tables, &frames, frame))
        any = true;
    return any;
}
