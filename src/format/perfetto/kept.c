#include "format/perfetto/kept.h"

#include "base/search.h"

static void release_kept(void *context)
{
    PerfettoKept *kept = context;
    unpacked_close(&kept->unpacked);
    arena_release(&kept->bundles);
    Arena arena = kept->arena; /* a copy, because `kept` is allocated in it */
    arena_release(&arena);
}

PerfettoKept *kept_create(TraceBuilder *builder)
{
    Arena         arena = arena_create(0);
    PerfettoKept *kept = ARENA_NEW(&arena, PerfettoKept);
    if (kept == NULL) return NULL;
    kept->arena = arena;
    kept->bundles = arena_create(0);
    kept->hash_key = hash_random_key();
    kept->sequence_of.arena = &kept->arena;
    const bool done = ARENA_LIST_PUSH(&kept->interned, &kept->arena) != NULL &&
                      ARENA_LIST_PUSH(&kept->sequences, &kept->arena) != NULL &&
                      unpacked_open(&kept->unpacked, &kept->arena);
    if (!done) {
        release_kept(kept);
        return NULL;
    }
    builder_keep(builder, kept, release_kept);
    return kept;
}

uint32_t kept_sequence(PerfettoKept *kept, uint64_t id)
{
    const uint32_t found = id_map_find(&kept->sequence_of, id);
    if (found != 0) return found;
    const uint32_t index = (uint32_t)kept->sequences.count;
    if (ARENA_LIST_PUSH(&kept->sequences, &kept->arena) == NULL) return 0;
    return id_map_put(&kept->sequence_of, id, index) ? index : 0;
}

uint32_t kept_begin_generation(PerfettoKept *kept, uint32_t sequence, uint64_t offset)
{
    GenerationBegin *begin = ARENA_LIST_PUSH(&kept->sequences.items[sequence].begins, &kept->arena);
    if (begin == NULL) return 0;
    *begin = (GenerationBegin){ offset, ++kept->generation_count };
    return begin->generation;
}

uint32_t kept_generation_at(const PerfettoKept *kept, uint64_t sequence_id, uint64_t offset)
{
    const uint32_t sequence = id_map_find(&kept->sequence_of, sequence_id);
    if (sequence == 0) return 0;
    const KeptSequence *known = &kept->sequences.items[sequence];
    size_t              count = 0;
    LOWER_BOUND(size_t, count, known->begins.count, i, known->begins.items[i].offset <= offset);
    return count == 0 ? 0 : known->begins.items[count - 1].generation;
}

static uint64_t hash_of(const PerfettoKept *kept, uint32_t generation, uint32_t kind, uint64_t iid)
{
    return hash_pair(iid, (uint64_t)generation << 32 | kind, kept->hash_key);
}

static uint64_t hash_of_item(const void *context, uint32_t item)
{
    const PerfettoKept *kept = context;
    const Interned     *interned = &kept->interned.items[item];
    return hash_of(kept, interned->generation, interned->kind, interned->iid);
}

Interned *kept_find(const PerfettoKept *kept, uint32_t generation, uint32_t kind, uint64_t iid)
{
    const Interned *all = kept->interned.items;
    uint32_t        found;
    HASH_FIND(&kept->index, hash_of(kept, generation, kind, iid), found,
              all[found].iid == iid && all[found].generation == generation && all[found].kind == kind);
    return found == 0 ? NULL : &kept->interned.items[found];
}

bool kept_intern(PerfettoKept *kept, const Interned *interned)
{
    if (kept_find(kept, interned->generation, interned->kind, interned->iid) != NULL) return true;
    if (kept->interned.count == UINT32_MAX) return false;
    const uint32_t item = (uint32_t)kept->interned.count;
    Interned      *added = ARENA_LIST_PUSH(&kept->interned, &kept->arena);
    if (added == NULL) return false;
    *added = *interned;
    added->bytes = (uint8_t *)arena_push_copy(&kept->arena, interned->bytes, interned->size);
    return added->bytes != NULL && hash_index_add(&kept->index, &kept->arena, item, hash_of_item, kept);
}

StringView kept_text(const PerfettoKept *kept, uint32_t generation, uint32_t kind, uint64_t iid)
{
    const Interned *found = kept_find(kept, generation, kind, iid);
    if (found == NULL) return (StringView){ NULL, 0 };
    return (StringView){ (const char *)found->bytes, found->size };
}
