/* Asynchronous events by async id, during a load. */
#include "base/hash.h"
#include "trace/make/async.h"

/* Ids are identified by 128 bits of hash, so their texts need not be stored. */
static AsyncIdEntry id_key(const TraceBuilder *builder, ProcessId process, const char *key, size_t size)
{
    return (AsyncIdEntry){ .process = process,
                           .hash = { hash_bytes(key, size, builder->hash_key),
                                     hash_bytes(key, size, ~builder->hash_key) } };
}

static uint64_t hash_of_id(const TraceBuilder *builder, const AsyncIdEntry *id)
{
    return hash_pair(id->hash[0], id->process.index, builder->hash_key);
}

static uint64_t id_hash(const void *context, uint32_t index)
{
    const TraceBuilder *builder = context;
    return hash_of_id(builder, &builder->async.ids.items[index]);
}

static bool is_same(const AsyncIdEntry *a, const AsyncIdEntry *b)
{
    return a->process.index == b->process.index && a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1];
}

/* Returns the index of an async id; 0 = it is new. */
static uint32_t find_id(const TraceBuilder *builder, const AsyncIdEntry *id)
{
    uint32_t            found;
    const AsyncIdEntry *known = builder->async.ids.items;
    HASH_FIND(&builder->async.map, hash_of_id(builder, id), found, is_same(&known[found], id));
    return found;
}

/* Returns the index for a new async id; 0 when out of memory. */
static uint32_t take_place(TraceBuilder *builder)
{
    const size_t free_count = vec_count(&builder->async.free_ids);
    if (free_count > 0) {
        vec_cut(&builder->async.free_ids, free_count - 1);
        return builder->async.free_ids.items[free_count - 1];
    }
    if (builder->failed || builder_add_numbered(builder, &builder->async.ids) == NULL) return 0;
    return builder_last_index(&builder->async.ids);
}

/* Returns the async id for all new ids, because there is no room for another one. */
static AsyncIdEntry rest_of(TraceBuilder *builder)
{
    builder_warn(
        builder, "ids-not-kept", builder_read_pos(builder),
        "open asynchronous slices of different ids fill the memory reserved for them: events of later ids "
        "are treated as events of one id, but the recording has them");
    return (AsyncIdEntry){ .process = PROCESS_NONE };
}

void builder_set_async_ids_most(TraceBuilder *builder, uint32_t most)
{
    builder->limits.async_ids = most;
}

AsyncId builder_async_id(TraceBuilder *builder, ProcessId process, const char *key, size_t size)
{
    AsyncIdEntry wanted = id_key(builder, process, key, size);
    uint32_t     found = find_id(builder, &wanted);
    if (found == 0 && builder->limits.async_ids != 0 &&
        builder->async.map.count >= builder->limits.async_ids) {
        wanted = rest_of(builder);
        found = find_id(builder, &wanted);
    }
    if (found != 0) return (AsyncId){ found };
    const uint32_t index = take_place(builder);
    if (index == 0) return (AsyncId){ 0 };
    AsyncIdEntry *id = &builder->async.ids.items[index];
    wanted.epoch = id->epoch;
    *id = wanted;
    if (!builder_index_add(builder, &builder->async.map, index, id_hash)) return (AsyncId){ 0 };
    return (AsyncId){ index };
}

void builder_async_title(TraceBuilder *builder, AsyncId id, LabelId title)
{
    if (id.index != 0) builder->async.ids.items[id.index].title = title.index;
}

uint32_t builder_async_id_epoch(const TraceBuilder *builder, AsyncId id)
{
    if (id.index == 0) return 0; /* it could not be created for lack of memory */
    return builder->async.ids.items[id.index].epoch;
}

void builder_free_async_ids(TraceBuilder *builder, const uint32_t *ids, size_t count)
{
    AsyncIdEntry *all = builder->async.ids.items;
    const size_t  all_count = vec_count(&builder->async.ids);
    vec_append(&builder->async.free_ids, ids, count);
    if (builder->async.free_ids.bytes.failed) builder->failed = true;
    if (builder->failed) return;
    for (size_t i = 0; i < count; i++) {
        all[ids[i]].epoch++;
        all[ids[i]].is_free = true;
    }
    hash_index_clear(&builder->async.map);
    for (uint32_t i = 1; i < all_count; i++) {
        if (!all[i].is_free && !builder_index_add(builder, &builder->async.map, i, id_hash)) return;
    }
}

void builder_async(TraceBuilder *builder, AsyncKind kind, uint16_t event_kind, AsyncId id,
                   const EventHead *head, unsigned flags)
{
    if (UNLIKELY(is_observed(builder))) {
        builder_other(builder, OTHER_EVENT, event_kind, head);
        return;
    }
    AsyncEvent *event = builder_add(builder, &builder->async.events);
    if (event == NULL) return;
    uint64_t place =
        head->pos.offset << PLACE_BITS | place_bits(flags) | (uint64_t)kind << ASYNC_PLACE_KIND_SHIFT;
    *event = (AsyncEvent){ .tick = head->tick,
                           .place = place,
                           .label = head->label.index,
                           .event = (uint32_t)head->pos.event,
                           .async_id = id.index,
                           .thread = head->thread.index,
                           .kind = event_kind };
    builder_note_thread(builder, head->thread);
    builder_note_other(builder, head->thread, head->tick);
}
