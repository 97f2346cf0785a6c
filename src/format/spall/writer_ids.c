#include "format/spall/writer_ids.h"

#include <stdlib.h>

bool spall_id_fits(Ident ident)
{
    return ident.kind == IDENT_INT && ident.bits <= UINT32_MAX;
}

static int compare_ids(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void pool_start(IdPool *pool)
{
    const uint32_t high = 0xf0000000; /* above it there might be too few left */
    if (pool->count > 0) qsort(pool->taken, pool->count, sizeof pool->taken[0], compare_ids);
    uint32_t last = pool->count > 0 ? pool->taken[pool->count - 1] : 0;
    pool->next = last < high ? (uint64_t)last + 1 : 1;
    pool->at = last < high ? pool->count : 0;
}

static uint32_t pool_take(IdPool *pool)
{
    for (; pool->at < pool->count && pool->taken[pool->at] <= pool->next; pool->at++) {
        if (pool->taken[pool->at] == pool->next) pool->next++;
    }
    return (uint32_t)pool->next++;
}

bool spall_ids_open(SpallIds *ids, const Trace *trace, Arena *arena)
{
    *ids = (SpallIds){ .trace = trace };
    size_t   most = trace->process_count > trace->track_count ? trace->process_count : trace->track_count;
    uint32_t count = trace->process_count;
    ids->pids = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    ids->pool.taken = ARENA_ARRAY(arena, uint32_t, most + 1);
    if (ids->pids == NULL || ids->pool.taken == NULL) return false;
    for (uint32_t i = 1; i <= count; i++) {
        Ident pid = trace->processes[i].pid;
        if (spall_id_fits(pid)) ids->pool.taken[ids->pool.count++] = (uint32_t)pid.bits;
    }
    pool_start(&ids->pool);
    for (uint32_t i = 1; i <= count; i++) {
        Ident pid = trace->processes[i].pid;
        ids->pids[i] = spall_id_fits(pid) ? (uint32_t)pid.bits : pool_take(&ids->pool);
        ids->replaced_count += !spall_id_fits(pid);
    }
    return true;
}

void spall_ids_enter(SpallIds *ids, uint32_t process)
{
    const Process *p = &ids->trace->processes[process];
    ids->pool.count = 0;
    for (uint32_t i = p->first_track; i < p->first_track + p->track_count; i++) {
        Ident tid = ids->trace->tracks[i].tid;
        if (spall_id_fits(tid)) ids->pool.taken[ids->pool.count++] = (uint32_t)tid.bits;
    }
    pool_start(&ids->pool);
}

uint32_t spall_ids_thread(SpallIds *ids, uint32_t track)
{
    Ident tid = ids->trace->tracks[track].tid;
    if (spall_id_fits(tid)) return (uint32_t)tid.bits;
    ids->replaced_count++;
    return pool_take(&ids->pool);
}

uint32_t spall_ids_new(SpallIds *ids)
{
    return pool_take(&ids->pool);
}
