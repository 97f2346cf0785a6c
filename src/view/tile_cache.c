#include "view/tile_cache.h"

#include "base/vec.h"

#include <assert.h>
#include <string.h>

typedef enum { SLOT_FREE, SLOT_WANTED, SLOT_UNDER_WAY, SLOT_READY, SLOT_FAILED } SlotState;

/* Slots are numbered from 1; 0 = none. */
typedef struct TileSlot {
    TileKey   key;
    uint32_t  trace;
    SlotState state;
    uint32_t  failures;
    double    retry_ms;
    uint64_t  used_frame, wanted_frame;
    uint32_t  chain;        /* next slot of the hash bucket or of the free list */
    uint32_t  newer, older; /* neighbours by use, while loaded */
    Bytes     bytes;        /* owned; empty = not loaded */
    Tile      tile;         /* view of `bytes` */
    uint64_t
         moved; /* number of ticks by which the begin of the grid has moved to earlier times since the load */
    bool is_stale;    /* `bytes` are from before a change */
    bool is_outdated; /* the request is from before a change */
} TileSlot;

enum { BUCKET_BITS = 14, BUCKETS = 1 << BUCKET_BITS };

struct TileCache {
    Arena arena;         /* this struct */
    VEC(TileSlot) slots; /* ; item 0 is unused */
    VEC(uint32_t) queue; /* slots that the last frame wants, in order */
    size_t   queue_at;   /* index of the next request */
    uint32_t free_slot;  /* list */
    uint32_t newest, oldest;
    uint32_t missing;
    uint64_t frame, loads;
    double   now_ms;
    size_t   limit_bytes, held_bytes;
    uint32_t buckets[BUCKETS];
};

static TileSlot *slot_at(const TileCache *cache, uint32_t slot)
{
    assert(slot > 0 && slot < vec_count(&cache->slots));
    return &cache->slots.items[slot];
}

static uint32_t bucket_of(uint32_t trace, TileKey key)
{
    uint64_t hash = key.index * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 29 ^ key.track ^ (uint64_t)key.filter << 32) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ hash >> 32 ^ ((uint64_t)key.band << 16 | (uint64_t)key.level << 8) ^ trace) *
           0x94D049BB133111EBu;
    return (uint32_t)(hash >> (64 - BUCKET_BITS));
}

static uint32_t find_slot(const TileCache *cache, uint32_t trace, TileKey key)
{
    uint32_t slot = cache->buckets[bucket_of(trace, key)];
    while (slot != 0) {
        const TileSlot *s = slot_at(cache, slot);
        if (s->trace == trace && tile_key_equal(s->key, key)) return slot;
        slot = s->chain;
    }
    return 0;
}

static uint32_t add_slot(TileCache *cache, uint32_t trace, TileKey key)
{
    uint32_t slot = cache->free_slot;
    if (slot != 0) {
        cache->free_slot = slot_at(cache, slot)->chain;
    } else {
        slot = (uint32_t)vec_count(&cache->slots);
        if (slot == UINT32_MAX || vec_add(&cache->slots) == NULL) return 0;
    }
    uint32_t *bucket = &cache->buckets[bucket_of(trace, key)];
    *slot_at(cache, slot) = (TileSlot){ .trace = trace, .key = key, .chain = *bucket, .state = SLOT_WANTED };
    *bucket = slot;
    assert(find_slot(cache, trace, key) == slot);
    return slot;
}

static void unlink_use(TileCache *cache, uint32_t slot)
{
    TileSlot *s = slot_at(cache, slot);
    if (s->newer != 0)
        slot_at(cache, s->newer)->older = s->older;
    else
        cache->newest = s->older;
    if (s->older != 0)
        slot_at(cache, s->older)->newer = s->newer;
    else
        cache->oldest = s->newer;
}

static void link_newest(TileCache *cache, uint32_t slot)
{
    TileSlot *s = slot_at(cache, slot);
    s->newer = 0;
    s->older = cache->newest;
    if (cache->newest != 0)
        slot_at(cache, cache->newest)->newer = slot;
    else
        cache->oldest = slot;
    cache->newest = slot;
}

static bool is_at_hand(const TileSlot *s)
{
    return s->bytes.size > 0;
}

static void unlink_key(TileCache *cache, uint32_t slot)
{
    TileSlot *s = slot_at(cache, slot);
    uint32_t *link = &cache->buckets[bucket_of(s->trace, s->key)];
    while (*link != slot)
        link = &slot_at(cache, *link)->chain; /* ends: slot_at asserts that the chain goes on */
    *link = s->chain;
}

static void release_bytes(TileCache *cache, uint32_t slot)
{
    TileSlot *s = slot_at(cache, slot);
    if (!is_at_hand(s)) return;
    unlink_use(cache, slot);
    assert(cache->held_bytes >= s->bytes.capacity);
    cache->held_bytes -= s->bytes.capacity;
    bytes_release(&s->bytes);
}

static void remove_slot(TileCache *cache, uint32_t slot)
{
    TileSlot *s = slot_at(cache, slot);
    assert(s->state != SLOT_FREE);
    unlink_key(cache, slot);
    release_bytes(cache, slot);
    s->state = SLOT_FREE;
    s->chain = cache->free_slot;
    cache->free_slot = slot;
}

TileCache *tile_cache_create(size_t limit_bytes)
{
    Arena      arena = arena_create(0);
    TileCache *cache = ARENA_NEW(&arena, TileCache);
    if (cache == NULL) {
        arena_release(&arena);
        return NULL;
    }
    cache->arena = arena;
    cache->limit_bytes = limit_bytes;
    if (vec_add(&cache->slots) != NULL) return cache;
    tile_cache_destroy(cache);
    return NULL;
}

void tile_cache_clear(TileCache *cache)
{
    for (uint32_t slot = 1; slot < (uint32_t)vec_count(&cache->slots); slot++)
        if (is_at_hand(slot_at(cache, slot))) bytes_release(&slot_at(cache, slot)->bytes);
    vec_cut(&cache->slots, 1);
    vec_clear(&cache->queue);
    cache->queue_at = 0;
    cache->free_slot = cache->newest = cache->oldest = cache->missing = 0;
    cache->held_bytes = 0;
    memset(cache->buckets, 0, sizeof cache->buckets);
}

void tile_cache_destroy(TileCache *cache)
{
    if (cache == NULL) return;
    if (vec_count(&cache->slots) > 0) tile_cache_clear(cache);
    vec_release(&cache->slots);
    vec_release(&cache->queue);
    Arena arena = cache->arena;
    arena_release(&arena);
}

void tile_cache_begin_frame(TileCache *cache, double now_ms)
{
    const uint32_t *queue = cache->queue.items;
    size_t          count = vec_count(&cache->queue);
    for (size_t i = cache->queue_at; i < count; i++) {
        TileSlot *s = slot_at(cache, queue[i]);
        if (s->state != SLOT_WANTED) continue;
        if (is_at_hand(s))
            s->state = SLOT_READY; /* loaded and stale */
        else
            remove_slot(cache, queue[i]);
    }
    vec_clear(&cache->queue);
    cache->queue_at = 0;
    cache->missing = 0;
    cache->now_ms = now_ms;
    cache->frame++;
}

bool tile_cache_find(TileCache *cache, uint32_t trace, TileKey key, Tile *tile)
{
    uint32_t slot = find_slot(cache, trace, key);
    if (slot == 0 || !is_at_hand(slot_at(cache, slot))) return false;
    TileSlot *s = slot_at(cache, slot);
    if (s->used_frame != cache->frame) {
        s->used_frame = cache->frame;
        unlink_use(cache, slot);
        link_newest(cache, slot);
    }
    *tile = s->tile;
    tile->key = s->key;
    tile->lead = 0 - s->moved;
    return true;
}

void tile_cache_want(TileCache *cache, uint32_t trace, TileKey key)
{
    uint32_t slot = find_slot(cache, trace, key);
    if (slot != 0) {
        TileSlot *s = slot_at(cache, slot);
        if ((s->state == SLOT_READY && !s->is_stale) || s->wanted_frame == cache->frame) return;
        if (s->state == SLOT_FAILED && cache->now_ms < s->retry_ms) return;
        s->wanted_frame = cache->frame;
        cache->missing++;
        if (s->state == SLOT_UNDER_WAY) return;
        s->state = SLOT_WANTED;
    } else {
        slot = add_slot(cache, trace, key);
        if (slot == 0) return;
        slot_at(cache, slot)->wanted_frame = cache->frame;
        cache->missing++;
    }
    vec_push(&cache->queue, slot);
}

bool tile_cache_next_request(TileCache *cache, uint32_t *trace, TileKey *key)
{
    const uint32_t *queue = cache->queue.items;
    while (cache->queue_at < vec_count(&cache->queue)) {
        TileSlot *s = slot_at(cache, queue[cache->queue_at++]);
        if (s->state != SLOT_WANTED) continue;
        s->state = SLOT_UNDER_WAY;
        s->is_outdated = false;
        *trace = s->trace;
        *key = s->key;
        return true;
    }
    return false;
}

static void evict(TileCache *cache)
{
    while (cache->held_bytes > cache->limit_bytes && cache->oldest != 0) {
        /* Tiles used by the last frame or loaded since stay, because they would be requested again. */
        if (slot_at(cache, cache->oldest)->used_frame >= cache->frame) break;
        remove_slot(cache, cache->oldest);
    }
}

bool tile_cache_take(TileCache *cache, uint32_t trace, Bytes *bytes, Tile *tile)
{
    if (bytes->failed || !tile_open(bytes->data, bytes->size, tile)) return false;
    uint32_t slot = find_slot(cache, trace, tile->key);
    if (slot == 0) slot = add_slot(cache, trace, tile->key);
    if (slot == 0) return false;
    TileSlot *s = slot_at(cache, slot);
    release_bytes(cache, slot);
    s->is_stale = s->state == SLOT_UNDER_WAY && s->is_outdated;
    s->state = SLOT_READY;
    s->failures = 0;
    s->bytes = *bytes;
    s->tile = *tile;
    s->tile.load = ++cache->loads;
    s->moved = 0;
    s->used_frame = cache->frame;
    cache->held_bytes += bytes->capacity;
    *bytes = (Bytes){ 0 };
    link_newest(cache, slot);
    evict(cache);
    return true;
}

void tile_cache_fail(TileCache *cache, uint32_t trace, TileKey key, double now_ms)
{
    uint32_t slot = find_slot(cache, trace, key);
    if (slot == 0 || slot_at(cache, slot)->state == SLOT_READY) return;
    TileSlot *s = slot_at(cache, slot);
    s->state = SLOT_FAILED;
    if (s->failures < 5) s->failures++;
    s->retry_ms = now_ms + 500.0 * (double)(1u << s->failures);
    if (s->wanted_frame == cache->frame && cache->missing > 0) cache->missing--;
}

static uint32_t slot_end(const TileCache *cache)
{
    return (uint32_t)vec_count(&cache->slots);
}

void tile_cache_expire(TileCache *cache, uint32_t trace, uint64_t from, TrackNow *now, const void *context)
{
    for (uint32_t slot = 1; slot < slot_end(cache); slot++) {
        TileSlot *s = slot_at(cache, slot);
        if (s->state == SLOT_FREE || s->trace != trace) continue;
        bool is_window = s->key.band != TILE_SLICE_FLOWS;
        if (is_window && tile_window_end(s->key) <= from) continue;
        if ((s->key.band & TILE_FLOWS) == 0 && now(context, s->key.track).is_same) continue;
        s->is_stale = s->is_outdated = true;
        s->retry_ms = 0;
    }
}

/* Gives a slot another trace number or key. */
static void rename_slot(TileCache *cache, uint32_t slot, uint32_t trace, TileKey key)
{
    TileSlot *s = slot_at(cache, slot);
    unlink_key(cache, slot);
    s->trace = trace;
    s->key = key;
    uint32_t *bucket = &cache->buckets[bucket_of(s->trace, s->key)];
    s->chain = *bucket;
    *bucket = slot;
}

static void renumber_slot(TileCache *cache, uint32_t slot, TileTrack track)
{
    TileSlot *s = slot_at(cache, slot);
    TileKey   key = s->key;
    if (track.id == 0 || !is_at_hand(s) || (s->key.band & TILE_FLOWS) != 0) {
        remove_slot(cache, slot);
        return;
    }
    key.track = track.id;
    if (!track.is_same || s->state == SLOT_UNDER_WAY) s->is_stale = true;
    s->state = SLOT_READY;
    rename_slot(cache, slot, s->trace, key);
}

static void move_slot(TileCache *cache, uint32_t slot, uint64_t by)
{
    TileSlot      *s = slot_at(cache, slot);
    TileKey        key = s->key;
    const bool     is_window = key.band != TILE_SLICE_FLOWS;
    const unsigned shift = key.level + TILE_BUCKET_BITS;
    const bool     is_whole = !is_window || (by & ((UINT64_C(1) << shift) - 1)) == 0;
    if (!is_at_hand(s) || !is_whole) {
        remove_slot(cache, slot);
        return;
    }
    if (is_window) key.index = (key.index + (by >> shift)) & (UINT64_MAX >> shift);
    if (s->state == SLOT_UNDER_WAY) s->is_stale = true;
    s->moved += by;
    s->state = SLOT_READY;
    rename_slot(cache, slot, s->trace, key);
}

void tile_cache_move(TileCache *cache, uint32_t trace, uint64_t by)
{
    for (uint32_t slot = 1; slot < slot_end(cache); slot++) {
        const TileSlot *s = slot_at(cache, slot);
        if (s->state != SLOT_FREE && s->trace == trace) move_slot(cache, slot, by);
    }
}

void tile_cache_renumber(TileCache *cache, uint32_t trace, TrackNow *now, const void *context)
{
    for (uint32_t slot = 1; slot < slot_end(cache); slot++) {
        TileSlot *s = slot_at(cache, slot);
        if (s->state == SLOT_FREE || s->trace != trace) continue;
        renumber_slot(cache, slot, now(context, s->key.track));
    }
}

void tile_cache_remove_trace(TileCache *cache, uint32_t trace)
{
    for (uint32_t slot = 1; slot < slot_end(cache); slot++) {
        const TileSlot *s = slot_at(cache, slot);
        if (s->state == SLOT_FREE || s->trace < trace) continue;
        if (s->trace == trace)
            remove_slot(cache, slot);
        else
            rename_slot(cache, slot, s->trace - 1, s->key);
    }
}

uint32_t tile_cache_missing(const TileCache *cache)
{
    return cache->missing;
}

size_t tile_cache_bytes(const TileCache *cache)
{
    return cache->held_bytes;
}
