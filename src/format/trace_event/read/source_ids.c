#include "format/trace_event/read/source_ids.h"

#include <string.h>

typedef struct Key {
    uint64_t pid, tid;
} Key;

#define NO_TID UINT64_MAX

static bool is_given(Ident ident)
{
    return (ident.kind == IDENT_INT || ident.kind == IDENT_UINT) && ident.bits <= UINT32_MAX;
}

bool source_ids_add(SourceIds *sources, Arena *arena, Ident pid, Ident tid, IdValue source)
{
    Key key = { pid.bits, tid.kind == IDENT_NONE ? NO_TID : tid.bits };
    if (!is_given(pid) || (tid.kind != IDENT_NONE && !is_given(tid))) return false;
    if (sources->keys == NULL) sources->keys = string_table_create(arena);
    if (sources->keys == NULL) return false;
    uint32_t index = string_table_intern(sources->keys, (const char *)&key, sizeof key).index;
    IdValue *ids = arena_grow(arena, sources->ids, index, &sources->capacity, sizeof *ids);
    if (ids == NULL) return false;
    sources->ids = ids;
    ids[index] = source;
    return index != 0;
}

void source_ids_resolve(const SourceIds *sources, Ident pid, IdValue *id)
{
    bool is_thread = pid.kind != IDENT_NONE;
    Key  key = { is_thread ? pid.bits : id->ident.bits, is_thread ? id->ident.bits : NO_TID };
    if (sources->keys == NULL || !is_given(id->ident) || (is_thread && !is_given(pid))) return;
    uint32_t index = string_table_find(sources->keys, (const char *)&key, sizeof key).index;
    if (index != 0) *id = sources->ids[index];
}
